------------------------------ MODULE APRwsem ------------------------------
(***************************************************************************)
(* Rwsem and Overtaking for Apalache: types (of Arrivals too), symbolic    *)
(* constants, and an inductive invariant of BatchQueue.                    *)
(*                                                                         *)
(* SHOWN.  With six tasks, or fewer, since a task may stay idle; each a    *)
(* reader, a writer or a writer that may downgrade as the solver likes;    *)
(* and for runs of every length: a writer is alone inside, no free lock is *)
(* left with waiters, at most three batches wait, a waiting reader is      *)
(* overtaken by nobody and a waiting writer by at most all readers but     *)
(* one, each once, and by no writer.  Each grant takes away one of the     *)
(* turns that a waiter has still to wait for, and nothing else changes     *)
(* them (TurnsRunOut).                                                     *)
(*                                                                         *)
(* ASSUMED.  As Rwsem.  One task is watched at a time, any one.            *)
(*                                                                         *)
(* WHY IT IS INDUCTIVE.  A reader that queues joins the last reader, so    *)
(* readers stand together (OneReaderBatch); a writer queues at the tail.   *)
(* So only a reader is ever put in ahead of somebody, of a writer, and     *)
(* only beside a reader that was there before that writer: one of the      *)
(* batch is no overtaker (BatchHasAnElder).  The batch leaves as a whole,  *)
(* and who is ahead after that was there before (EldersAhead).             *)
(*                                                                         *)
(* THE POLICY.  A module APxyz beside this one fixes it: Apalache replaces *)
(* an operator F by OVERRIDE_F, if there is one, and works out the         *)
(* decisions of a record that it sees.  Left to the solver they cost       *)
(* minutes.                                                                *)
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
    \* @type: $policy;
    Policy,
    \* @type: Set(TASK);
    Downgraders,
    \* @type: Set(TASK);
    Watch,
    \* @type: Int;
    ByReaders,
    \* @type: Int;
    ByWriters

VARIABLES
    \* @type: TASK -> Str;
    pc,
    \* @type: Seq(TASK);
    queue,
    \* @type: Bool;
    expired,
    \* @type: Bool;
    handoff,
    \* @type: TASK -> Set(TASK);
    older,
    \* @type: TASK -> {R: Int, W: Int};
    overtaken

INSTANCE Overtaking

-----------------------------------------------------------------------------
(* The same operators of Rwsem, in a form that is small for the solver.    *)

\* A queue has at most as many places as there are tasks.
MaxTasks == 6

\* @type: (Seq(TASK), Int, TASK) => Seq(TASK);
Inserted(q, n, t) ==
    LET \* @type: Int => TASK;
        At(i) == IF i <= n THEN q[i] ELSE IF i = n + 1 THEN t ELSE q[i - 1]
    IN FunAsSeq([i \in 1 .. MaxTasks |-> At(i)], Len(q) + 1, MaxTasks)
OVERRIDE_InsertAt(q, n, t) == Inserted(q, n, t)

\* @type: (Seq(TASK), Set(TASK)) => Seq(TASK);
Kept(q, S) ==
    LET gone == S
        \* @type: (Seq(TASK), TASK) => Seq(TASK);
        Keep(r, t) == IF t \in gone THEN r ELSE Append(r, t)
    IN ApaFoldSeqLeft(Keep, <<>>, q)
OVERRIDE_Without(q, S) == Kept(q, S)

OVERRIDE_Acquire(G, q, p) ==
    LET got  == G
        rest == p
    IN /\ queue' = Without(q, got)
       /\ pc' = [t \in Task |-> IF t \in got THEN "hold" ELSE rest[t]]

-----------------------------------------------------------------------------
(* The constants.                                                          *)

\* @type: () => Seq(TASK);
Named == <<"t1_OF_TASK", "t2_OF_TASK", "t3_OF_TASK",
           "t4_OF_TASK", "t5_OF_TASK", "t6_OF_TASK">>

\* The tasks of these numbers, each of any kind.  Any one is watched, and has
\* the bound of its kind.
\* @type: Set(Int) => Bool;
AnyKinds(numbers) ==
    /\ Readers \in SUBSET {Named[i] : i \in numbers}
    /\ Writers = {Named[i] : i \in numbers} \ Readers
    /\ Downgraders \in SUBSET Writers
    /\ Watch \in {{Named[i]} : i \in numbers}
    /\ ByWriters = 0
    /\ ByReaders = IF Watch \subseteq Readers \/ Readers = {} THEN 0
                   ELSE Cardinality(Readers) - 1

Tasks3 == AnyKinds(1 .. 3)
Tasks4 == AnyKinds(1 .. 4)
Tasks5 == AnyKinds(1 .. 5)
Tasks6 == AnyKinds(1 .. 6)

\* The sizes of rows of TLC, for a second opinion.
\* @type: (Set(TASK), Set(TASK)) => Bool;
Kinds(readers, writers) ==
    /\ Readers = readers
    /\ Writers = writers
    /\ Downgraders = {}
    /\ Watch = {}
    /\ ByReaders \in Int
    /\ ByWriters \in Int

RWW   == Kinds({"r1_OF_TASK"}, {"w1_OF_TASK", "w2_OF_TASK"})
RRWW  == Kinds({"r1_OF_TASK", "r2_OF_TASK"}, {"w1_OF_TASK", "w2_OF_TASK"})
RRRWW == Kinds({"r1_OF_TASK", "r2_OF_TASK", "r3_OF_TASK"},
               {"w1_OF_TASK", "w2_OF_TASK"})

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

