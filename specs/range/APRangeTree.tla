---------------------------- MODULE APRangeTree ----------------------------
(***************************************************************************)
(* RangeTree for Apalache: exclusion for any number of ranges, over any    *)
(* cells, by an inductive invariant.                                       *)
(*                                                                         *)
(* SHOWN.  Exclusion; CountsRight (AllCounted); first come, first served   *)
(* if nobody may pass, and if k may, that no waiter is overtaken more than *)
(* k times (PassedAtMost, PassedWhoGoes).  Left open, for the solver to    *)
(* choose: the first and the last cell of each range, any integers; who    *)
(* writes; who may give up; and k.                                         *)
(*                                                                         *)
(* WHY THREE RANGES ARE ENOUGH.  Let the invariant hold of N ranges, and   *)
(* one take a step.  A conjunct speaks of two of them; watch these and the *)
(* one that takes the step, three at most.  What the step does to them     *)
(* depends on the rest in two ways.  Who comes may have to wait for some   *)
(* of the rest, and counts those, any number (WaitAmong).  Who leaves      *)
(* wakes those that have counted nobody else, and that is what their       *)
(* counters say.  So each such step is one of WatchedRanges, whatever N    *)
(* is.                                                                     *)
(*                                                                         *)
(* AllCounted alone speaks of all N.  For each waiter that is watched,     *)
(* others is how many of the rest it waits for, and no other range's step  *)
(* changes it: for whom somebody waits changes only in the range that      *)
(* comes or goes.  That is checked of any three, so of a waiter, who takes *)
(* the step and each of the rest (OthersAreStill).                         *)
(*                                                                         *)
(* ASSUMED.  That each step of RangeTree is, for those who are watched,    *)
(* one of WatchedRanges.  That is read off the actions; TLC checks it of   *)
(* four ranges and of five, any three of them watched                      *)
(* (TreeRefinesWatched).                                                   *)
(*                                                                         *)
(* WHY IT IS INDUCTIVE.  Two that conflict and are both in the tree, and   *)
(* do not both hold, are on one's account: the later one's, or that of who *)
(* was passed.  So two cannot be woken at once, nor one beside a holder.   *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Apalache

CONSTANTS
    \* @type: Str -> { first: Int, last: Int, write: Bool, then: Seq(Set({ first: Int, last: Int, write: Bool })) };
    Asks,
    \* @type: Set(Str);
    Mortal,
    \* @type: { leaves: Str, keeps: Str, passes: Int };
    Policy,
    \* @type: Int;
    Cell            \* any cell

VARIABLES
    \* @type: Str -> Str;
    pc,
    \* @type: Seq(Str);
    tree,
    \* @type: Str -> Int;
    blocking,
    \* @type: Str -> Int;
    passed,
    \* @type: Str -> Int;
    narrowed,
    \* @type: Str -> Int;
    others

INSTANCE WatchedRanges

\* Those who are watched.  Apalache wants to see that the set does not change.
OVERRIDE_Task == {"a", "b", "c"}

\* What Exclusion sees of a range: whether it has the cell that is left open.
\* @type: { first: Int, last: Int, write: Bool } => Set(Int);
OVERRIDE_Cells(r) == {c \in {Cell} : r.first <= c /\ c <= r.last}

\* Nobody narrows its range here.
OVERRIDE_Has(t) == {Ask(t)}
OVERRIDE_Conflict(t, u) == t # u /\ Clash(Ask(t), Ask(u))
\* @type: Seq(Set({ first: Int, last: Int, write: Bool }));
Nothing == <<>>

-----------------------------------------------------------------------------
(* What is left open.                                                      *)

AnyRanges ==
    /\ \E first \in [Task -> Int], last \in [Task -> Int], write \in [Task -> BOOLEAN] :
        /\ \A t \in Task : first[t] <= last[t]
        /\ Asks = [t \in Task |->
                [first |-> first[t], last |-> last[t], write |-> write[t], then |-> Nothing]]
    /\ Mortal \in SUBSET Task
    /\ Cell \in Int

\* So many as you like may pass a waiter, or nobody.
AnyPasses == AnyRanges /\ \E k \in Nat : Policy = [TreeFifo EXCEPT !.passes = k]

\* For the controls: ranges of one cell are left open too.
OfManyCells == \A t \in Task : Asks[t].first < Asks[t].last
NoPasses == AnyRanges /\ Policy = TreeFifo
NoSeq    == AnyRanges /\ Policy = InterruptNoSeq

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

TypeAssign ==
    /\ pc \in [Task -> {"idle", "wait", "hold"}]
    /\ tree = Gen(3)
    /\ blocking \in [Task -> Nat]
    /\ passed \in [Task -> Nat]
    /\ narrowed = [t \in Task |-> 0]
    /\ others \in [Task -> Nat]

\* The same, to be kept by each step.
InTypes ==
    /\ \A t \in Task : /\ pc[t] \in {"idle", "wait", "hold"}
                       /\ blocking[t] >= 0
                       /\ passed[t] >= 0
                       /\ narrowed[t] = 0
                       /\ others[t] >= 0
    /\ Len(tree) <= 3

\* Who is not idle is in the tree, once.
InTreeOnce ==
    /\ \A i \in DOMAIN tree : tree[i] \in Task /\ pc[tree[i]] # "idle"
    /\ \A t \in Task : pc[t] # "idle" => t \in Range(tree)
    /\ \A i, j \in DOMAIN tree : tree[i] = tree[j] => i = j

HoldersApart == \A t, u \in Task : Holds(t) /\ Holds(u) => ~Conflict(t, u)

\* Who waits waits for somebody.
WaitsForSomebody == \A t \in Task : Waits(t) => blocking[t] > 0

\* The bound on overtaking, with PassedWhoGoes.
PassedAtMost == \A t \in Task : passed[t] <= Policy.passes

IndInv ==
    /\ InTypes
    /\ InTreeOnce
    /\ HoldersApart
    /\ AllCounted
    /\ WaitsForSomebody
    /\ PassedAtMost

IndInit == TypeAssign /\ IndInv

\* Too weak: nobody knows whom a counter counts.
WeakInv ==
    /\ InTypes
    /\ InTreeOnce
    /\ HoldersApart
    /\ WaitsForSomebody
    /\ PassedAtMost

WeakInit == TypeAssign /\ WeakInv

-----------------------------------------------------------------------------
(* What is said of steps.                                                  *)

\* For whom a waiter waits changes only in who comes or goes; and who comes to
\* wait waits for all that it conflicts with.
OthersAreStill ==
    \A t, u \in Task :
        /\ Waits(t) /\ pc'[t] = "wait" /\ (pc[u] = "idle") = (pc'[u] = "idle") =>
              WaitsFor(t, u) = WaitsFor(t, u)'
        /\ pc[t] = "idle" /\ pc'[t] = "wait" => WaitsFor(t, u)' = (u \in Conflicting(t))

\* Who overtakes a waiter is counted.
PassedWhoGoes ==
    \A t, u \in Task : GoesBeside(u, t) => IsBefore(u, t) \/ passed'[t] = passed[t] + 1

\* Fifo, of one step.
FifoStep == Policy.passes = 0 => \A t, u \in Task : GoesBeside(u, t) => IsBefore(u, t)

-----------------------------------------------------------------------------
(* Three ranges alone, of RangeTree as it is.                              *)

NoOthers  == others = [t \in Task |-> 0]
AloneInit == IndInit /\ NoOthers
Alone     == Next /\ UNCHANGED others
=============================================================================
