--------------------------- MODULE TraceRangeTree ---------------------------
(***************************************************************************)
(* Recorded behaviours of a range lock against RangeTree: see Traces.  No  *)
(* action is silent.  A trylock that is refused does nothing: it is a look *)
(* at what there is.                                                       *)
(***************************************************************************)
EXTENDS MCRangeTree, Traces

TraceNext == Next \/ (See /\ UNCHANGED vars)
TraceSpec == (Init /\ AtStart) /\ [][TraceNext]_<<vars, which, at>>

Named(prefix, name)  == \E t \in Task : name = prefix \o t
TaskOf(prefix, name) == CHOOSE t \in Task : name = prefix \o t

\* What a trace may show of the state: how many ranges are held, the parts of one that is
\* narrowed each for itself, and how many are waited for; how many a task waits for, by its
\* name; that a task could have its range at once.
RangeTreeShows(name) ==
    CASE name = "held"    -> Cardinality(UNION {{t} \X Has(t) : t \in {u \in Task : Holds(u)}})
      [] name = "waiting" -> Cardinality({t \in Task : Waits(t)})
      [] Named("", name)  -> blocking[TaskOf("", name)]
      [] Named("enters ", name) ->
            LET t == TaskOf("enters ", name)
            IN  pc[t] = "idle" /\ (Conflicting(t) = {} \/ MayPass(t))
=============================================================================
