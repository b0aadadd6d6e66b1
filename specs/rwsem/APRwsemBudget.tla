--------------------------- MODULE APRwsemBudget ----------------------------
(***************************************************************************)
(* RwsemBudget for Apalache: types, symbolic constants, and an inductive   *)
(* invariant.                                                              *)
(*                                                                         *)
(* SHOWN.  With four tasks, each a reader, a writer or a writer that may   *)
(* downgrade as the solver likes, with any budget, and for runs of every   *)
(* length: a writer is alone inside, no lock that would let the head in is *)
(* left alone, who has left is alone with the waiters until it has seen to *)
(* them, every pass is paid from the budget, and the budget is never       *)
(* overdrawn (PassesArePaid).  Each grant takes away one of those that a   *)
(* waiter has still to wait for, and nothing else changes them             *)
(* (TurnsRunOut).                                                          *)
(*                                                                         *)
(* ASSUMED.  As RwsemBudget.                                               *)
(*                                                                         *)
(* WHY IT IS INDUCTIVE.  Who is called stands at the head (CalledIsFirst), *)
(* since readers stand together (OneReaderBatch), and the bit says so      *)
(* (RousedIsCalled).  So who leaves without a look at the waiters leaves   *)
(* them to one that will look.                                             *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Apalache

(* @typeAlias: policy = {
       shared: Bool, barge: Str, spin: Set(Str), place: Str,
       enqueue: Str, wake: Str, take: Str, handoff: Bool, skip: Bool
   }; *)
TypeAliases == TRUE

CONSTANTS
    \* @type: Set(TASK);
    Readers,
    \* @type: Set(TASK);
    Writers,
    \* @type: Set(TASK);
    Downgraders,
    \* @type: Int;
    Budget

VARIABLES
    \* @type: TASK -> Str;
    pc,
    \* @type: Seq(TASK);
    queue,
    \* @type: Int;
    passed,
    \* @type: Bool;
    roused

INSTANCE RwsemBudget

-----------------------------------------------------------------------------
(* The constants.                                                          *)

\* @type: () => Seq(TASK);
Named == <<"t1_OF_TASK", "t2_OF_TASK", "t3_OF_TASK", "t4_OF_TASK">>

\* @type: Set(Int) => Bool;
AnyKinds(numbers) ==
    /\ Readers \in SUBSET {Named[i] : i \in numbers}
    /\ Writers = {Named[i] : i \in numbers} \ Readers
    /\ Downgraders \in SUBSET Writers
    /\ Budget \in Nat

Tasks3 == AnyKinds(1 .. 3)
Tasks4 == AnyKinds(1 .. 4)

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

States == {"idle", "wait", "try", "hold", "shared", "wake"}

InTypes ==
    /\ pc \in [Task -> States]
    /\ passed >= 0 /\ passed <= Budget

\* The queue holds the waiters, each once.
QueueIsTheWaiters ==
    /\ {queue[i] : i \in DOMAIN queue} = {t \in Task : pc[t] \in {"wait", "try"}}
    /\ \A i, j \in DOMAIN queue : queue[i] = queue[j] => i = j

\* Readers stand together.
OneReaderBatch ==
    \A i, j, k \in DOMAIN queue :
        i < j /\ j < k /\ queue[i] \in Readers /\ queue[k] \in Readers =>
            queue[j] \in Readers

CalledIsFirst ==
    \A i \in DOMAIN queue :
        pc[queue[i]] = "try" =>
            IF queue[1] \in Writers THEN i = 1 ELSE queue[i] \in Readers

RousedIsCalled ==
    /\ roused => \E t \in Task : pc[t] = "try"
    /\ queue = <<>> => passed = 0

IndInv ==
    /\ InTypes
    /\ QueueIsTheWaiters
    /\ MutualExclusion
    /\ OneReaderBatch
    /\ CalledIsFirst
    /\ RousedIsCalled
    /\ AloneUntilWake
    /\ NoIdleLockWithWaiters

\* Any state of the types, up to the names of the tasks as NamedInit of APRwsem.
NamedState ==
    /\ pc \in [Task -> States]
    /\ \E n \in Int : queue = SubSeq(Named, 1, n)
    /\ passed \in Int
    /\ roused \in BOOLEAN

NamedInit == NamedState /\ IndInv

\* Control: not why nobody is forgotten.  Not inductive.
WeakInv ==
    /\ InTypes
    /\ QueueIsTheWaiters
    /\ MutualExclusion
    /\ NoIdleLockWithWaiters

WeakInit == NamedState /\ WeakInv

-----------------------------------------------------------------------------
(* The bound: so many grants, and so many passes for each.                 *)

\* Place i of q is ahead of t.
\* @type: (Seq(TASK), Int, TASK) => Bool;
Ahead(q, i, t) == \E j \in DOMAIN q : i < j /\ q[j] = t

\* How many grants come before that of t: as in APRwsem.
\* @type: (Seq(TASK), TASK) => Int;
Turns(q, t) ==
    Cardinality({i \in DOMAIN q : q[i] \in Writers /\ Ahead(q, i, t)})
    + IF t \in Writers /\ \E i \in DOMAIN q : q[i] \in Readers /\ Ahead(q, i, t)
      THEN 1 ELSE 0

\* @type: (Seq(TASK), TASK) => Bool;
Waits(q, t) == \E i \in DOMAIN q : q[i] = t

\* The head has been granted the lock.
Granted == ~Waits(queue', Head(queue))

\* Each grant brings a waiter one turn forward, and nothing else moves it.
TurnsRunOut ==
    \A w \in Task :
        Waits(queue, w) /\ Waits(queue', w) =>
            Turns(queue, w) = Turns(queue', w) + IF Granted THEN 1 ELSE 0

\* Whoever gets the lock past waiters takes one from the budget, and nothing but a
\* grant gives anything back.
PassesArePaid ==
    queue # <<>> /\ ~Granted =>
        passed' = passed + Cardinality({t \in Task : pc[t] = "idle" /\ pc'[t] = "hold"})
=============================================================================
