------------------------- MODULE MCTransactionWait -------------------------
(***************************************************************************)
(* TransactionWait for TLC: probes.                                        *)
(***************************************************************************)
EXTENDS TransactionWait

\* Probe, which must be violated: threads of both kinds want a handle, and one
\* at least sleeps.
NeverContended ==
    ~(/\ queue # <<>>
      /\ \E t \in Small : Wants(t)
      /\ \E t \in Large : Wants(t))
=============================================================================
