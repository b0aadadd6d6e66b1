----------------------------- MODULE RangeTree -----------------------------
(***************************************************************************)
(* A range lock on an interval tree, in which each range counts the ones   *)
(* that it has to wait for.  Jan Kara posted it for the kernel in 2013,    *)
(* Davidlohr Bueso from 2017 on; XFS wants such a lock in the place of     *)
(* i_rwsem ("Long read latencies on mixed rw buffered IO", 2019).          *)
(*                                                                         *)
(*   lock(r):    spin_lock(tree->lock)                                     *)
(*               r.blocking_ranges = those in the tree that conflict       *)
(*               insert r; spin_unlock; sleep until blocking_ranges is 0   *)
(*   unlock(r):  spin_lock; remove r                                       *)
(*               for each in the tree that conflicts:                      *)
(*                   if --blocking_ranges is 0, wake it                    *)
(*               spin_unlock                                               *)
(*                                                                         *)
(* Two ranges conflict if they overlap and one of them is to be written.   *)
(* A waiter that gives up leaves as unlock does, but only later ranges     *)
(* have counted it: that is what sequence numbers are for.                 *)
(*                                                                         *)
(* THE PRICE.  A wide range that waits holds back narrow ones that         *)
(* conflict with no holder.  RangeTreePolicies has a proposal: so many of  *)
(* them may pass each waiter.                                              *)
(*                                                                         *)
(* MODELLED.  Tasks that for ever lock a range, each always the same, and  *)
(* unlock it; some may give up their wait.                                 *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  tree->lock makes each of these one step, the     *)
(* wake-up with it.                                                        *)
(*                                                                         *)
(* OUT OF SCOPE.  The tree's shape, trylock, downgrade, ranges that are    *)
(* split or shrunk while they are held.                                    *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, RangeTreePolicies

CONSTANTS
    Asks,       \* task -> its range: [first, last, write]
    Mortal,     \* tasks that may give up their wait
    Policy      \* the design: one of the records of module RangeTreePolicies

Task == DOMAIN Asks

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    tree,       \* the ranges in the tree, by sequence number: a sequence of tasks
    blocking,   \* blocking_ranges: how many ranges each one waits for
    passed      \* by how many each waiter has been passed

vars == <<pc, tree, blocking, passed>>

Overlap(t, u)   == Asks[t].first <= Asks[u].last /\ Asks[u].first <= Asks[t].last
Conflict(t, u)  == t # u /\ Overlap(t, u) /\ (Asks[t].write \/ Asks[u].write)

\* @type: Seq(a) => Set(a);
Range(s)        == {s[i] : i \in DOMAIN s}
Without(s, t)   == SelectSeq(s, LAMBDA u : u # t)
IsBefore(t, u)  == \E i, j \in DOMAIN tree : i < j /\ tree[i] = t /\ tree[j] = u
Conflicting(t)  == {u \in Range(tree) : Conflict(t, u)}
Waits(t)        == pc[t] = "wait"
Holds(t)        == pc[t] = "hold"

TypeOK ==
    /\ pc \in [Task -> {"idle", "wait", "hold"}]
    /\ Range(tree) = {t \in Task : pc[t] # "idle"}
    /\ Len(tree) = Cardinality(Range(tree))
    /\ blocking \in [Task -> Nat]
    /\ passed \in [Task -> Nat]

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ tree = <<>>
    /\ blocking = [t \in Task |-> 0]
    /\ passed = [t \in Task |-> 0]

-----------------------------------------------------------------------------
(* The steps of a task.                                                    *)

\* range_lock, where nothing in the tree conflicts.
Lock(t) ==
    /\ pc[t] = "idle"
    /\ Conflicting(t) = {}
    /\ pc' = [pc EXCEPT ![t] = "hold"]
    /\ tree' = Append(tree, t)
    /\ UNCHANGED <<blocking, passed>>

\* May t go before all that it conflicts with?
MayPass(t) == \A u \in Conflicting(t) : Waits(u) /\ passed[u] < Policy.passes

\* The same past waiters, which then wait for t too.
Pass(t) ==
    /\ pc[t] = "idle"
    /\ Conflicting(t) # {}
    /\ MayPass(t)
    /\ pc' = [pc EXCEPT ![t] = "hold"]
    /\ tree' = Append(tree, t)
    /\ blocking' = [u \in Task |-> IF u \in Conflicting(t) THEN blocking[u] + 1 ELSE blocking[u]]
    /\ passed' = [u \in Task |->
            IF u \in Conflicting(t) /\ passed[u] < Policy.passes THEN passed[u] + 1 ELSE passed[u]]

\* range_lock, where something does.
Wait(t) ==
    /\ pc[t] = "idle"
    /\ Conflicting(t) # {}
    /\ ~MayPass(t)
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ tree' = Append(tree, t)
    /\ blocking' = [blocking EXCEPT ![t] = Cardinality(Conflicting(t))]
    /\ UNCHANGED passed

\* t leaves the tree, and is off the account of the ranges of S.  Whose account is
\* empty then holds its range.
Ready(S) == {u \in S : blocking[u] = 1}
Leave(t, S) ==
    /\ tree' = Without(tree, t)
    /\ blocking' = [u \in Task |->
            IF u = t THEN 0 ELSE IF u \in S THEN blocking[u] - 1 ELSE blocking[u]]
    /\ pc' = [u \in Task |-> IF u = t THEN "idle" ELSE IF u \in Ready(S) THEN "hold" ELSE pc[u]]
    /\ passed' = [u \in Task |-> IF u = t \/ u \in Ready(S) THEN 0 ELSE passed[u]]

\* range_unlock.  Whatever conflicts waits for t, whether it came later or was passed.
Unlock(t) ==
    /\ Holds(t)
    /\ Leave(t, Conflicting(t))

\* range_lock_interruptible, and a signal: later ones have counted t, unless they
\* have passed it.
Interrupt(t) ==
    /\ t \in Mortal
    /\ Waits(t)
    /\ Leave(t, CASE Policy.leaves = "later" -> {u \in Conflicting(t) : IsBefore(t, u) /\ Waits(u)}
                  [] Policy.leaves = "all"   -> {u \in Conflicting(t) : Waits(u)})

Next ==
    \E t \in Task :
        \/ Lock(t)
        \/ Pass(t)
        \/ Wait(t)
        \/ Unlock(t)
        \/ Interrupt(t)

Spec == Init /\ [][Next]_vars

\* Who holds a range unlocks it.
FairSpec == Spec /\ \A t \in Task : WF_vars(Unlock(t))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* No cell that one writes is held by another.
Cells(t) == Asks[t].first .. Asks[t].last
Exclusion ==
    \A t, u \in Task :
        t # u /\ Holds(t) /\ Holds(u) /\ Asks[t].write => Cells(t) \cap Cells(u) = {}

\* What a range has counted is what it has to wait for: what was there before it,
\* and has not left, and what has passed it.
CountsRight ==
    \A t \in Task :
        Waits(t) => blocking[t] =
            Cardinality({u \in Conflicting(t) : IsBefore(u, t) \/ Holds(u)})

\* Nobody waits for nothing.
NobodyWaitsInVain == \A t \in Task : Waits(t) => Conflicting(t) # {} /\ blocking[t] > 0

\* First come, first served, among ranges that conflict.  Who gives up is not overtaken.
GoesBeside(u, t) ==
    Waits(t) /\ pc'[t] # "idle" /\ Conflict(t, u) /\ ~Holds(u) /\ pc'[u] = "hold"
Fifo == [][\A t \in Task : \A u \in Task : GoesBeside(u, t) => IsBefore(u, t)]_vars

\* There is no convoy: who waits, waits for a holder.
NoConvoy == \A t \in Task : Waits(t) => \E u \in Conflicting(t) : Holds(u)

-----------------------------------------------------------------------------
(* Progress.                                                               *)

\* Every range that is asked for is held, or given up.
EachGetsIn == \A t \in Task : Waits(t) ~> ~Waits(t)
=============================================================================
