--------------------------- MODULE MCReserveWait ---------------------------
(***************************************************************************)
(* ReserveWait for TLC: probes, and the hook that prints the edges of the  *)
(* state graph.  The bounds are the numbers of threads.                    *)
(***************************************************************************)
EXTENDS ReserveWait, TLC

\* Probe, which must be violated: threads of both kinds want credits, and one
\* at least sleeps.
NeverContended ==
    ~(/\ queue # <<>>
      /\ \E t \in Small : Wants(t)
      /\ \E t \in Large : Wants(t))

State == [pc |-> pc, queue |-> queue, reserved |-> reserved, herd |-> herd, stirred |-> stirred,
          wakes |-> wakes]

\* The same for a state graph: without the sizes of the herds, which decide
\* nothing.
NoHerd(woken) == 0

EmitPrint(action, args) ==
    PrintT(ToString(<<"E", action, args, State, State'>>))
=============================================================================
