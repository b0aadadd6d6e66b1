---------------------------- MODULE TraceHandles ----------------------------
(***************************************************************************)
(* Traces of a running kernel's journal against Handles: see Traces.       *)
(***************************************************************************)
EXTENDS Handles, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* An event's arguments say all that was seen.
HandlesShows(name) == FALSE
=============================================================================
