--------------------------- MODULE SegmentBitmap ---------------------------
(***************************************************************************)
(* A range lock of one word: each bit stands for a segment of the file.    *)
(* Dave Chinner proposed one for XFS in "xfs: Remove i_rwsem lock in       *)
(* buffered read" (10 and 14 January 2025); it was not built.  His is for  *)
(* buffered writes, and perhaps for more; that an operation takes several  *)
(* bits, in which order, and that each extension is exclusive, is said     *)
(* here.                                                                   *)
(*                                                                         *)
(*   lock(r):    i_rwsem shared                                            *)
(*               for each segment of r, ascending: wait_on_bit_lock        *)
(*   unlock(r):  clear the bits, wake; i_rwsem                             *)
(*   extend:     i_rwsem exclusive; the segments' size may change          *)
(*                                                                         *)
(* Two ranges in one segment wait for each other without a common cell:    *)
(* that is the price.  Two of more than one segment each take their bits   *)
(* in one order, or they wait for each other for ever.                     *)
(*                                                                         *)
(* MODELLED.  Tasks that for ever lock a range, each always the same, or   *)
(* extend the file; segments of one cell or of two.                        *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  i_rwsem is fair, first come, first served: what  *)
(* it is in which kernel is the matter of specs/rwsem.                     *)
(*                                                                         *)
(* OUT OF SCOPE.  64 bits, offsets hashed to bits, which makes more such   *)
(* conflicts; bits that are shared by readers, which one bit cannot say.   *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, SegmentBitmapPolicies

CONSTANTS
    Asks,       \* task -> its range: [first, last, write]; its cells are from 1 on
    Extends,    \* the tasks that extend the file
    Policy      \* the design: one of the records of module SegmentBitmapPolicies

Task == DOMAIN Asks

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    queue,      \* who waits for i_rwsem: a sequence
    size,       \* the cells of a segment
    needs,      \* the segments that each task has still to lock
    bits        \* segment -> who has its bit, and, with a hand-off, who waits for it

vars == <<pc, queue, size, needs, bits>>

Cells(t)     == Asks[t].first .. Asks[t].last
Segment      == 0 .. 3
Segments(t)  == {(c - 1) \div size : c \in Cells(t)}
Mode(t)      == IF t \in Extends THEN Policy.rescales ELSE "shared"
Inside(t)    == pc[t] \in {"rescale", "bits", "hold"}
Holds(t)     == pc[t] = "hold"
Waits(t)     == pc[t] \in {"wait", "bits"}
Without(s, t) == SelectSeq(s, LAMBDA u : u # t)
Has(t)       == {s \in Segment : bits[s] # <<>> /\ bits[s][1] = t}
Queues(t)    == {s \in Segment : t \in {bits[s][i] : i \in DOMAIN bits[s]}}

TypeOK ==
    /\ pc \in [Task -> {"idle", "wait", "rescale", "bits", "hold"}]
    /\ {queue[i] : i \in DOMAIN queue} = {t \in Task : pc[t] = "wait"}
    /\ size \in {1, 2}
    /\ needs \in [Task -> SUBSET Segment]
    /\ \A s \in Segment : \A i \in DOMAIN bits[s] : pc[bits[s][i]] \in {"bits", "hold"}

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ queue = <<>>
    /\ size = 1
    /\ needs = [t \in Task |-> {}]
    /\ bits = [s \in Segment |-> <<>>]

-----------------------------------------------------------------------------
\* t queues for i_rwsem.
Ask(t) ==
    /\ pc[t] = "idle"
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ queue' = Append(queue, t)
    /\ UNCHANGED <<size, needs, bits>>

\* The first that waits for i_rwsem gets it.
Enter(t) ==
    /\ queue # <<>> /\ queue[1] = t
    /\ \A u \in Task : Inside(u) => Mode(t) = "shared" /\ Mode(u) = "shared"
    /\ queue' = Tail(queue)
    /\ IF t \in Extends
       THEN pc' = [pc EXCEPT ![t] = "rescale"] /\ UNCHANGED needs
       ELSE pc' = [pc EXCEPT ![t] = "bits"] /\ needs' = [needs EXCEPT ![t] = Segments(t)]
    /\ UNCHANGED <<size, bits>>

\* The file has grown, or shrunk: its segments have another size.  The bits come after.
Rescale(t) ==
    /\ pc[t] = "rescale"
    /\ size' = 3 - size
    /\ pc' = [pc EXCEPT ![t] = "bits"]
    /\ needs' = [needs EXCEPT ![t] = {(c - 1) \div size' : c \in Cells(t)}]
    /\ UNCHANGED <<queue, bits>>

\* t takes a bit, or, with a hand-off, queues for it.
May(t, s) == Policy.order = "any" \/ \A r \in needs[t] : s <= r
Bit(t) ==
    /\ pc[t] = "bits"
    /\ Queues(t) = Has(t)
    /\ \E s \in needs[t] :
        /\ May(t, s)
        /\ Policy.handoff \/ bits[s] = <<>>
        /\ bits' = [bits EXCEPT ![s] = Append(@, t)]
        /\ needs' = [needs EXCEPT ![t] = @ \ {s}]
    /\ UNCHANGED <<pc, queue, size>>

\* It has them all.
Locked(t) ==
    /\ pc[t] = "bits"
    /\ needs[t] = {}
    /\ Queues(t) = Has(t)
    /\ pc' = [pc EXCEPT ![t] = "hold"]
    /\ UNCHANGED <<queue, size, needs, bits>>

Unlock(t) ==
    /\ Holds(t)
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ bits' = [s \in Segment |-> Without(bits[s], t)]
    /\ UNCHANGED <<queue, size, needs>>

Next ==
    \E t \in Task :
        \/ Ask(t)
        \/ Enter(t)
        \/ Rescale(t)
        \/ Bit(t)
        \/ Locked(t)
        \/ Unlock(t)

Spec == Init /\ [][Next]_vars

\* Each task goes on, but need not ask.
FairSpec ==
    Spec /\ \A t \in Task : WF_vars(Enter(t) \/ Rescale(t) \/ Bit(t) \/ Locked(t) \/ Unlock(t))

-----------------------------------------------------------------------------
\* No cell is held twice: a bit does not tell readers from writers.
Exclusion == \A t, u \in Task : t # u /\ Holds(t) /\ Holds(u) => Cells(t) \cap Cells(u) = {}

\* Who has to wait for a bit has a cell in common with the one that has it.
NoFalseConflict ==
    \A t, u \in Task :
        pc[t] = "bits" /\ t # u /\ needs[t] \cap Has(u) # {} => Cells(t) \cap Cells(u) # {}

\* Every range that is asked for is held.
EachGetsIn == \A t \in Task : Waits(t) ~> Holds(t)
=============================================================================
