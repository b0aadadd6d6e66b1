------------------------------ MODULE MCWbPlug ------------------------------
(***************************************************************************)
(* WbPlug for TLC: probes, and the hook that prints the edges of the state *)
(* graph.                                                                  *)
(***************************************************************************)
EXTENDS WbPlug, TLC

\* Probes, which must be violated: there is I/O in the plug, somebody waits,
\* the flusher is preempted, and it sleeps for room in the device.
NeverPlugged   == \A i \in File : i \notin plug
NeverThrottled == waits = 0
NeverPreempted == cpu # "preempted"
NeverFull      == ~(cpu = "asleep" /\ Finishing)

State == [pc |-> pc, next |-> next, locked |-> locked, plugged |-> plugged, plug |-> plug,
          flying |-> flying, cpu |-> cpu, resched |-> resched, waits |-> waits,
          requests |-> requests, breaks |-> breaks]

EmitPrint(action, args) ==
    PrintT(ToString(<<"E", action, args, State, State'>>))
=============================================================================
