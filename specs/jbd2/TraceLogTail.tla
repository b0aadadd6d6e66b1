---------------------------- MODULE TraceLogTail ----------------------------
(***************************************************************************)
(* Traces of a running kernel's journal against LogTail: see Traces.       *)
(***************************************************************************)
EXTENDS LogTail, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* An event's arguments say all that was seen.
LogTailShows(name) == FALSE
=============================================================================
