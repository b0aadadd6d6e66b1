----------------------------- MODULE RangeList -----------------------------
(***************************************************************************)
(* A range lock without a lock: a list of ranges sorted by their first     *)
(* cells, changed by compare-and-swap alone.  Kogan, Dice and Issa,        *)
(* "Scalable Range Locks for Scalable Address Spaces and Beyond" (EuroSys  *)
(* 2020, arXiv 2006.12144); FreeBSD has it since 15                        *)
(* (sys/kern/kern_rangelock.c), with sleepers.                             *)
(*                                                                         *)
(*   lock(e):    walk from the head; unlink the nodes that are marked;     *)
(*               pass those before e; at one that conflicts, wait;         *)
(*               at one behind e, insert e before it by a CAS;             *)
(*               reader: walk on from e as far as it reaches; at a writer, *)
(*                   wait for its mark                                     *)
(*               writer: walk from the head to e; at one that overlaps,    *)
(*                   mark e, and begin again                               *)
(*   unlock(e):  mark e                                                    *)
(*                                                                         *)
(* WHY VALIDATE.  Readers may overlap, so a list that is sorted by first   *)
(* cells does not bring all that conflict beside each other.  A long       *)
(* reader is inserted before a short one while a writer that the long one  *)
(* reaches is inserted behind it: each has found its place free.  The two  *)
(* treat what they find unlike: if both waited they would wait for each    *)
(* other, if both retreated they might do so for ever.                     *)
(*                                                                         *)
(* FREEBSD.  Both sides retreat, but they read the other's mark once more  *)
(* under the sleepers' lock, under which all marks are set: who retreats   *)
(* second finds the first one's mark, and goes on.                         *)
(*                                                                         *)
(* MODELLED.  Tasks that for ever lock a range, each always the same, and  *)
(* unlock it.  Each has Slots nodes, and takes one again that nobody can   *)
(* reach, which is what epochs are for.  A step reads or writes one next   *)
(* field.  The mark is a bit of that field, so that a marked node's next   *)
(* never changes; to pass a node reads it twice, and is one step, since    *)
(* the second read gives at worst what it gave just before the mark.       *)
(* Who waits by spinning has no step until the mark is there.              *)
(*                                                                         *)
(* THE AUXILIARY LOCK is fair: who has lost its patience, by a CAS that    *)
(* failed or a retreat, queues for it, and nobody begins a try while       *)
(* somebody has it or waits for it.  Tries under way go on.                *)
(*                                                                         *)
(* OUT OF SCOPE.  trylock, FreeBSD's "cheating" mode (one word for the     *)
(* whole file until two requests conflict), weak memory.                   *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, RangeListPolicies

CONSTANTS
    Asks,       \* task -> its range: [first, last, write]
    Slots,      \* how many nodes each task has
    Policy      \* the design: one of the records of module RangeListPolicies

Task == DOMAIN Asks
Node == Task \X (1 .. Slots)
ListHead == <<"head", 0>>
Nil  == <<"nil", 0>>

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    slot,       \* which of its nodes it uses
    prev,       \* the node that its walk has passed last
    cur,        \* the node that it looks at
    next,       \* the list: the node behind each, and behind the head
    marked,     \* the nodes that are marked: released
    tries,      \* how often each has lost since it began to ask
    aux         \* who has the auxiliary lock, and who waits for it: a sequence

list  == <<next, marked>>
turns == <<tries, aux>>
vars  == <<pc, slot, prev, cur, next, marked, tries, aux>>

Own(t)       == <<t, slot[t]>>
Ask(n)       == Asks[n[1]]
Reads(n)     == ~Ask(n).write
Overlap(t, u) == Asks[t].first <= Asks[u].last /\ Asks[u].first <= Asks[t].last
Conflict(t, u) == t # u /\ Overlap(t, u) /\ (Asks[t].write \/ Asks[u].write)

Holds(t)     == pc[t] = "hold"
Wants(t)     == pc[t] \notin {"idle", "hold"}
Walks(t)     == pc[t] \in {"insert", "validate"}

\* The nodes that can be reached from n, itself included.
RECURSIVE From(_)
From(n) == IF n = Nil THEN {} ELSE {n} \cup From(next[n])

TypeOK ==
    /\ pc \in [Task -> {"idle", "insert", "validate", "met", "met inside", "sleep", "again", "hold"}]
    /\ slot \in [Task -> 1 .. Slots]
    /\ prev \in [Task -> Node \cup {ListHead}]
    /\ cur \in [Task -> Node \cup {Nil}]
    /\ next \in [Node \cup {ListHead} -> Node \cup {Nil}]
    /\ marked \subseteq Node
    /\ tries \in [Task -> 0 .. Policy.patience]
    /\ Cardinality({aux[i] : i \in DOMAIN aux}) = Len(aux)

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ slot = [t \in Task |-> 1]
    /\ prev = [t \in Task |-> ListHead]
    /\ cur = [t \in Task |-> Nil]
    /\ next = [n \in Node \cup {ListHead} |-> Nil]
    /\ marked = {}
    /\ tries = [t \in Task |-> 0]
    /\ aux = <<>>

-----------------------------------------------------------------------------
(* What a walk finds.                                                      *)

\* Where the node n is to t: "before" it, "behind" it, or in conflict.
Ends(n, t) == Asks[t].first > Ask(n).last
Where(n, t) ==
    LET share == Reads(n) /\ ~Asks[t].write
    IN  CASE n = Nil                                          -> "behind"
          [] n # Nil /\ Ends(n, t)                            -> "before"
          [] n # Nil /\ share /\ Asks[t].first >= Ask(n).first -> "before"
          [] n # Nil /\ Ask(n).first > Asks[t].last           -> "behind"
          [] n # Nil /\ share                                 -> "behind"
          [] OTHER                                            -> "conflict"

\* The same to one that validates.
WhereInside(n, t) ==
    IF Asks[t].write
    THEN CASE n = Own(t)          -> "behind"
           [] n # Own(t) /\ Ends(n, t) -> "before"
           [] OTHER               -> "conflict"
    ELSE CASE n = Nil                                    -> "behind"
           [] n # Nil /\ Ask(n).first > Asks[t].last     -> "behind"
           [] n # Nil /\ Reads(n)                        -> "before"
           [] OTHER                                      -> "conflict"

Finds(t) == IF pc[t] = "insert" THEN Where(cur[t], t) ELSE WhereInside(cur[t], t)
OnConflict(t) == IF Asks[t].write THEN Policy.writer ELSE Policy.reader
Validates(t) == (IF Asks[t].write THEN "writer" ELSE "reader") \in Policy.validates

\* A compare-and-swap of p's next is done only if that is q, and p is not marked.
CanSwap(p, q) == next[p] = q /\ p \notin marked

-----------------------------------------------------------------------------
(* The steps of a task.                                                    *)

\* The nodes of t that nobody can reach.
Reached == From(next[ListHead]) \cup
    UNION {From(prev[u]) \cup From(cur[u]) : u \in {v \in Task : Walks(v) \/ pc[v] \in {"met", "met inside"}}}
Free(t) == {s \in 1 .. Slots : <<t, s>> \notin Reached}

MayBegin(t) == aux # <<>> => aux[1] = t

\* A try: with a node of its own, from the head.
Begin(t) ==
    /\ MayBegin(t)
    /\ \E s \in Free(t) :
        /\ \A r \in Free(t) : s <= r
        /\ slot' = [slot EXCEPT ![t] = s]
        /\ next' = [next EXCEPT ![<<t, s>>] = Nil]
        /\ marked' = marked \ {<<t, s>>}
    /\ pc' = [pc EXCEPT ![t] = "insert"]
    /\ prev' = [prev EXCEPT ![t] = ListHead]
    /\ cur' = [cur EXCEPT ![t] = next[ListHead]]
    /\ UNCHANGED turns

Lock(t)  == pc[t] = "idle" /\ Begin(t)
Retry(t) == pc[t] = "again" /\ Begin(t)

\* The walk begins once more: at the head, or, of a reader that validates, at its node.
Restart(t) ==
    LET p == IF pc[t] = "validate" /\ ~Asks[t].write THEN Own(t) ELSE ListHead
    IN  /\ prev' = [prev EXCEPT ![t] = p]
        /\ cur' = [cur EXCEPT ![t] = next[p]]
        /\ UNCHANGED list

\* t has lost once more, and perhaps its patience.
Lose(t) ==
    IF Policy.patience = Never \/ tries[t] = Policy.patience
    THEN UNCHANGED turns
    ELSE /\ tries' = [tries EXCEPT ![t] = tries[t] + 1]
         /\ aux' = IF tries[t] + 1 = Policy.patience THEN Append(aux, t) ELSE aux

\* A marked node is unlinked, if nobody was faster.
Unlink(t) ==
    /\ Walks(t)
    /\ cur[t] \in marked
    /\ IF CanSwap(prev[t], cur[t])
       THEN /\ next' = [next EXCEPT ![prev[t]] = next[cur[t]]]
            /\ cur' = [cur EXCEPT ![t] = next[cur[t]]]
            /\ UNCHANGED <<prev, marked, tries, aux>>
       ELSE Restart(t) /\ Lose(t)
    /\ UNCHANGED <<pc, slot>>

\* A node that is before t, or shares with it, is passed.
Pass(t) ==
    /\ Walks(t)
    /\ cur[t] \notin marked
    /\ Finds(t) = "before"
    /\ prev' = [prev EXCEPT ![t] = cur[t]]
    /\ cur' = [cur EXCEPT ![t] = next[cur[t]]]
    /\ UNCHANGED <<pc, slot, next, marked, tries, aux>>

\* The walk of t is over.
EndWalk(t) ==
    /\ prev' = [prev EXCEPT ![t] = ListHead]
    /\ cur' = [cur EXCEPT ![t] = Nil]

\* Who holds its range gives the auxiliary lock back.
Enter(t) ==
    /\ pc' = [pc EXCEPT ![t] = "hold"]
    /\ EndWalk(t)
    /\ tries' = [tries EXCEPT ![t] = 0]
    /\ aux' = SelectSeq(aux, LAMBDA u : u # t)

\* t is inserted before cur, which may have been marked since it was read.
Insert(t) ==
    /\ pc[t] = "insert"
    /\ Finds(t) = "behind"
    /\ IF CanSwap(prev[t], cur[t])
       THEN /\ next' = [next EXCEPT ![prev[t]] = Own(t), ![Own(t)] = cur[t]]
            /\ UNCHANGED <<slot, marked>>
            /\ IF Validates(t)
               THEN /\ pc' = [pc EXCEPT ![t] = "validate"]
                    /\ IF Asks[t].write
                       THEN /\ prev' = [prev EXCEPT ![t] = ListHead]
                            /\ cur' = [cur EXCEPT ![t] = IF prev[t] = ListHead THEN Own(t) ELSE next[ListHead]]
                       ELSE /\ prev' = [prev EXCEPT ![t] = Own(t)]
                            /\ UNCHANGED cur
                    /\ UNCHANGED turns
               ELSE Enter(t)
       ELSE /\ IF prev[t] \in marked
               THEN Restart(t)
               ELSE /\ cur' = [cur EXCEPT ![t] = next[prev[t]]]
                    /\ UNCHANGED <<prev, next, marked>>
            /\ Lose(t)
            /\ UNCHANGED <<pc, slot>>

\* No conflict as far as t has to look: it holds its range.
Validated(t) ==
    /\ pc[t] = "validate"
    /\ Finds(t) = "behind"
    /\ Enter(t)
    /\ UNCHANGED <<slot, next, marked>>

\* Does it matter to t that cur may be marked after it was looked at?  Who spins does
\* not act on what it has read.
ActsOnConflict(t) == IF pc[t] = "insert" THEN Policy.sleeps ELSE OnConflict(t) = "retreat"

\* t has read that cur is not marked, and has not acted on it yet.
Meet(t) ==
    /\ ~Policy.rechecks
    /\ Walks(t)
    /\ cur[t] \notin marked
    /\ Finds(t) = "conflict"
    /\ ActsOnConflict(t)
    /\ pc' = [pc EXCEPT ![t] = IF pc[t] = "insert" THEN "met" ELSE "met inside"]
    /\ UNCHANGED <<slot, prev, cur, next, marked, tries, aux>>

\* t acts on it: at once, if it has read the mark under the sleepers' lock.
ActsOn(t, state, met) ==
    \/ /\ pc[t] = state
       /\ Policy.rechecks
       /\ cur[t] \notin marked
       /\ Finds(t) = "conflict"
    \/ pc[t] = met

\* Not in the list yet: it sleeps, and comes again.
Sleep(t) ==
    /\ Policy.sleeps
    /\ ActsOn(t, "insert", "met")
    /\ pc' = [pc EXCEPT ![t] = "sleep"]
    /\ EndWalk(t)
    /\ UNCHANGED <<slot, next, marked, tries, aux>>

\* The mark of t's node, and all sleepers are woken.
Mark(t, state) ==
    /\ marked' = marked \cup {Own(t)}
    /\ pc' = [u \in Task |-> IF u = t THEN state ELSE IF pc[u] = "sleep" THEN "again" ELSE pc[u]]
    /\ EndWalk(t)
    /\ UNCHANGED <<slot, next>>

\* In the list: it marks its own node, and comes again.
Retreat(t) ==
    /\ OnConflict(t) = "retreat"
    /\ ActsOn(t, "validate", "met inside")
    /\ Mark(t, IF Policy.sleeps THEN "sleep" ELSE "again")
    /\ Lose(t)

Unlock(t) ==
    /\ Holds(t)
    /\ Mark(t, "idle")
    /\ UNCHANGED turns

Step(t) ==
    \/ Retry(t) \/ Unlink(t) \/ Pass(t) \/ Insert(t) \/ Validated(t)
    \/ Meet(t) \/ Sleep(t) \/ Retreat(t) \/ Unlock(t)

Next ==
    \E t \in Task :
        \/ Lock(t)
        \/ Retry(t)
        \/ Unlink(t)
        \/ Pass(t)
        \/ Insert(t)
        \/ Validated(t)
        \/ Meet(t)
        \/ Sleep(t)
        \/ Retreat(t)
        \/ Unlock(t)

Spec == Init /\ [][Next]_vars

\* Each task goes on, but need not begin.
FairSpec == Spec /\ \A t \in Task : WF_vars(Step(t))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* No cell that one writes is held by another.
Cells(t) == Asks[t].first .. Asks[t].last
Exclusion ==
    \A t, u \in Task :
        t # u /\ Holds(t) /\ Holds(u) /\ Asks[t].write => Cells(t) \cap Cells(u) = {}

\* What is held is in the list, where others find it.
HeldIsListed == \A t \in Task : Holds(t) => Own(t) \in From(ListHead) \ marked

\* Who waits, waits for one that it conflicts with.
OnlyConflicts ==
    \A t \in Task :
        pc[t] = "insert" /\ cur[t] # Nil /\ Finds(t) = "conflict" =>
            cur[t] \in marked \/ Conflict(t, cur[t][1])

-----------------------------------------------------------------------------
(* Progress.                                                               *)

\* While somebody wants a range, one is held again and again.
SomeoneGetsIn == (\E t \in Task : Wants(t)) ~> (\E t \in Task : Holds(t))

\* Every range that is asked for is held.
EachGetsIn == \A t \in Task : Wants(t) ~> Holds(t)
=============================================================================
