-------------------------- MODULE BudgetOvertaking --------------------------
(***************************************************************************)
(* How many tasks get the lock before one that queued earlier, under a     *)
(* budget: RwsemBudget, and beside it the counts of Overtaking.            *)
(*                                                                         *)
(* R readers, W writers, and a budget of k.  A waiter has at most W grants *)
(* before its own, and is passed at most k times for each of these and for *)
(* its own.  A writer is overtaken besides by the readers that join a      *)
(* batch ahead of it, as without a budget.  So a reader is overtaken by at *)
(* most k*(W+1), a writer by at most R-1 + k*(W+1), and either by at most  *)
(* k*W writers.                                                            *)
(***************************************************************************)
EXTENDS RwsemBudget, TLC

CONSTANTS
    Watch,      \* tasks whose overtakers are counted
    ByReaders,  \* bound: how many readers may overtake a watched task ...
    ByWriters   \* ... and how many writers; in all so many as the larger of both

VARIABLES
    older,      \* as in Overtaking
    overtaken

Counts == INSTANCE Overtaking WITH
    Policy <- BatchQueue, expired <- FALSE, handoff <- FALSE

Count ==
    /\ Next
    /\ older' = [w \in Watch |-> Counts!OlderNext(w)]
    /\ overtaken' = [w \in Watch |-> Counts!OvertakenNext(w)]

CountSpec ==
    /\ Init
    /\ older = [w \in Watch |-> {}]
    /\ overtaken = [w \in Watch |-> Counts!Nothing]
    /\ [][Count]_<<vars, older, overtaken>>

\* Tasks that no constant tells apart may be exchanged.
Symmetry ==
    Permutations(Readers \ Watch) \cup Permutations(Downgraders \ Watch)
        \cup Permutations((Writers \ Downgraders) \ Watch)

-----------------------------------------------------------------------------
BoundedOvertaking == Counts!BoundedOvertaking
BoundedInAll ==
    \A w \in Watch :
        LET all == overtaken[w].R + overtaken[w].W
        IN all <= ByReaders \/ all <= ByWriters

\* Probe: somebody queues later than a watched waiter.
NobodyComesLater ==
    \A w \in Watch : pc[w] = "wait" => Lock!Range(queue) \ {w} \subseteq older[w]
=============================================================================
