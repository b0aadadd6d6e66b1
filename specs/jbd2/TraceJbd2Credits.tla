-------------------------- MODULE TraceJbd2Credits --------------------------
(***************************************************************************)
(* Recorded behaviours of a journal against Jbd2Credits: see Traces.  No   *)
(* action is silent: the code takes each of them as one step.              *)
(***************************************************************************)
EXTENDS MCJbd2Credits, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* What the journal's numbers show of the state: blocks, credits and handles;
\* and of a task, by its name, what it does now.
Jbd2CreditsShows(name) ==
    CASE name = "free"     -> free
      [] name = "reserved" -> reserved
      [] name = "out"      -> running.out
      [] name = "updates"  -> running.updates
      [] OTHER             -> pc[CHOOSE t \in Task : ToString(t) = name]
=============================================================================
