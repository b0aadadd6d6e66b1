------------------------- MODULE MCTransactionWait -------------------------
(***************************************************************************)
(* TransactionWait for TLC: probes, and the hook that prints the edges of  *)
(* the state graph.                                                        *)
(***************************************************************************)
EXTENDS TransactionWait, TLC

\* Probe, which must be violated: threads of both kinds want a handle, and one
\* at least sleeps.
NeverContended ==
    ~(/\ queue # <<>>
      /\ \E t \in Small : Wants(t)
      /\ \E t \in Large : Wants(t))

State == [pc |-> pc, queue |-> queue, line |-> line, used |-> used, asked |-> asked,
          commits |-> commits]

EmitPrint(action, args) ==
    PrintT(ToString(<<"E", action, args, State, State'>>))
=============================================================================
