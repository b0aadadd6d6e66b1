--------------------------- MODULE APJbd2Credits ---------------------------
(***************************************************************************)
(* Jbd2Credits for Apalache: the invariants I1 to I7 of the credits, for   *)
(* logs of every size, by an inductive invariant.                          *)
(*                                                                         *)
(* FOR WHICH CONSTANTS.  One plain thread, and one or two writepages       *)
(* threads with a worker each.  The log, j_max (of which it must have room *)
(* for one, and the slack), the overhead, the slack, and what a handle     *)
(* asks for, reserves and uses are integers that the solver chooses: see   *)
(* Sizes, Enough and Fit.                                                  *)
(*                                                                         *)
(* ASSUMED.  The overhead covers the two blocks that a commit writes       *)
(* itself, and nobody uses more than it has asked for.  A step begins with *)
(* at most three transactions that wait for a checkpoint: the first, the   *)
(* last, and one for those between, of which no step does more than move   *)
(* it up.  Nothing is handed over (see NoHandOver).                        *)
(*                                                                         *)
(* WHY IT IS INDUCTIVE.  An ordinary handle starts with a free j_max, and  *)
(* until it stops nothing takes that away (RoomForOrdinary): it covers all *)
(* that may be logged, and the overhead the two blocks of the commit.      *)
(* After that only conversions start.  Each may bring a commit of its own, *)
(* whose two blocks, and what it is extended by, it covers as far as it    *)
(* reserves more than it uses; the rest is Beyond.  So there is room for   *)
(* all that is to come, but for one Beyond for each page whose conversion  *)
(* is no longer pending (RoomForReserved), and a slack of 1 and one Beyond *)
(* for each page is enough.                                                *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Apalache

(* @typeAlias: policy = { tests: Set(Int), stop: Bool, tail: Str, conversion: Str, space: Str,
        usermax: Bool, unreserve: Bool, mutex: Str, abort: Bool, extend: Str, restart: Str,
        wait: Str, data: Str, wake: Str, granted: Str, kworker: Str -> Str };
   @typeAlias: published = { tests: Set(Int), stop: Bool, tail: Str, conversion: Str, space: Str,
        usermax: Bool, unreserve: Bool, mutex: Str, abort: Bool, extend: Str, restart: Str,
        wait: Str, data: Str, wake: Str, granted: Str, kworker: Str -> <<Str, Str>> };
   @typeAlias: transaction = { state: Str, out: Int, updates: Int, log: Int, data: Set(Str),
        asked: Bool }; *)
APJbd2Credits_aliases == TRUE

CONSTANTS
    \* @type: $policy;
    Policy,
    \* @type: Set(Str);
    Plain,
    \* @type: Set(Str);
    Pages,
    \* @type: Int;
    Cost,
    \* @type: Int;
    Uses,
    \* @type: Int;
    Extra,
    \* @type: Int;
    ConvertExtra,
    \* @type: Int;
    PageCost,
    \* @type: Int;
    PageUses,
    \* @type: Int;
    Reserve,
    \* @type: Int;
    ConvertUses,
    \* @type: Int;
    Log,
    \* @type: Int;
    Max,
    \* @type: Int;
    Overhead,
    \* @type: Int;
    Slack

VARIABLES
    \* @type: $transaction;
    running,
    \* @type: $transaction;
    committing,
    \* @type: Int;
    free,
    \* @type: Seq(Int);
    checkpoint,
    \* @type: Int;
    reserved,
    \* @type: Seq(Str);
    queue,
    \* @type: Set(Str);
    promised,
    \* @type: Set(Str);
    mutex,
    \* @type: Str -> Str;
    pc,
    \* @type: Str -> Bool;
    writeback,
    \* @type: Bool;
    aborted

INSTANCE Integrity

-----------------------------------------------------------------------------
(* What is left open.                                                      *)

\* The blocks that a conversion may cost the log beyond its reservation: the
\* two of its commit and those of its extension, but for what it reserves and
\* does not use.
Spare  == Reserve - ConvertUses - ConvertExtra
Beyond == IF Spare >= 2 THEN 0 ELSE 2 - Spare

Sizes ==
    /\ Cost \in Int /\ Uses \in Int /\ Extra \in Int /\ ConvertExtra \in Int
    /\ PageCost \in Int /\ PageUses \in Int /\ Reserve \in Int /\ ConvertUses \in Int
    /\ Log \in Int /\ Max \in Int /\ Overhead \in Int /\ Slack \in Int
    /\ 2 <= Overhead
    /\ 0 <= Uses /\ Uses <= Cost
    /\ 0 <= Extra /\ 0 <= ConvertExtra
    /\ 0 <= PageUses /\ PageUses <= PageCost
    /\ 0 <= ConvertUses /\ ConvertUses <= Reserve
    /\ Max + Slack <= Log

\* Enough slack for a last conversion of each page.
Enough == Slack >= 1 + Sum(LAMBDA w : Beyond, Pages)

\* All handles fit.
Fit == Cost <= UserMax /\ PageCost + Reserve <= UserMax

\* A policy, with workers that are strings as all tasks are.
\* @type: $published => $policy;
Typed(p) ==
    [tests |-> p.tests, stop |-> p.stop, tail |-> p.tail, conversion |-> p.conversion,
     space |-> p.space, usermax |-> p.usermax, unreserve |-> p.unreserve, mutex |-> p.mutex,
     abort |-> p.abort, extend |-> p.extend, restart |-> p.restart, wait |-> p.wait,
     data |-> p.data, wake |-> p.wake, granted |-> p.granted,
     kworker |-> [w \in {"w1", "w2"} |-> IF w = "w1" THEN "k1" ELSE "k2"]]

PW  == Plain = {"p1"} /\ Pages = {"w1"}
W   == Plain = {} /\ Pages = {"w1"}
PWW == Plain = {"p1"} /\ Pages = {"w1", "w2"}

AnySizes == Sizes /\ Fit /\ Enough
\* Reservations that are used up, and a slack of 2 for one page.  (Of the log
\* j_max is a third at most, as in every kernel.)
Tight    ==
    /\ Sizes /\ Fit /\ 3 * Max <= Log
    /\ Reserve = ConvertUses /\ Reserve >= 1 /\ ConvertExtra = 0 /\ Slack = 2
\* One block too few, whatever is reserved.
TooLittle == Sizes /\ Fit /\ Slack = Sum(LAMBDA w : Beyond, Pages)

UpstreamPW  == PW /\ Policy = Typed(Upstream) /\ AnySizes
OrderedPW   == PW /\ Policy = Typed(Ordered) /\ AnySizes
UpstreamPWW == PWW /\ Policy = Typed(Upstream) /\ AnySizes
TightPW     == PW /\ Policy = Typed(Upstream) /\ Tight
TooLittlePW == PW /\ Policy = Typed(Upstream) /\ TooLittle

\* Controls: AnySizes leaves open the smallest of all, and the smallest slack.
NotTheSmallest ==
    Cost + Extra + ConvertExtra + PageCost + Reserve + Max + Log > 7
NotTheLeastSlack == Slack > 1

\* The faulty variants.
UnreserveLeakPW       == PW /\ Policy = Typed(UnreserveLeak) /\ AnySizes
NoTest2PW             == PW /\ Policy = Typed(NoTest2) /\ AnySizes
NoTest4PW             == PW /\ Policy = Typed(NoTest4) /\ AnySizes
StopGivesAllBackPW    == PW /\ Policy = Typed(StopGivesAllBack) /\ AnySizes
TailPastCheckpointPW  == PW /\ Policy = Typed(TailPastCheckpoint) /\ AnySizes
NeededInsteadOfMaxPW  == PW /\ Policy = Typed(NeededInsteadOfMax) /\ AnySizes
ExtendUntestedPW      == PW /\ Policy = Typed(ExtendUntested) /\ AnySizes
ReservedJoinsSwitchPW == PW /\ Policy = Typed(ReservedJoinsSwitch) /\ AnySizes
RestartKeepsPW        == PW /\ Policy = Typed(RestartKeeps) /\ AnySizes
NoReservePW           == PW /\ Policy = Typed(NoReserve) /\ AnySizes
HandOverPW            == PW /\ Policy = Typed(HandOver) /\ AnySizes

\* The sizes of TLC's rows.
Ones ==
    /\ Cost = 1 /\ Uses = 1 /\ Extra = 0 /\ ConvertExtra = 0 /\ PageCost = 1 /\ PageUses = 1 /\ ConvertUses = 1
    /\ Overhead = 2
PW123 == PW /\ Ones /\ Reserve = 1 /\ Log = 12 /\ Max = 4 /\ Slack = 3
UnreserveLeakPW123 == PW123 /\ Policy = Typed(UnreserveLeak)
NoTest4W24 ==
    W /\ Ones /\ Reserve = 2 /\ Log = 24 /\ Max = 8 /\ Slack = 5 /\ Policy = Typed(NoTest4)

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

\* A transaction of any kind.
\* @type: (Str, Int, Int, Int, Set(Str), Bool) => $transaction;
Transaction(state, out, updates, logs, data, asked) ==
    [state |-> state, out |-> out, updates |-> updates, log |-> logs, data |-> data, asked |-> asked]

\* Of the types what IndInv does not assign, or not before it reads it.
TypeAssign ==
    /\ \E s \in {"none", "RUNNING", "LOCKED", "SWITCH"}, o, u, l \in Int, d \in SUBSET Pages,
             a \in BOOLEAN : running = Transaction(s, o, u, l, d, a)
    /\ \E s \in {"none", "FLUSH", "TAIL"}, o, u, l \in Int, d \in SUBSET Pages,
             a \in BOOLEAN : committing = Transaction(s, o, u, l, d, a)
    /\ checkpoint = Gen(3)
    /\ reserved \in Int
    /\ queue = <<>>
    /\ promised = {}
    /\ mutex \in SUBSET Task
    /\ pc \in [Task -> {"idle", "try", "undo", "wait-locked", "wait-reserved", "wait-room",
                        "wait-switch", "space", "checkpoint", "wait-commit", "wait-running",
                        "attached", "extended", "denied", "refused"}]

\* Nothing is handed over: that is HandOver's.
NoHandOver == queue = <<>> /\ promised = {}

\* Who has a handle is counted in t_updates.
HandlesAreUpdates == running.updates = Cardinality(Attached)

\* Only a plain handle restarts, and who has reserved too much reserves something.
KindsOfTasks ==
    \A t \in Task : /\ pc[t] = "denied" => t \in Plain
                    /\ pc[t] = "undo" => Reserves(t) > 0

\* While something is to be taken back, nothing commits.
UndoesInRunning == Undoing # {} => running.state = "RUNNING"

\* A worker has something to do only while its page is under writeback.
ConvertsUnderWriteback == \A k \in Worker : pc[k] # "idle" => writeback[PageOf(k)]

\* There is nothing in a transaction that is not there.
NoneIsEmpty ==
    running.state = "none" => running.out = 0 /\ running.log = 0 /\ ~running.asked

\* A commit begins when it is asked for, and when the last one has ended.
OneCommit ==
    running.state \in {"LOCKED", "SWITCH"} => running.asked /\ committing.state = "none"

\* No transaction has more credits than it may, at any time.
WithinMax == running.out <= Max

\* A commit has the overhead and what it logs, and once written nothing.
CommitsWhatItLogs ==
    committing.out = IF committing.state = "FLUSH" THEN Overhead + committing.log ELSE 0

\* Nothing takes a negative number of blocks.
NotNegative ==
    /\ running.log >= 0
    /\ committing.log >= 0
    /\ \A i \in DOMAIN checkpoint : checkpoint[i] >= 0

\* While an ordinary handle is there, so is the room of which test 3 made sure;
\* and also until test 4 has taken back what it added.
RoomForOrdinary == (Attached \ Worker) \cup Undoing # {} => SpaceLeft >= Max

\* What is left of the log once the commit is written; what is still to come,
\* without extensions of conversions.
Left   == free - Slack - (IF committing.state = "FLUSH" THEN committing.log + 2 ELSE 0)
ToCome == Reservations + running.log + Sum(Has, Attached \ Worker)
          + Sum(Credits, Attached \cap Worker)

\* Workers whose conversion is not over.
Pending == {k \in Worker : writeback[PageOf(k)]}

\* What a commit of the running transaction costs beside its blocks, unless that
\* is in the Beyond of a conversion.
CommitCost == IF running.log > 0 \/ (running.asked /\ running.updates = 0) THEN 2 ELSE 0

\* There is room for all that is to come, but for what conversions have cost
\* that are not pending any more.
RoomForReserved ==
    Left + Sum(LAMBDA w : Beyond, Pages) >= ToCome + CommitCost + Sum(LAMBDA k : Beyond, Pending)

\* (TypeOK and NoHandOver say that TypeAssign leaves nothing out.)
IndInv ==
    /\ TypeOK
    /\ NoHandOver
    /\ HandlesAreUpdates
    /\ HandlesAreInTime
    /\ KindsOfTasks
    /\ UndoesInRunning
    /\ ConvertsUnderWriteback
    /\ NoneIsEmpty
    /\ OneCommit
    /\ CreditsConserved
    /\ ReservedIsReserved
    /\ WithinMax
    /\ CommitsWhatItLogs
    /\ NotNegative
    /\ RoomForOrdinary
    /\ RoomForReserved
    /\ SpaceConserved
    /\ NeverAborts
    /\ NobodyRefused

IndInit == TypeAssign /\ IndInv

\* Too weak: nothing says that the room of test 3 is still there.
WeakInv ==
    /\ TypeOK /\ NoHandOver /\ HandlesAreUpdates /\ HandlesAreInTime /\ KindsOfTasks
    /\ UndoesInRunning
    /\ ConvertsUnderWriteback /\ NoneIsEmpty /\ OneCommit /\ CreditsConserved
    /\ ReservedIsReserved /\ WithinMax /\ CommitsWhatItLogs /\ NotNegative /\ RoomForReserved
    /\ SpaceConserved /\ NeverAborts /\ NobodyRefused

WeakInit == TypeAssign /\ WeakInv

-----------------------------------------------------------------------------
(* The same in long steps, to reach a full log in few of them.  Each is a  *)
(* path of Next with nothing in between.  At first nobody has a handle and *)
(* no commit is under way, and each of these steps leaves it so: what      *)
(* CoarseNext reaches, Next reaches.  (All handles fit, and nobody is      *)
(* refused: see Fit.)                                                      *)

\* Start, Try with all tests passed, and Submit.
PageHandle(t) ==
    /\ ~writeback[t]
    /\ Fails(t) = 0
    /\ running' = [Current EXCEPT !.out = @ + Reserve + PageUses, !.log = @ + PageUses]
    /\ reserved' = reserved + Reserve
    /\ writeback' = [writeback EXCEPT ![t] = TRUE]
    /\ UNCHANGED <<committing, log, waits, mutex, pc, aborted>>

\* Start, TryReserved that joins, and Convert.  (Nobody waits to be woken.)
Conversion(k) ==
    /\ writeback[PageOf(k)]
    /\ running' = [Current EXCEPT !.out = @ - Reserve + ConvertUses, !.log = @ + ConvertUses]
    /\ reserved' = reserved - Reserve
    /\ writeback' = [writeback EXCEPT ![PageOf(k)] = FALSE]
    /\ UNCHANGED <<committing, log, waits, mutex, pc, aborted>>

\* AskCommit, CommitLock, CommitSwitch, CommitFlush, CommitWrite, CommitEnd.
WholeCommit ==
    /\ running.log > 0 /\ free >= 1
    /\ free' = free - running.log - 2
    /\ checkpoint' = Append(checkpoint, running.log + 2)
    /\ running' = None
    /\ UNCHANGED <<committing, rsv, mutex, tasks, aborted>>

CoarseNext ==
    \/ \E t \in Pages : PageHandle(t)
    \/ \E k \in Worker : Conversion(k)
    \/ WholeCommit
=============================================================================
