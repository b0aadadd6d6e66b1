------------------------- MODULE TraceObservedLists -------------------------
(***************************************************************************)
(* A kernel's traces against ObservedLists: see Traces.                    *)
(***************************************************************************)
EXTENDS ObservedLists, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* The pages that the work has written.
ListsShow(name) == CASE name = "done" -> done
=============================================================================
