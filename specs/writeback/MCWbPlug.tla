------------------------------ MODULE MCWbPlug ------------------------------
(***************************************************************************)
(* WbPlug for TLC: probes.                                                 *)
(***************************************************************************)
EXTENDS WbPlug

\* Probes, which must be violated: there is I/O in the plug, somebody waits,
\* the flusher is preempted, and it sleeps for room in the device.
NeverPlugged   == \A i \in File : i \notin plug
NeverThrottled == waits = 0
NeverPreempted == cpu # "preempted"
NeverFull      == ~(cpu = "asleep" /\ Finishing)
=============================================================================
