--------------------------- MODULE MCLockUpdates ---------------------------
(***************************************************************************)
(* LockUpdates for TLC: probes, and the hook that prints the edges of the  *)
(* state graph.                                                            *)
(***************************************************************************)
EXTENDS LockUpdates, TLC

\* Probes, which must be violated: a locker sleeps; a handle waits for the
\* barrier to be lifted, and one whose credits are handed over.
NeverSleeps == \A l \in Locker : pc[l] # "sleep"
NeverBarred == \A t \in Starter : ~(pc[t] = "start" /\ barrier > 0)
NeverGrantedBarred == ~(Granted # {} /\ barrier > 0)

State == [pc |-> pc, barrier |-> barrier, queue |-> queue, mutex |-> mutex]

EmitPrint(action, args) ==
    PrintT(ToString(<<"E", action, args, State, State'>>))
=============================================================================
