----------------------------- MODULE RwsemCount -----------------------------
(***************************************************************************)
(* The rwsem of Linux 4.9 to 5.1 with its real count: one word that tasks  *)
(* add to first and examine afterwards, and undo where they were wrong.    *)
(* Rwsem has the queueing discipline; this module has what the discipline  *)
(* rests on, and two bugs that were in it.                                 *)
(*                                                                         *)
(* MODELLED.  kernel/locking/rwsem-xadd.c and rwsem.h, 4.20: each atomic   *)
(* operation on sem->count is one step; wait_lock is held across the steps *)
(* of __rwsem_mark_wake; a sleeping reader leaves when its waiter.task is  *)
(* NULL, whoever cleared it.                                               *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  Memory is sequentially consistent.  Checking     *)
(* waiter.task and going to sleep is one step, as set_current_state makes  *)
(* it.  wake_up_q runs inside wait_lock.                                   *)
(*                                                                         *)
(* OUT OF SCOPE.  downgrade, killable waits, the skipped wake-up while a   *)
(* spinner is present.                                                     *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    Readers, Writers,
    WakeOrder   \* in which order a waker grants the lock: see the three below

\* a9e9bcb45b15 (5.2): the count first, then the tasks.
\* @type: () => Seq(Str);
TwoPass == <<"Add", "Clear", "Rouse">>
\* 70800c3c0cc5 (4.9 to 5.1): one pass over the readers, the count afterwards.
\* @type: () => Seq(Str);
OnePassWake == <<"Clear", "Add", "Rouse">>
\* e38513905eea, mended by e158488be27b (5.0): wake_q_add before waiter.task is
\* cleared; the wake-up may be delivered at once.
\* @type: () => Seq(Str);
WakeQBeforeClear == <<"Add", "Rouse", "Clear">>

Task == Readers \cup Writers
None == "none"

VARIABLES
    count,      \* sem->count
    list,       \* sem->wait_list
    waitlock,   \* who holds sem->wait_lock
    granted,    \* readers whose waiter.task is NULL, and who have not seen it
    chosen,     \* the readers that the holder of wait_lock is letting in
    plan,       \* what it has still to do for them
    pc

\* What most steps leave as it is.
\* @type: <<Set(Str), Set(Str), Seq(Str)>>;
waking == <<granted, chosen, plan>>

vars == <<count, list, waitlock, waking, pc>>

-----------------------------------------------------------------------------
(* The count (the biases of rwsem.h, with a smaller word).                 *)

ActiveBias  == 1
WaitingBias == -20
WriteBias   == WaitingBias + ActiveBias
Active(c)   == c % (-WaitingBias)     \* c & RWSEM_ACTIVE_MASK

\* @type: Seq(a) => Set(a);
Range(s)    == {s[i] : i \in DOMAIN s}
Holders     == {t \in Task : pc[t] = "hold"}
FirstIsReader == list # <<>> /\ Head(list) \in Readers

\* @type: Seq(Str) => Set(Str);
FrontReaders(q) ==
    {r \in Readers : \E i \in DOMAIN q :
        q[i] = r /\ \A j \in DOMAIN q : j <= i => q[j] \in Readers}

TypeOK ==
    /\ count \in Int
    /\ waitlock \in Task \cup {None}
    /\ granted \subseteq Readers
    /\ chosen \subseteq Readers
    /\ pc \in [Task -> {"idle",
                        "failed",   \* the fast path failed, its bias is still in
                        "spin",     \* a writer, undone, not queued
                        "wait",     \* queued, runs
                        "sleep",    \* queued, asleep
                        "hold",
                        "wake",     \* must take wait_lock and wake the queue
                        "peek",     \* has it, has added a tentative read bias
                        "grant"}]   \* has it, is letting readers in

Init ==
    /\ count = 0
    /\ list = <<>>
    /\ waitlock = None
    /\ granted = {}
    /\ chosen = {}
    /\ plan = <<>>
    /\ pc = [t \in Task |-> "idle"]

Goto(t, s) == pc' = [pc EXCEPT ![t] = s]

\* Where a waker goes on: a waiter waits, a releaser is done.
AfterWake(t) == IF t \in Range(list) \cup granted \cup chosen THEN "wait" ELSE "idle"

-----------------------------------------------------------------------------
(* Taking the lock.                                                        *)

\* __down_read: xadd, success if the result is positive.
ReadFast(r) ==
    /\ pc[r] = "idle"
    /\ count' = count + ActiveBias
    /\ Goto(r, IF count' > 0 THEN "hold" ELSE "failed")
    /\ UNCHANGED <<list, waitlock, waking>>

\* __rwsem_down_read_failed_common, the hold of wait_lock that queues: leave
\* with the lock after all, or queue and take the own bias out again; if nobody
\* is active, or the reader is first and no writer is, wake the queue.
ReadQueue(r) ==
    /\ pc[r] = "failed"
    /\ waitlock = None
    /\ IF list = <<>> /\ count >= 0
       THEN /\ Goto(r, "hold")
            /\ UNCHANGED <<count, list>>
       ELSE LET c == count - ActiveBias + (IF list = <<>> THEN WaitingBias ELSE 0)
            IN /\ count' = c
               /\ list' = Append(list, r)
               /\ Goto(r, IF c = WaitingBias \/ (c > WaitingBias /\ list = <<>>)
                          THEN "wake" ELSE "wait")
    /\ UNCHANGED <<waitlock, waking>>

\* The loop of the reader's slow path: leave when waiter.task is NULL.
SeeGrant(r) ==
    /\ pc[r] = "wait"
    /\ r \in granted
    /\ granted' = granted \ {r}
    /\ Goto(r, "hold")
    /\ UNCHANGED <<count, list, waitlock, chosen, plan>>

\* __down_write: xadd, success if nobody else was there.
WriteFast(w) ==
    /\ pc[w] = "idle"
    /\ count' = count + WriteBias
    /\ Goto(w, IF count' = WriteBias THEN "hold" ELSE "failed")
    /\ UNCHANGED <<list, waitlock, waking>>

\* __rwsem_down_write_failed_common, first line.
WriteUndo(w) ==
    /\ w \in Writers
    /\ pc[w] = "failed"
    /\ count' = count - WriteBias
    /\ Goto(w, "spin")
    /\ UNCHANGED <<list, waitlock, waking>>

\* rwsem_try_write_lock_unqueued.
Steal(w) ==
    /\ pc[w] = "spin"
    /\ count \in {0, WaitingBias}
    /\ count' = count + WriteBias
    /\ Goto(w, "hold")
    /\ UNCHANGED <<list, waitlock, waking>>

\* The spinner gives up and queues.  If readers hold the lock, the readers at
\* the front of the queue may join them.
WriteQueue(w) ==
    /\ pc[w] = "spin"
    /\ waitlock = None
    /\ list' = Append(list, w)
    /\ count' = IF list = <<>> THEN count + WaitingBias ELSE count
    /\ Goto(w, IF FirstIsReader /\ count > WaitingBias THEN "wake" ELSE "wait")
    /\ UNCHANGED <<waitlock, waking>>

\* rwsem_try_write_lock, for a queued writer that runs.
Take(w) ==
    /\ w \in Writers
    /\ pc[w] = "wait"
    /\ waitlock = None
    /\ count = WaitingBias
    /\ count' = IF Len(list) = 1 THEN WriteBias ELSE WriteBias + WaitingBias
    /\ list' = SelectSeq(list, LAMBDA t : t # w)
    /\ Goto(w, "hold")
    /\ UNCHANGED <<waitlock, waking>>

Sleep(t) ==
    /\ pc[t] = "wait"
    /\ IF t \in Readers THEN t \notin granted
                        ELSE waitlock = None /\ count # WaitingBias
    /\ Goto(t, "sleep")
    /\ UNCHANGED <<count, list, waitlock, waking>>

-----------------------------------------------------------------------------
(* Releasing it.                                                           *)

\* __up_read: wake if this was the last active task and somebody waits.
UpRead(r) ==
    /\ r \in Readers
    /\ pc[r] = "hold"
    /\ count' = count - ActiveBias
    /\ Goto(r, IF count' < -1 /\ Active(count') = 0 THEN "wake" ELSE "idle")
    /\ UNCHANGED <<list, waitlock, waking>>

\* __up_write: wake if somebody waits.
UpWrite(w) ==
    /\ w \in Writers
    /\ pc[w] = "hold"
    /\ count' = count - WriteBias
    /\ Goto(w, IF count' < 0 THEN "wake" ELSE "idle")
    /\ UNCHANGED <<list, waitlock, waking>>

\* rwsem_wake, __rwsem_mark_wake: a writer at the head is woken, nothing more
\* (nobody calls this with a writer at the head to wake readers only); for a
\* reader a read bias is added, to be examined in the next step.
MarkWake(t) ==
    /\ pc[t] = "wake"
    /\ waitlock = None
    /\ IF FirstIsReader
       THEN /\ waitlock' = t
            /\ count' = count + ActiveBias
            /\ Goto(t, "peek")
       ELSE /\ pc' = [u \in Task |->
                        IF u = t THEN AfterWake(t)
                        ELSE IF list # <<>> /\ u = Head(list) /\ pc[u] = "sleep"
                             THEN "wait" ELSE pc[u]]
            /\ UNCHANGED <<waitlock, count>>
    /\ UNCHANGED <<list, waking>>

\* The bias is in, and a writer was not: choose the readers at the front.
Grant(t) ==
    /\ pc[t] = "peek"
    /\ count - ActiveBias >= WaitingBias
    /\ chosen' = FrontReaders(list)
    /\ list' = SelectSeq(list, LAMBDA u : u \notin FrontReaders(list))
    /\ plan' = WakeOrder
    /\ Goto(t, "grant")
    /\ UNCHANGED <<count, waitlock, granted>>

\* A writer stole the lock: take the bias out, and try again if it has left.
BackOut(t) ==
    /\ pc[t] = "peek"
    /\ count - ActiveBias < WaitingBias
    /\ count' = count - ActiveBias
    /\ Goto(t, IF count' < WaitingBias THEN AfterWake(t) ELSE "wake")
    /\ waitlock' = None
    /\ UNCHANGED <<list, waking>>

\* What every step of the plan does besides its work: the last one drops
\* wait_lock.
Planned(t, step) == pc[t] = "grant" /\ Head(plan) = step
Finish(t, p) ==
    LET last == Len(plan) = 1
    IN /\ plan' = Tail(plan)
       /\ chosen' = IF last THEN {} ELSE chosen
       /\ waitlock' = IF last THEN None ELSE waitlock
       /\ pc' = IF last THEN [p EXCEPT ![t] = AfterWake(t)] ELSE p

\* sem->count gets one bias a reader (the tentative one is one of them), and
\* loses the waiting bias if nobody is left.
Add(t) ==
    /\ Planned(t, "Add")
    /\ count' = count + (Cardinality(chosen) - 1) * ActiveBias
                      - (IF list = <<>> THEN WaitingBias ELSE 0)
    /\ Finish(t, pc)
    /\ UNCHANGED <<list, granted>>

\* waiter.task = NULL: from here on a reader that runs leaves with the lock.
Clear(t) ==
    /\ Planned(t, "Clear")
    /\ granted' = granted \cup chosen
    /\ Finish(t, pc)
    /\ UNCHANGED <<count, list>>

\* wake_up_q.
Rouse(t) ==
    /\ Planned(t, "Rouse")
    /\ Finish(t, [u \in Task |->
                    IF u \in chosen /\ pc[u] = "sleep" THEN "wait" ELSE pc[u]])
    /\ UNCHANGED <<count, list, granted>>

-----------------------------------------------------------------------------
Next ==
    \/ \E r \in Readers :
          \/ ReadFast(r)
          \/ ReadQueue(r)
          \/ SeeGrant(r)
          \/ UpRead(r)
    \/ \E w \in Writers :
          \/ WriteFast(w)
          \/ WriteUndo(w)
          \/ Steal(w)
          \/ WriteQueue(w)
          \/ Take(w)
          \/ UpWrite(w)
    \/ \E t \in Task :
          \/ Sleep(t)
          \/ MarkWake(t)
          \/ Grant(t)
          \/ BackOut(t)
          \/ Add(t)
          \/ Clear(t)
          \/ Rouse(t)

Spec == Init /\ [][Next]_vars

\* As in Rwsem: whoever is inside the code goes on, one disjunction a task.
Proceed(t) ==
    \/ t \in Readers /\ (ReadQueue(t) \/ SeeGrant(t) \/ UpRead(t))
    \/ t \in Writers /\ (\/ WriteUndo(t) \/ Steal(t) \/ WriteQueue(t)
                         \/ Take(t) \/ UpWrite(t))
    \/ Sleep(t) \/ MarkWake(t) \/ Grant(t) \/ BackOut(t)
    \/ Add(t) \/ Clear(t) \/ Rouse(t)
FairSpec == Spec /\ \A t \in Task : WF_vars(Proceed(t))

-----------------------------------------------------------------------------
\* A writer is alone inside.
MutualExclusion == Holders \cap Writers # {} => Cardinality(Holders) = 1

\* A reader that has been granted the lock and sleeps will be woken: by a waker
\* that is not done with it.
NoLostWakeup ==
    \A r \in granted : pc[r] = "sleep" => r \in chosen /\ "Rouse" \in Range(plan)

\* Whoever is inside is in the count, or a writer takes the lock for free.
HoldersCounted == Cardinality(Holders) <= Active(count)

ReaderProgress == \A r \in Readers : pc[r] = "failed" ~> pc[r] = "hold"
WriterProgress == \A w \in Writers : pc[w] = "failed" ~> pc[w] = "hold"
=============================================================================
