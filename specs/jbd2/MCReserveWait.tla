--------------------------- MODULE MCReserveWait ---------------------------
(***************************************************************************)
(* ReserveWait for TLC: probes.  The bounds are the numbers of threads.    *)
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
=============================================================================
