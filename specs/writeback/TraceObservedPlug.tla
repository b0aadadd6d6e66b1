------------------------- MODULE TraceObservedPlug -------------------------
(***************************************************************************)
(* A kernel's traces against ObservedPlug: see Traces.                     *)
(***************************************************************************)
EXTENDS ObservedPlug, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* How many requests wait to be issued.
PlugShows(name) == CASE name = "queued" -> BagCardinality(queue)
=============================================================================