States == {"idle", "wait", "hold", "shared", "wake"}

\* Nobody spins, and nobody tries for itself.
InTypes == pc \in [Task -> States]

\* The queue holds the waiters, each once.
QueueIsTheWaiters ==
    /\ Range(queue) = {t \in Task : pc[t] = "wait"}
    /\ \A i, j \in DOMAIN queue : queue[i] = queue[j] => i = j

\* Readers stand together, so at most three batches wait: writers before them,
\* readers, writers after them.
OneReaderBatch ==
    \A i, j, k \in DOMAIN queue :
        i < j /\ j < k /\ queue[i] \in Readers /\ queue[k] \in Readers =>
            queue[j] \in Readers

\* Place i of q is ahead of w.
\* @type: (Seq(TASK), Int, TASK) => Bool;
Ahead(q, i, w) == \E j \in DOMAIN q : i < j /\ q[j] = w

\* Whoever is ahead of a waiter queued before it, readers ahead of a writer
\* excepted.
EldersAhead ==
    \A w \in Watch : \A i \in DOMAIN queue :
        Ahead(queue, i, w) /\ (w \in Readers \/ queue[i] \in Writers) =>
            queue[i] \in older[w]

\* Of the readers ahead of a writer one queued before it, and they have not
\* overtaken it yet.
BatchHasAnElder ==
    \A w \in Watch \cap Writers :
        (\E i \in DOMAIN queue : Ahead(queue, i, w) /\ queue[i] \in Readers) =>
            /\ \E i \in DOMAIN queue :
                  Ahead(queue, i, w) /\ queue[i] \in Readers /\ queue[i] \in older[w]
            /\ overtaken[w].R = 0

\* MutualExclusion, NoIdleLockWithWaiters and BoundedOvertaking are Rwsem's.
IndInv ==
    /\ InTypes
    /\ QueueIsTheWaiters
    /\ MutualExclusion
    /\ NoIdleLockWithWaiters
    /\ OneReaderBatch
    /\ EldersAhead
    /\ BatchHasAnElder
    /\ BoundedOvertaking

\* Whatever the queue is, the rest is of any types.
AnyRest ==
    /\ pc \in [Task -> States]
    /\ expired \in BOOLEAN
    /\ handoff \in BOOLEAN
    /\ older \in [Watch -> SUBSET Task]
    /\ \E byReaders \in [Watch -> Int], byWriters \in [Watch -> Int] :
          overtaken = [w \in Watch |-> [R |-> byReaders[w], W |-> byWriters[w]]]

\* Any state of the types.
AnyState ==
    /\ \E f \in [1 .. MaxTasks -> Task], n \in 0 .. MaxTasks :
          queue = FunAsSeq(f, n, MaxTasks)
    /\ AnyRest

IndInit == AnyState /\ IndInv

\* IndInit up to the names of the tasks: let the waiters be called t1, t2 and
\* so on in the order of the queue.  Every state becomes one of these by
\* renaming tasks, and neither Next nor IndInv can tell the names.
NamedInit ==
    /\ \E n \in Int : queue = SubSeq(Named, 1, n)
    /\ AnyRest
    /\ IndInv

\* Probes: all but the holder wait, and nobody does.
NeverFull  == Len(queue) < MaxTasks - 1
NeverEmpty == queue # <<>>

\* Probe: no writer is overtaken by as many readers as may.
NeverAtBound ==
    \A w \in Watch : overtaken[w].R # ByReaders => overtaken'[w].R # ByReaders

-----------------------------------------------------------------------------
(* Progress without fairness: a measure.                                   *)

\* How many grants come before that of t: one for each writer ahead of it, and
\* for a writer one more if readers are.
\* @type: (Seq(TASK), TASK) => Int;
Turns(q, t) ==
    Cardinality({i \in DOMAIN q : q[i] \in Writers /\ Ahead(q, i, t)})
    + IF t \in Writers /\ \E i \in DOMAIN q : q[i] \in Readers /\ Ahead(q, i, t)
      THEN 1 ELSE 0

\* Each grant brings a waiter one turn forward, and nothing else moves it.
TurnsRunOut ==
    \A w \in Watch :
        w \in Range(queue) /\ w \in Range(queue') =>
            Turns(queue, w) = Turns(queue', w)
                              + IF Head(queue) \in Range(queue') THEN 0 ELSE 1

-----------------------------------------------------------------------------
(* The forms above are those of Rwsem: asked of AnyState, where Readers is *)
(* any set.                                                                *)

SameInsertAt ==
    \A n \in 0 .. MaxTasks, t \in Task :
        n <= Len(queue) /\ Len(queue) < MaxTasks =>
            Inserted(queue, n, t) =
                SubSeq(queue, 1, n) \o <<t>> \o SubSeq(queue, n + 1, Len(queue))

SameWithout ==
    Kept(queue, Readers) = SelectSeq(queue, LAMBDA t : t \notin Readers)

-----------------------------------------------------------------------------
(* Control: three batches at most, but not why.  Not inductive.            *)

WeakInv ==
    /\ InTypes
    /\ QueueIsTheWaiters
    /\ MutualExclusion
    /\ NoIdleLockWithWaiters
    /\ AtMostThreeBatches
WeakInit == AnyState /\ WeakInv
=============================================================================
