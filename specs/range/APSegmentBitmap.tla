-------------------------- MODULE APSegmentBitmap --------------------------
(***************************************************************************)
(* SegmentBitmap for Apalache: exclusion for any number of tasks, over any *)
(* cells, by an inductive invariant.                                       *)
(*                                                                         *)
(* SHOWN.  Exclusion, in any order of the bits, with a hand-off and        *)
(* without.  Left open, for the solver to choose: the first and the last   *)
(* cell of each range, any integers; who extends the file; and the design. *)
(* Segments are of one cell or of two, as they are there.                  *)
(*                                                                         *)
(* WHY THREE TASKS ARE ENOUGH, AND ONE CELL.  Watch three tasks and a      *)
(* cell, and forget all others, and the bits of other segments.  No guard  *)
(* asks that somebody be there, so that of what is left a step is one of   *)
(* SegmentBitmap, or none (SegmentsSeen).  A conjunct speaks of two tasks; *)
(* with the one that takes the step they are three.                        *)
(*                                                                         *)
(* ASSUMED.  That this is so: it is read off the actions, and TLC checks   *)
(* it of four tasks, any three of them watched, and each cell.             *)
(*                                                                         *)
(* WHY IT IS INDUCTIVE.  Who holds the cell is the first of the queue of   *)
(* its segment's bit (Covered), and there is one first.  Which segment it  *)
(* is changes only while nobody else is inside (ExtendsAlone).             *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Apalache

CONSTANTS
    \* @type: Str -> { first: Int, last: Int, write: Bool };
    Asks,
    \* @type: Set(Str);
    Extends,
    \* @type: { order: Str, handoff: Bool, rescales: Str };
    Policy,
    \* @type: Int;
    Cell            \* the one that is watched

VARIABLES
    \* @type: Str -> Str;
    pc,
    \* @type: Seq(Str);
    queue,
    \* @type: Int;
    size,
    \* @type: Str -> Set(Int);
    needs,
    \* @type: Int -> Seq(Str);
    bits

INSTANCE SegmentBitmap

\* What is seen: three tasks, and of their ranges one cell, which is in either segment.
OVERRIDE_Task     == {"a", "b", "c"}
OVERRIDE_Cells(t) == {c \in {Cell} : Asks[t].first <= c /\ c <= Asks[t].last}
OVERRIDE_Segment  == {Cell - 1, (Cell - 1) \div 2}

-----------------------------------------------------------------------------
(* What is left open.                                                      *)

AnyRanges ==
    /\ \E first \in [Task -> Int], last \in [Task -> Int], write \in [Task -> BOOLEAN] :
        Asks = [t \in Task |-> [first |-> first[t], last |-> last[t], write |-> write[t]]]
    /\ Extends \in SUBSET Task
    /\ Cell \in Int /\ Cell >= 1      \* as its cells are

AnyOrder == AnyRanges /\ Policy \in {SegmentBits, SegmentHandoff, BitsUnordered}

\* For the controls: a cell that is in one segment, whatever its size, is left open too.
NotTheFirst == Cell > 1
UnderShared == AnyRanges /\ Policy = RescaleUnderShared

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

TypeAssign ==
    /\ pc \in [Task -> {"idle", "wait", "rescale", "bits", "hold"}]
    /\ queue = Gen(3)
    /\ size \in Int
    /\ needs \in [Task -> SUBSET Segment]
    /\ bits = Gen(3)

\* The same, to be kept by each step.
InTypes ==
    /\ \A t \in Task : /\ pc[t] \in {"idle", "wait", "rescale", "bits", "hold"}
                       /\ needs[t] \subseteq Segment
    /\ size \in {1, 2}
    /\ DOMAIN bits = Segment
    /\ Len(queue) <= 3
    /\ \A s \in Segment : Len(bits[s]) <= 3

\* Who is in i_rwsem's queue waits for it, and is there once.
QueueIsWaiters ==
    /\ \A i \in DOMAIN queue : queue[i] \in Task /\ pc[queue[i]] = "wait"
    /\ \A i, j \in DOMAIN queue : queue[i] = queue[j] => i = j

\* Who extends the file is alone.
ExtendsAlone ==
    \A t, u \in Task : t # u /\ Inside(t) /\ Inside(u) => Mode(t) = "shared"

\* Only who extends the file changes the segments' size.
RescalesWhoExtends == \A t \in Task : pc[t] = "rescale" => t \in Extends

\* Who is in the queue of a bit is there once, and needs it no more.
QueuedForItsOwn ==
    \A s \in Segment : \A i \in DOMAIN bits[s] :
        /\ bits[s][i] \in Task
        /\ pc[bits[s][i]] \in {"bits", "hold"}
        /\ s \notin needs[bits[s][i]]
        /\ \A j \in DOMAIN bits[s] : bits[s][i] = bits[s][j] => i = j

\* Each bit of the range is needed still, or asked for, and had by who holds the range.
Covered ==
    \A t \in Task :
        /\ pc[t] \in {"bits", "hold"} => Segments(t) \subseteq needs[t] \cup Queues(t)
        /\ pc[t] = "hold" => Queues(t) \subseteq Has(t)
        /\ needs[t] # {} => pc[t] = "bits"

IndInv ==
    /\ InTypes
    /\ QueueIsWaiters
    /\ ExtendsAlone
    /\ RescalesWhoExtends
    /\ QueuedForItsOwn
    /\ Covered

IndInit == TypeAssign /\ IndInv

\* Too weak: the size may change under whoever has a bit.
WeakInv ==
    /\ InTypes
    /\ QueueIsWaiters
    /\ RescalesWhoExtends
    /\ QueuedForItsOwn
    /\ Covered

WeakInit == TypeAssign /\ WeakInv
=============================================================================
