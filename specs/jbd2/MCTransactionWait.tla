------------------------- MODULE MCTransactionWait -------------------------
(***************************************************************************)
(* TransactionWait for TLC: probes and controls.                           *)
(***************************************************************************)
EXTENDS TransactionWait

\* Probe, which must be violated: threads of both kinds want a handle, and one
\* at least sleeps.
NeverContended ==
    ~(/\ queue # <<>>
      /\ \E t \in Small : Wants(t)
      /\ \E t \in Large : Wants(t))

\* Control: only large threads come.  Next is written out once more, so that TLC counts
\* each action.
LargeNext ==
    \/ \E t \in Large :
          \/ Start(t)
          \/ Join(t)
          \/ Sleep(t)
          \/ Stop(t)
    \/ Commit
LargeSpec ==
    /\ Init /\ [][LargeNext]_vars
    /\ WF_vars(Commit) /\ \A t \in Large : WF_vars(Join(t) \/ Sleep(t)) /\ WF_vars(Stop(t))
=============================================================================
