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
(* A holder may narrow what it holds: part its range in two, shrink it,    *)
(* release a part, go on for reading.  The parts are in the tree in its    *)
(* place, and who waited for the range waits for each that conflicts.      *)
(*                                                                         *)
(* THE PRICE.  A wide range that waits holds back narrow ones that         *)
(* conflict with no holder.  RangeTreePolicies has a proposal: so many of  *)
(* them may pass each waiter.                                              *)
(*                                                                         *)
(* MODELLED.  Tasks that for ever lock a range, each always the same, and  *)
(* unlock it; some may give up their wait, some narrow what they hold,     *)
(* each always so.                                                         *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  tree->lock makes each of these one step, the     *)
(* wake-up with it.                                                        *)
(*                                                                         *)
(* OUT OF SCOPE.  The tree's shape; a trylock that fails, which is no step.*)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, RangeTreePolicies

CONSTANTS
    Asks,       \* task -> its range: [first, last, write, then], where `then` is
                \* what it narrows it to, one after the other: sets of ranges
    Mortal,     \* tasks that may give up their wait
    Policy      \* the design: one of the records of module RangeTreePolicies

Task == DOMAIN Asks

\* Parts lie in what is held before, do not overlap, and are not for writing if that is not.
\* @type: ({ first: Int, last: Int, write: Bool }, { first: Int, last: Int, write: Bool }) => Bool;
Lies(r, s) == s.first <= r.first /\ r.first <= r.last /\ r.last <= s.last /\ (r.write => s.write)
Ask(t)     == [first |-> Asks[t].first, last |-> Asks[t].last, write |-> Asks[t].write]
\* @type: Str => Seq(Set({ first: Int, last: Int, write: Bool }));
Stages(t)  == <<{Ask(t)}>> \o Asks[t].then
ASSUME \A t \in Task : \A i \in 1..Len(Asks[t].then) :
    /\ Stages(t)[i + 1] # {}
    /\ \A r \in Stages(t)[i + 1] : \E s \in Stages(t)[i] : Lies(r, s)
    /\ \A r, s \in Stages(t)[i + 1] : r = s \/ r.last < s.first \/ s.last < r.first

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    tree,       \* the ranges in the tree, by sequence number: a sequence of tasks
    blocking,   \* blocking_ranges: how many ranges each one waits for
    passed,     \* by how many each waiter has been passed
    narrowed    \* how often each holder has narrowed what it holds

vars == <<pc, tree, blocking, passed, narrowed>>

\* Of ranges, and of tasks by the ranges that they have.
Has(t)          == Stages(t)[narrowed[t] + 1]
\* @type: ({ first: Int, last: Int, write: Bool }, { first: Int, last: Int, write: Bool }) => Bool;
Overlap(r, s)   == r.first <= s.last /\ s.first <= r.last
\* @type: ({ first: Int, last: Int, write: Bool }, { first: Int, last: Int, write: Bool }) => Bool;
Clash(r, s)     == Overlap(r, s) /\ (r.write \/ s.write)
Conflict(t, u)  == t # u /\ \E r \in Has(t), s \in Has(u) : Clash(r, s)

\* @type: Seq(a) => Set(a);
Range(s)        == {s[i] : i \in DOMAIN s}
Without(s, t)   == SelectSeq(s, LAMBDA u : u # t)
IsBefore(t, u)  == \E i, j \in DOMAIN tree : i < j /\ tree[i] = t /\ tree[j] = u
Conflicting(t)  == {u \in Range(tree) : Conflict(t, u)}
Waits(t)        == pc[t] = "wait"
Holds(t)        == pc[t] = "hold"

\* How many of these ranges, and of those of these tasks, t's own conflicts with.
Among(t, ranges) == Cardinality({r \in ranges : Clash(Ask(t), r)})
Counts(t, S)     == Cardinality({x \in UNION {{u} \X Has(u) : u \in S} : Clash(Ask(t), x[2])})

TypeOK ==
    /\ pc \in [Task -> {"idle", "wait", "hold"}]
    /\ Range(tree) = {t \in Task : pc[t] # "idle"}
    /\ Len(tree) = Cardinality(Range(tree))
    /\ blocking \in [Task -> Nat]
    /\ passed \in [Task -> Nat]
    /\ \A t \in Task : narrowed[t] \in 0..(IF Holds(t) THEN Len(Asks[t].then) ELSE 0)

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ tree = <<>>
    /\ blocking = [t \in Task |-> 0]
    /\ passed = [t \in Task |-> 0]
    /\ narrowed = [t \in Task |-> 0]

-----------------------------------------------------------------------------
(* The steps of a task.                                                    *)

\* range_lock, where nothing in the tree conflicts.
Lock(t) ==
    /\ pc[t] = "idle"
    /\ Conflicting(t) = {}
    /\ pc' = [pc EXCEPT ![t] = "hold"]
    /\ tree' = Append(tree, t)
    /\ UNCHANGED <<blocking, passed, narrowed>>

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
    /\ UNCHANGED narrowed

\* range_lock, where something does.
Wait(t) ==
    /\ pc[t] = "idle"
    /\ Conflicting(t) # {}
    /\ ~MayPass(t)
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ tree' = Append(tree, t)
    /\ blocking' = [blocking EXCEPT ![t] = Counts(t, Conflicting(t))]
    /\ UNCHANGED <<passed, narrowed>>

Larger(i, j) == IF i < j THEN j ELSE i

\* How many u waits for in the place of those of `gone`: of those of `new`.
Kept(u, gone, new) ==
    CASE new = {}                    -> 0
      [] Policy.keeps = "parts"      -> Among(u, new)
      [] Policy.keeps = "range"      -> IF Among(u, new) = 0 THEN 0 ELSE 1
      [] Policy.keeps = "all"        -> Larger(Among(u, new), Among(u, gone))
      [] Policy.keeps = "nothing"    -> 0

\* u's account, where t has `parts` in the place of what it has; those of S whose account is
\* empty then, and who hold their ranges.
Account(u, t, parts) ==
    LET gone == Has(t) \ parts
    IN  blocking[u] + Kept(u, gone, parts \ Has(t)) - Among(u, gone)
Ready(S, t, parts)   == {u \in S : Account(u, t, parts) = 0}

\* t has `parts` in the tree in the place of what it has; if there are none, it leaves.  The
\* waiters of S have counted it.
Replace(t, S, parts) ==
    LET ready == Ready(S, t, parts)
        does(u) == IF u = t /\ parts = {} THEN "idle" ELSE IF u \in ready THEN "hold" ELSE pc[u]
    IN  /\ tree' = IF parts = {} THEN Without(tree, t) ELSE tree
        /\ blocking' = [u \in Task |->
                IF u = t THEN 0 ELSE IF u \in S THEN Account(u, t, parts) ELSE blocking[u]]
        /\ pc' = [u \in Task |-> does(u)]
        /\ passed' = [u \in Task |-> IF u = t \/ u \in ready THEN 0 ELSE passed[u]]

Leave(t, S) ==
    /\ Replace(t, S, {})
    /\ narrowed' = [narrowed EXCEPT ![t] = 0]

\* range_unlock.  Whatever conflicts waits for t, whether it came later or was passed.
\* Of several parts each is released for itself: all but the last by Narrow.
Unlock(t) ==
    /\ Holds(t)
    /\ Cardinality(Has(t)) = 1
    /\ Leave(t, Conflicting(t))

\* split, shrink, downgrade, or the release of a part: the next that t narrows its range to.
Narrow(t) ==
    /\ Holds(t)
    /\ narrowed[t] < Len(Asks[t].then)
    /\ Replace(t, Conflicting(t), Asks[t].then[narrowed[t] + 1])
    /\ narrowed' = [narrowed EXCEPT ![t] = @ + 1]

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
        \/ Narrow(t)
        \/ Interrupt(t)

Spec == Init /\ [][Next]_vars

\* Who holds a range unlocks it, after it has narrowed it or before.
FairSpec == Spec /\ \A t \in Task : WF_vars(Unlock(t) \/ Narrow(t))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* No cell that one writes is held by another.
\* @type: { first: Int, last: Int, write: Bool } => Set(Int);
Cells(r) == r.first .. r.last
Exclusion ==
    \A t, u \in Task :
        t # u /\ Holds(t) /\ Holds(u) =>
            \A r \in Has(t), s \in Has(u) : r.write => Cells(r) \cap Cells(s) = {}

\* What a range has counted is what it has to wait for: what was there before it,
\* and has not left, and what has passed it.
CountsRight ==
    \A t \in Task :
        Waits(t) =>
            blocking[t] = Counts(t, {u \in Conflicting(t) : IsBefore(u, t) \/ Holds(u)})

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
