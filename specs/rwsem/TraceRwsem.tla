----------------------------- MODULE TraceRwsem -----------------------------
(***************************************************************************)
(* Recorded behaviours of a lock against Rwsem: see Traces.                *)
(***************************************************************************)
EXTENDS MCRwsem, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* What the lock's word shows of the state: how many hold it, and are queued.
RwsemShows(name) ==
    CASE name = "holders" -> Cardinality(Holders)
      [] name = "queued"  -> Len(queue)
=============================================================================
