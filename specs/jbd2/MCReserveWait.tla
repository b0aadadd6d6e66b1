--------------------------- MODULE MCReserveWait ---------------------------
(***************************************************************************)
(* ReserveWait for TLC: probes and controls.  The bounds are the numbers   *)
(* of threads.                                                             *)
(***************************************************************************)
EXTENDS ReserveWait

\* Probe, which must be violated: threads of both kinds want credits, and one
\* at least sleeps.
NeverContended ==
    ~(/\ queue # <<>>
      /\ \E t \in Small : Wants(t)
      /\ \E t \in Large : Wants(t))

\* The same for a state graph: without the sizes of the herds, which decide
\* nothing.
NoHerd(woken) == 0

\* Control: what is counted is not what a thread has reserved.
One(t) == 1

\* Control: only large threads come.  Next is written out once more, so that TLC counts
\* each action.
LargeNext ==
    \E t \in Large :
        \/ Start(t)
        \/ Take(t)
        \/ Fail(t)
        \/ Undo(t)
        \/ Sleep(t)
        \/ Retry(t)
        \/ Release(t)
LargeSpec ==
    /\ Init /\ [][LargeNext]_vars
    /\ \A t \in Large : WF_vars(GoesOn(t)) /\ WF_vars(Release(t))
=============================================================================
