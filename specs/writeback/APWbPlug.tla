------------------------------ MODULE APWbPlug ------------------------------
(***************************************************************************)
(* WbPlug for Apalache: who may hold a plug, and what it is good for, for  *)
(* up to five inodes and three requests in the device, by induction.       *)
(*                                                                         *)
(* SHOWN.  Files and Slots are left to the solver, and the decisions of a  *)
(* Policy as far as they do not matter.                                    *)
(* - LockInv: nobody sleeps with the lock held, and none is held for I/O,  *)
(*   if only the plug is not finished under it.                            *)
(* - OffInv: a preempted task has an empty plug, and nobody waits for I/O  *)
(*   of a task that is off, if the plug is flushed for each way to go off, *)
(*   or is an inode's own.                                                 *)
(* - RequestsInv: a pass issues one request, and one more for each time    *)
(*   its plug is broken off, whatever the variant; with a plug for each    *)
(*   inode, one for each.                                                  *)
(*                                                                         *)
(* ASSUMED.  What WbPlug assumes; no queue in front of the device, and     *)
(* nobody else who takes inodes off b_io.                                  *)
(*                                                                         *)
(* THE IDEA of RequestsInv.  What is in the plug are the last inodes       *)
(* submitted, without a gap: it is one request at any time.                *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, WbPlugPolicies

CONSTANTS
    \* @type: { plug: Str, finish: Str, resched: Str, sleep: Str, next: Str };
    Policy,
    \* @type: Int;
    Files,
    \* @type: Int;
    Slots,
    \* @type: Str;
    Queue,
    \* @type: Set(Int);
    Movable,
    \* @type: Int;
    MaxRequests

VARIABLES
    \* @type: { flusher: Str, dirtier: Str };
    pc,
    \* @type: Int;
    next,
    \* @type: Int;
    cached,
    \* @type: Set(Int);
    moved,
    \* @type: Bool;
    locked,
    \* @type: Bool;
    plugged,
    \* @type: Set(Int);
    plug,
    \* @type: Set(Set(Int));
    queue,
    \* @type: Set(Set(Int));
    flying,
    \* @type: Str;
    cpu,
    \* @type: Bool;
    resched,
    \* @type: Int;
    waits,
    \* @type: Int;
    requests,
    \* @type: Int;
    breaks

INSTANCE WbPlug

\* Nobody takes an inode off b_io: the first one from i on is i.
\* @type: Int => Int;
OVERRIDE_First(i) == i

\* Next.  Apalache must know how large a set that is quantified over may be, and
\* File is not; Throttle and Complete are about what is there alone.  What AnySize
\* rules out is left out.
APNext ==
    \/ Begin
    \/ Lock
    \/ Pick
    \/ Sleep
    \/ Submit
    \/ Finish
    \/ Resched
    \/ GoOn
    \/ End
    \/ Resume
    \/ Want
    \/ \E i \in plug \cup UNION flying : Throttle(i)
    \/ \E r \in flying : Complete(r)

-----------------------------------------------------------------------------
(* The constants.                                                          *)

\* Up to five inodes, and a device that takes up to three requests.
AnySize ==
    /\ Files \in 1 .. 5
    /\ Slots \in 1 .. 3
    /\ Queue = "none"
    /\ Movable = {}

\* Whatever the variant, but one that finishes the plug under the lock.
AnyUnlocked ==
    /\ AnySize
    /\ Policy \in [plug : {"inode", "loop", "outside"}, finish : {"dropped", "never"},
                   resched : {"stays", "flushes"}, sleep : {"stays", "flushes"}, next : {"list"}]
    /\ MaxRequests = 1

\* A plug that is flushed whenever its task leaves the processor, or is finished
\* before it can.
AnyFlushed ==
    /\ AnySize
    /\ Policy \in [plug : {"inode", "loop", "outside"}, finish : {"locked", "dropped", "never"},
                   resched : {"stays", "flushes"}, sleep : {"flushes"}, next : {"list"}]
    /\ Policy.plug = "inode" \/ Policy.resched = "flushes"
    /\ MaxRequests = 1

\* Whatever the variant: a request for each plug of a pass.
AnyPlug ==
    /\ AnySize
    /\ Policy \in [plug : {"inode", "loop", "outside"}, finish : {"locked", "dropped", "never"},
                   resched : {"stays", "flushes"}, sleep : {"stays", "flushes"}, next : {"list"}]
    /\ MaxRequests = IF Policy.plug = "inode" THEN Files ELSE 1

\* Controls: AnyFlushed leaves open how its plug is flushed.
FlushesAtResched == Policy.resched = "flushes"
PlugsInodes      == Policy.plug = "inode"

\* Faulty variants, of any size.
AnyFinishUnderLock == AnySize /\ Policy = FinishUnderLock /\ MaxRequests = 1
AnyPlugOutside     == AnySize /\ Policy = PlugOutside /\ MaxRequests = 1
AnySleepKeepsPlug  == AnySize /\ Policy = SleepKeepsPlug /\ MaxRequests = 1
AnyPlugPerInode    == AnySize /\ Policy = PlugPerInode /\ MaxRequests = 1

\* Sizes of models.toml.
Size(files) ==
    /\ Files = files
    /\ Slots = 1
    /\ Queue = "none"
    /\ Movable = {}
    /\ MaxRequests = 1
F2 == Size(2)
F3 == Size(3)
PlugOutsideF3        == F3 /\ Policy = PlugOutside
SleepKeepsPlugF3     == F3 /\ Policy = SleepKeepsPlug
FlushBeforeReschedF2 == F2 /\ Policy = FlushBeforeResched

-----------------------------------------------------------------------------
(* The invariants.                                                         *)

\* The lock is held to look at b_io, and for nothing else.
LockWhere == locked => pc.flusher = "pick"

LockInv ==
    /\ LockWhere
    /\ NoSleepUnderLock

\* A plug of one inode has something in it between submit_bio and its end alone.
InodePlug ==
    IF Policy.plug = "inode" THEN plug # {} => pc.flusher = "inode" ELSE pc.flusher # "inode"

\* Whoever sleeps has an empty plug, or waits for the device to take it.
AsleepPlug == cpu = "asleep" => plug = {} \/ AwaitsRoom

OffInv ==
    /\ InodePlug
    /\ AsleepPlug
    /\ PreemptedPlugIsEmpty

\* What is in the plug are the last inodes submitted, without a gap.
PlugIsRun == \A i \in plug : i < next /\ (i + 1 < next => i + 1 \in plug)

\* A request for each time that the plug was flushed.
RequestsWhere ==
    IF Policy.plug = "inode"
    THEN requests < IF pc.flusher = "inode" THEN next - 1 ELSE next
    ELSE requests <= IF pc.flusher = "end" THEN breaks + 1 ELSE breaks

RequestsInv ==
    /\ InodePlug
    /\ PlugIsRun
    /\ RequestsWhere

\* Control: the plug may have gaps.
WeakInv ==
    /\ InodePlug
    /\ RequestsWhere

\* Control: one request less, for a pass with one plug that nothing breaks off.
FewerRequests == breaks = 0 /\ Policy.plug # "inode" => requests < MaxRequests

\* There is an inode to write where one is written.
NextWhere == pc.flusher \in {"write", "submit"} => next <= Files

TypeAssign ==
    /\ pc \in [flusher : {"idle", "lock", "pick", "write", "submit", "inode", "after", "finish",
                          "end"},
               dirtier : {"idle", "throttled"}]
    /\ next \in 1 .. 6 /\ next <= Files + 1
    /\ NextWhere
    /\ cached = 0
    /\ moved = {}
    /\ locked \in BOOLEAN
    /\ plugged \in BOOLEAN
    /\ plug \in SUBSET (1 .. 5) /\ \A i \in plug : i <= Files
    /\ queue = {}
    /\ \E f \in [1 .. 5 -> SUBSET (1 .. 5)] : flying = {f[n] : n \in 1 .. 5} \ {{}}
    /\ cpu \in {"on", "preempted", "asleep"}
    /\ resched \in BOOLEAN
    /\ waits \in Int
    /\ requests \in Nat
    /\ breaks \in Nat

\* The same, to be kept by each step: what is assigned is no smaller than what
\* is reached.
InTypes ==
    /\ pc.flusher \in {"idle", "lock", "pick", "write", "submit", "inode", "after", "finish", "end"}
    /\ pc.dirtier \in {"idle", "throttled"}
    /\ next >= 1 /\ next <= Files + 1
    /\ NextWhere
    /\ cached = 0
    /\ moved = {}
    /\ queue = {}
    /\ \A i \in plug : i >= 1 /\ i <= Files /\ i <= 5
    /\ \A r \in flying : r # {} /\ \A i \in r : i >= 1 /\ i <= 5
    /\ cpu \in {"on", "preempted", "asleep"}
    /\ requests >= 0
    /\ breaks >= 0

\* Controls: what is assigned has the smallest pass, at its start, all inodes in the plug, and
\* each in a request of its own.
NotTheSmallest == Files > 1 \/ Slots > 1 \/ next > 1
NotAllPlugged  == plug # 1 .. 5
NotAllFlying   == flying # {{1}, {2}, {3}, {4}, {5}}

LockInit     == TypeAssign /\ LockInv
OffInit      == TypeAssign /\ OffInv
RequestsInit == TypeAssign /\ RequestsInv
WeakInit     == TypeAssign /\ WeakInv
=============================================================================
