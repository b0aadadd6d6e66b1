------------------------- MODULE TraceObservedLists -------------------------
(***************************************************************************)
(* A kernel's traces against ObservedLists: see Traces.                    *)
(***************************************************************************)
EXTENDS ObservedLists, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* What the events that come next have.
TraceArgs(action) ==
    {Upcoming(l).args : l \in {m \in Lane : HasMore(m) /\ Upcoming(m).action = action}}

\* The pages that the work has written.
ListsShow(name) == CASE name = "done" -> done
=============================================================================
