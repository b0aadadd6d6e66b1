--------------------------- MODULE MCRwsemBudget ----------------------------
(***************************************************************************)
(* RwsemBudget for TLC: controls, and probes.  The bounds are the sizes of *)
(* Readers and Writers, and the budget.                                    *)
(***************************************************************************)
EXTENDS RwsemBudget

\* Controls, each in the place of what it forgets.

\* In the place of Cost: nobody counts, or those of one kind do not.
NobodyCounts(t)   == 0
ReadersAreFree(t) == IF t \in Readers THEN 0 ELSE 1
WritersAreFree(t) == IF t \in Writers THEN 0 ELSE 1

\* In the place of MustWake: as long as budget is left, the lock is left to those that
\* come.
OnlyIfSpent(t) == Holders = {t} /\ queue # <<>> /\ ~roused /\ passed >= Budget

\* In the place of Called: the head counts as called, and is not.
CallsNobody == {}

\* In the place of AfterMiss: it counts as called for ever.
StaysCalled == roused

\* In the place of MayPass: some pass between a Release and its Wake.
PassesTooSoon == passed < Budget

\* Probes: each must be violated.

\* What the progress properties start from is reachable.
NeverBothContend ==
    ~((\E r \in Readers : Lock!Contends(r)) /\ (\E w \in Writers : Lock!Contends(w)))

\* Somebody passes; who is called looks in vain; the lock is handed over with a budget
\* that is spent.
NeverPasses    == [][~\E t \in Task : queue # <<>> /\ pc[t] = "idle" /\ pc'[t] = "hold"]_vars
NeverMisses    == [][~\E t \in Task : pc[t] = "try" /\ pc'[t] = "wait"]_vars
NeverHandsOver ==
    [][~\E t \in Task : passed > 0 /\ pc[t] = "wake" /\ pc'[t] = "idle" /\ queue' # queue]_vars

\* Control, in the place of MustWake: who leaves does not look whether the head has
\* been called.
AlsoIfCalled(t) == Holders = {t} /\ queue # <<>>

\* Whoever is called looks, and takes the lock or waits on.
StopsLooking == \A t \in Task : pc[t] = "try" ~> pc[t] # "try"
\* Probe: somebody is called.
NeverCalled == \A t \in Task : pc[t] # "try"
\* Control: who is called need not look.
NeverLooksSpec == Spec /\ \A t \in Task : WF_vars(pc[t] # "try" /\ Proceed(t))
=============================================================================
