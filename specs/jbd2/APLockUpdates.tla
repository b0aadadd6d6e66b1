--------------------------- MODULE APLockUpdates ---------------------------
(***************************************************************************)
(* LockUpdates for Apalache: under the barrier nobody has a handle, and no *)
(* locker sleeps for nothing, by an inductive invariant.                   *)
(*                                                                         *)
(* FOR WHICH CONSTANTS.  Any set of up to two threads, two writepages      *)
(* threads and two lockers: which ones is left to the solver.              *)
(*                                                                         *)
(* WHY IT IS INDUCTIVE.  A barrier that is counted stops ordinary starts   *)
(* (BarrierCounts); a locker goes on from "drain" when no reservation is   *)
(* left, and none can come (Drained); so that no update is left, and none  *)
(* can come, once it has seen none (QuietOnceSeen).  The last update to go *)
(* empties the queue (NoLostWakeup).                                       *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    \* @type: Set(Str);
    Thread,
    \* @type: Set(Str);
    Pages,
    \* @type: Set(Str);
    Locker,
    \* @type: Str;
    Order,
    \* @type: Bool;
    Reserved,
    \* @type: Str;
    Grants

VARIABLES
    \* @type: Str -> Str;
    pc,
    \* @type: Int;
    barrier,
    \* @type: Set(Str);
    queue,
    \* @type: Set(Str);
    mutex

INSTANCE LockUpdates

-----------------------------------------------------------------------------
(* What is left open.                                                      *)

UpToTwo ==
    /\ Thread \in SUBSET {"t1", "t2"}
    /\ Pages \in SUBSET {"w1", "w2"}
    /\ Locker \in SUBSET {"l1", "l2"}

AnyGrants == Grants \in {"none", "apart", "awaited"}

AnyTasks == UpToTwo /\ Order = "prepare-first" /\ Reserved = TRUE /\ AnyGrants

\* Controls: the variants that fail.
TestFirst      == UpToTwo /\ Order = "test-first" /\ Reserved = TRUE /\ Grants = "none"
NoReservedWait == UpToTwo /\ Order = "prepare-first" /\ Reserved = FALSE /\ Grants = "none"

\* The sizes of TLC's rows.
TL   == Thread = {"t1"} /\ Pages = {} /\ Locker = {"l1"}
TWLL == Thread = {"t1"} /\ Pages = {"w1"} /\ Locker = {"l1", "l2"}
TestFirstTL == TL /\ Order = "test-first" /\ Reserved = TRUE /\ Grants = "none"
NoReservedWaitTWLL ==
    TWLL /\ Order = "prepare-first" /\ Reserved = FALSE /\ Grants = "none"

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

\* (The barrier is BarrierCounts'.)
TypeAssign ==
    /\ pc \in [Task -> {"idle", "start", "wait", "granted", "attached", "reserved", "convert",
                        "drain", "look", "test", "prepare", "sleep", "lock", "locked"}]
    /\ queue \in SUBSET Locker
    /\ mutex \in SUBSET Locker

\* Each locker that is not idle is counted.
BarrierCounts == barrier = Cardinality({l \in Locker : pc[l] # "idle"})

\* Past "drain" no reservation is left.
Drained ==
    (\E l \in Locker : pc[l] \notin {"idle", "drain"}) => Reservations = {}

\* Who has seen no update will see none.
QuietOnceSeen == (\E l \in Locker : pc[l] \in {"lock", "locked"}) => Updates = {}

IndInv ==
    /\ BarrierCounts
    /\ Drained
    /\ QuietOnceSeen
    /\ NoLostWakeup

IndInit == TypeAssign /\ IndInv

\* Too weak: a reserved handle may start under the barrier.
WeakInv  == BarrierCounts /\ QuietOnceSeen /\ NoLostWakeup
WeakInit == TypeAssign /\ WeakInv
=============================================================================
