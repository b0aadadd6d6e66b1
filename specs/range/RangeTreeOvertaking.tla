------------------------ MODULE RangeTreeOvertaking ------------------------
(***************************************************************************)
(* How often a range that waits in a RangeTree is overtaken: by one that   *)
(* conflicts with it, came later, and holds its range first.  That is what *)
(* it costs the wide range to let narrow ones pass, and what it buys them. *)
(***************************************************************************)
EXTENDS MCRangeTree

CONSTANT Most           \* the bound of both properties

VARIABLE overtaken      \* by how many conflicting ranges that came later each waiter was

CountInit == Init /\ overtaken = [t \in Task |-> 0]
Came(u, t) == pc[u] = "idle" \/ IsBefore(t, u)
Count ==
    /\ Next
    /\ overtaken' = [t \in Task |->
            IF pc'[t] # "wait" THEN 0
            ELSE overtaken[t] +
                 Cardinality({u \in Task : /\ Waits(t) /\ Conflict(t, u) /\ Came(u, t)
                                           /\ ~Holds(u) /\ pc'[u] = "hold"})]
CountSpec == CountInit /\ [][Count]_<<vars, overtaken>>

BoundedOvertaking == \A t \in Task : overtaken[t] <= Most

\* A convoy begins only behind one that has been overtaken so often: who comes and
\* waits, waits for a holder, or for such a one.
ConvoyAfter ==
    [][\A t \in Task :
        pc[t] = "idle" /\ pc'[t] = "wait" =>
            \E u \in Conflicting(t) : Holds(u) \/ overtaken[u] >= Most]_vars

\* Probe, which must be violated: somebody comes, and waits for waiters alone.
NeverConvoys ==
    [][\A t \in Task :
        ~(pc[t] = "idle" /\ pc'[t] = "wait" /\ \A u \in Conflicting(t) : Waits(u))]_vars
=============================================================================
