----------------------------- MODULE RwsemCount -----------------------------
(***************************************************************************)
(* The rwsem of Linux 4.20 to 5.2 with its real count, and of 4.9 to 4.19  *)
(* but for ReadAfterAll (4b486b535c33): one word that tasks add to first   *)
(* and examine afterwards, and undo where they were wrong.                 *)
(* Rwsem has the queueing discipline; this module has what the discipline  *)
(* rests on, and the bugs that were in it.                                 *)
(*                                                                         *)
(* MODELLED.  kernel/locking/rwsem-xadd.c and rwsem.h, 4.20: each atomic   *)
(* operation on sem->count is one step, and so is what the task decides on *)
(* the value that the operation returns to it.  wait_lock is taken with    *)
(* the first operation under it and dropped in a step of its own, so it is *)
(* held from a waiter's insertion to the end of the wake-up that the       *)
(* insertion calls for, and to the try of a writer that found the lock     *)
(* free.  A releaser that has seen a spinner, and finds wait_lock taken,   *)
(* leaves the queue alone.  A sleeping reader leaves when its waiter.task  *)
(* is NULL, whoever cleared it.                                            *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  Memory is sequentially consistent, except that   *)
(* the policy may load sem->osq early.  Checking waiter.task, or the count *)
(* in a writer's loop, and going to sleep is one step, as                  *)
(* set_current_state makes it.  wake_up_q runs inside wait_lock (the       *)
(* kernel drops it first) and the readers of one wake-up are cleared at    *)
(* once.  wait_lock is fair (a queued spin lock).                          *)
(*                                                                         *)
(* OUT OF SCOPE.  downgrade, trylock, killable waits, the order of the osq *)
(* and what ends a spin (a spinner may stop whenever it likes).            *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    Readers, Writers,
    Policy      \* one of the records below

Task == Readers \cup Writers
None == "none"

-----------------------------------------------------------------------------
(* The decisions in which the releases differ.                             *)
(*                                                                         *)
(*   order  in which order a waker counts the readers that it lets in      *)
(*          ("Add"), clears their waiter.task ("Clear"), and has them      *)
(*          woken ("Rouse")                                                *)
(*   skip   when a releaser leaves the queue alone: "never", or if it has  *)
(*          seen a spinner and wait_lock is taken ("contended"); "early"   *)
(*          is the same, with a load of sem->osq that may come before the  *)
(*          release itself                                                 *)

\* rwsem-xadd.c of 5.2, with a9e9bcb45b15: the count first, then the tasks.
\* @type: () => $policy;
TwoPass == [order |-> <<"Add", "Clear", "Rouse">>, skip |-> "contended"]
\* 70800c3c0cc5 (4.9 to 5.1): one pass over the readers, the count afterwards.
\* @type: () => $policy;
OnePassWake == [TwoPass EXCEPT !.order = <<"Clear", "Add", "Rouse">>]
\* e38513905eea, mended by e158488be27b (5.0): wake_q_add before waiter.task is
\* cleared.  A task that is on another waker's wake_q already is not added, and
\* that waker's wake-up may come at once.
\* @type: () => $policy;
WakeQBeforeClear == [TwoPass EXCEPT !.order = <<"Add", "Rouse", "Clear">>]
\* 4.9 to 4.20, which have both.
\* @type: () => $policy;
WakeQInOnePass == [TwoPass EXCEPT !.order = <<"Rouse", "Clear", "Add">>]
\* 59aabfc7e959 (4.2), mended by 9c29c31830a4 (4.14): nothing orders the load of
\* sem->osq after the release.
\* @type: () => $policy;
EarlySpinnerLoad == [TwoPass EXCEPT !.skip = "early"]
\* 5c1ec49b60cd (5.3) takes the skipped wake-up out.
\* @type: () => $policy;
NoWakeSkip == [TwoPass EXCEPT !.skip = "never"]

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
Holders     == {t \in Task : pc[t] \in {"hold", "early", "took"}}
Spinners    == {w \in Writers : pc[w] = "spin"}     \* rwsem_has_spinner
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
                        "spin",     \* a writer, undone, in sem->osq
                        "block",    \* it has left sem->osq and is to queue
                        "try",      \* has wait_lock and has just queued, will try
                        "wait",     \* queued, runs
                        "retry",    \* a queued writer that ran and has wait_lock
                        "sleep",    \* queued, asleep
                        "took",     \* holds the lock, and wait_lock
                        "hold",
                        "early",    \* holds the lock, has seen a spinner
                        "wake",     \* must wake the queue
                        "seen",     \* the same, has seen a spinner
                        "mark",     \* has wait_lock, will wake the queue
                        "undo",     \* has it, added a read bias in vain
                        "grant",    \* has it, is letting readers in
                        "unlock"}]  \* has it, is done with it
    /\ waitlock = None <=>
        \A t \in Task : pc[t] \notin {"try", "retry", "took", "mark", "undo", "grant", "unlock"}

Init ==
    /\ count = 0
    /\ list = <<>>
    /\ waitlock = None
    /\ granted = {}
    /\ chosen = {}
    /\ plan = <<>>
    /\ pc = [t \in Task |-> "idle"]

Goto(t, s) == pc' = [pc EXCEPT ![t] = s]

\* raw_spin_lock_irq(&sem->wait_lock), with the first step under it.
Lock(t) == waitlock = None /\ waitlock' = t

-----------------------------------------------------------------------------
(* Taking the lock.                                                        *)

\* __down_read: xadd, success if the result is positive.
ReadFast(r) ==
    /\ pc[r] = "idle"
    /\ count' = count + ActiveBias
    /\ Goto(r, IF count' > 0 THEN "hold" ELSE "failed")
    /\ UNCHANGED <<list, waitlock, waking>>

\* __rwsem_down_read_failed_common: nobody waits and no writer is in, so that
\* the reader leaves with the lock, which its bias has got it.
ReadAfterAll(r) ==
    /\ r \in Readers
    /\ pc[r] = "failed"
    /\ list = <<>>
    /\ count >= 0
    /\ Lock(r)
    /\ Goto(r, "took")
    /\ UNCHANGED <<count, list, waking>>

\* Else it queues and takes its own bias out again.  If nobody is active, or it
\* is first and no writer is, it wakes the queue.
ReadQueue(r) ==
    /\ r \in Readers
    /\ pc[r] = "failed"
    /\ ~(list = <<>> /\ count >= 0)
    /\ Lock(r)
    /\ list' = Append(list, r)
    /\ count' = count - ActiveBias + (IF list = <<>> THEN WaitingBias ELSE 0)
    /\ Goto(r, IF count' = WaitingBias \/ (count' > WaitingBias /\ list = <<>>)
               THEN "mark" ELSE "unlock")
    /\ UNCHANGED waking

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

\* rwsem_optimistic_spin gives up: osq_unlock.
GiveUp(w) ==
    /\ pc[w] = "spin"
    /\ Goto(w, "block")
    /\ UNCHANGED <<count, list, waitlock, waking>>

\* The writer queues, and goes on as the count tells it that it has read or
\* made: it tries for a lock that is free; if readers hold the lock, it lets in
\* those who are at the front of the queue.
WriteQueue(w) ==
    /\ pc[w] = "block"
    /\ Lock(w)
    /\ list' = Append(list, w)
    /\ count' = IF list = <<>> THEN count + WaitingBias ELSE count
    /\ Goto(w, IF count' = WaitingBias THEN "try"
               ELSE IF FirstIsReader /\ count' > WaitingBias THEN "mark" ELSE "unlock")
    /\ UNCHANGED waking

\* A queued writer that runs finds nobody active, and takes wait_lock.
Retry(w) ==
    /\ w \in Writers
    /\ pc[w] = "wait"
    /\ Active(count) = 0
    /\ Lock(w)
    /\ Goto(w, "retry")
    /\ UNCHANGED <<count, list, waking>>

\* rwsem_try_write_lock, with success, wherever it stands in the queue ...
Take(w) ==
    /\ pc[w] \in {"try", "retry"}
    /\ count = WaitingBias
    /\ count' = IF Len(list) = 1 THEN WriteBias ELSE WriteBias + WaitingBias
    /\ list' = SelectSeq(list, LAMBDA t : t # w)
    /\ Goto(w, "took")
    /\ UNCHANGED <<waitlock, waking>>

\* ... and without.
Miss(w) ==
    /\ pc[w] \in {"try", "retry"}
    /\ count # WaitingBias
    /\ Goto(w, "unlock")
    /\ UNCHANGED <<count, list, waitlock, waking>>

Sleep(t) ==
    /\ pc[t] = "wait"
    /\ IF t \in Readers THEN t \notin granted ELSE Active(count) # 0
    /\ Goto(t, "sleep")
    /\ UNCHANGED <<count, list, waitlock, waking>>

-----------------------------------------------------------------------------
(* Releasing it.                                                           *)

\* The load of sem->osq in rwsem_wake, before the release that calls it.
LoadEarly(t) ==
    /\ Policy.skip = "early"
    /\ pc[t] = "hold"
    /\ Spinners # {}
    /\ Goto(t, "early")
    /\ UNCHANGED <<count, list, waitlock, waking>>

\* Where a releaser goes on that is to wake the queue.
ToWake(t) == IF pc[t] = "early" THEN "seen" ELSE "wake"

\* __up_read: wake if this was the last active task and somebody waits.
UpRead(r) ==
    /\ r \in Readers
    /\ pc[r] \in {"hold", "early"}
    /\ count' = count - ActiveBias
    /\ Goto(r, IF count' < -1 /\ Active(count') = 0 THEN ToWake(r) ELSE "idle")
    /\ UNCHANGED <<list, waitlock, waking>>

\* __up_write: wake if somebody waits.
UpWrite(w) ==
    /\ w \in Writers
    /\ pc[w] \in {"hold", "early"}
    /\ count' = count - WriteBias
    /\ Goto(w, IF count' < 0 THEN ToWake(w) ELSE "idle")
    /\ UNCHANGED <<list, waitlock, waking>>

\* rwsem_wake: rwsem_has_spinner, and the answer is yes.
SeeSpinner(t) ==
    /\ Policy.skip # "never"
    /\ pc[t] = "wake"
    /\ Spinners # {}
    /\ Goto(t, "seen")
    /\ UNCHANGED <<count, list, waitlock, waking>>

\* raw_spin_trylock_irqsave fails: the spinner will look after the queue.
SkipWake(t) ==
    /\ pc[t] = "seen"
    /\ waitlock # None
    /\ Goto(t, "idle")
    /\ UNCHANGED <<count, list, waitlock, waking>>

\* wait_lock is taken, with or without having seen a spinner.
WakeLock(t) ==
    /\ pc[t] \in {"wake", "seen"}
    /\ Lock(t)
    /\ Goto(t, IF list = <<>> THEN "unlock" ELSE "mark")
    /\ UNCHANGED <<count, list, waking>>

\* __rwsem_mark_wake: a writer at the head is woken, nothing more (nobody calls
\* this with a writer at the head to wake readers only); for a reader a read
\* bias is added, and the readers at the front are let in if the count that it
\* was added to shows no writer.
MarkWake(t) ==
    /\ pc[t] = "mark"
    /\ IF FirstIsReader
       THEN /\ count' = count + ActiveBias
            /\ IF count >= WaitingBias
               THEN /\ chosen' = FrontReaders(list)
                    /\ list' = SelectSeq(list, LAMBDA u : u \notin FrontReaders(list))
                    /\ plan' = Policy.order
                    /\ Goto(t, "grant")
               ELSE Goto(t, "undo") /\ UNCHANGED <<list, chosen, plan>>
       ELSE /\ pc' = [u \in Task |->
                        IF u = t THEN "unlock"
                        ELSE IF u = Head(list) /\ pc[u] = "sleep"
                             THEN "wait" ELSE pc[u]]
            /\ UNCHANGED <<count, list, chosen, plan>>
    /\ UNCHANGED <<waitlock, granted>>

\* A writer stole the lock: take the bias out, and try again if it has left.
BackOut(t) ==
    /\ pc[t] = "undo"
    /\ count' = count - ActiveBias
    /\ Goto(t, IF count' < WaitingBias THEN "unlock" ELSE "mark")
    /\ UNCHANGED <<list, waitlock, waking>>

\* What every step of the plan does besides its work.
Planned(t, step) == pc[t] = "grant" /\ Head(plan) = step
Finish(t, p) ==
    LET last == Len(plan) = 1
    IN /\ plan' = Tail(plan)
       /\ chosen' = IF last THEN {} ELSE chosen
       /\ pc' = IF last THEN [p EXCEPT ![t] = "unlock"] ELSE p

\* sem->count gets one bias a reader (the tentative one is one of them), and
\* loses the waiting bias if nobody is left.
Add(t) ==
    /\ Planned(t, "Add")
    /\ count' = count + (Cardinality(chosen) - 1) * ActiveBias
                      - (IF list = <<>> THEN WaitingBias ELSE 0)
    /\ Finish(t, pc)
    /\ UNCHANGED <<list, waitlock, granted>>

\* waiter.task = NULL: from here on a reader that runs leaves with the lock.
Clear(t) ==
    /\ Planned(t, "Clear")
    /\ granted' = granted \cup chosen
    /\ Finish(t, pc)
    /\ UNCHANGED <<count, list, waitlock>>

\* wake_up_q.
Rouse(t) ==
    /\ Planned(t, "Rouse")
    /\ Finish(t, [u \in Task |->
                    IF u \in chosen /\ pc[u] = "sleep" THEN "wait" ELSE pc[u]])
    /\ UNCHANGED <<count, list, waitlock, granted>>

\* raw_spin_unlock_irq.  A holder goes on with the lock, a releaser is done, a
\* reader looks at its waiter.task; a writer that has not got the lock goes to
\* sleep without another look at the count.
Unlock(t) ==
    /\ pc[t] \in {"unlock", "took"}
    /\ waitlock' = None
    /\ Goto(t, IF pc[t] = "took" THEN "hold"
               ELSE IF t \in granted THEN "wait"
               ELSE IF t \notin Range(list) THEN "idle"
               ELSE IF t \in Readers THEN "wait" ELSE "sleep")
    /\ UNCHANGED <<count, list, waking>>

-----------------------------------------------------------------------------
Next ==
    \/ \E r \in Readers :
          \/ ReadFast(r)
          \/ ReadAfterAll(r)
          \/ ReadQueue(r)
          \/ SeeGrant(r)
          \/ UpRead(r)
    \/ \E w \in Writers :
          \/ WriteFast(w)
          \/ WriteUndo(w)
          \/ Steal(w)
          \/ GiveUp(w)
          \/ WriteQueue(w)
          \/ Retry(w)
          \/ Take(w)
          \/ Miss(w)
          \/ UpWrite(w)
    \/ \E t \in Task :
          \/ Sleep(t)
          \/ LoadEarly(t)
          \/ SeeSpinner(t)
          \/ SkipWake(t)
          \/ WakeLock(t)
          \/ MarkWake(t)
          \/ BackOut(t)
          \/ Add(t)
          \/ Clear(t)
          \/ Rouse(t)
          \/ Unlock(t)

Spec == Init /\ [][Next]_vars

\* Whoever spins for wait_lock gets it in its turn, whoever else does.
Locks(t) ==
    \/ t \in Readers /\ (ReadAfterAll(t) \/ ReadQueue(t))
    \/ t \in Writers /\ (WriteQueue(t) \/ Retry(t))
    \/ WakeLock(t)

\* As in Rwsem: whoever is inside the code goes on, one disjunction a task.
Proceed(t) ==
    \/ t \in Readers /\ (SeeGrant(t) \/ UpRead(t))
    \/ t \in Writers /\ (\/ WriteUndo(t) \/ Steal(t) \/ GiveUp(t)
                         \/ Take(t) \/ Miss(t) \/ UpWrite(t))
    \/ Sleep(t) \/ SkipWake(t) \/ MarkWake(t) \/ BackOut(t)
    \/ Add(t) \/ Clear(t) \/ Rouse(t) \/ Unlock(t) \/ Locks(t)

TasksProceed == \A t \in Task : WF_vars(Proceed(t)) /\ SF_vars(Locks(t))
FairSpec     == Spec /\ TasksProceed

-----------------------------------------------------------------------------
\* A writer is alone inside.
MutualExclusion == Holders \cap Writers # {} => Cardinality(Holders) = 1

\* A reader that has been granted the lock and sleeps will be woken: by a waker
\* that is not done with it.
NoLostWakeup ==
    \A r \in granted : pc[r] = "sleep" => r \in chosen /\ "Rouse" \in Range(plan)

\* Whoever is inside is in the count, or a writer takes the lock for free.
HoldersCounted == Cardinality(Holders) <= Active(count)

\* If nobody is active and somebody waits, a task is under way that will take
\* the lock or wake the queue.
NoIdleLockWithWaiters ==
    Active(count) = 0 /\ list # <<>> =>
        \E t \in Task :
            \/ pc[t] \in {"spin", "block", "try", "retry", "wake", "seen", "mark", "undo", "grant"}
            \/ t \in Writers /\ pc[t] = "wait"

ReaderProgress == \A r \in Readers : pc[r] = "failed" ~> pc[r] = "hold"
WriterProgress == \A w \in Writers : pc[w] = "failed" ~> pc[w] = "hold"
=============================================================================
