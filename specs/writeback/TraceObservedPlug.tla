------------------------- MODULE TraceObservedPlug -------------------------
(***************************************************************************)
(* A kernel's traces against ObservedPlug: see Traces.                     *)
(***************************************************************************)
EXTENDS ObservedPlug, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* What the events that come next have.
TraceArgs(action) ==
    {Upcoming(l).args : l \in {m \in Lane : HasMore(m) /\ Upcoming(m).action = action}}

\* How many requests wait to be issued.
PlugShows(name) == CASE name = "queued" -> Cardinality(queue)
=============================================================================
