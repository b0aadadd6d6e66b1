------------------------------- MODULE Rwsem -------------------------------
(***************************************************************************)
(* A reader/writer semaphore with a wait queue, for all the designs that   *)
(* were argued about in "Long read latencies on mixed rw buffered IO"      *)
(* (XFS, 2019): one main line, and decisions in which they differ.  Module *)
(* RwsemPolicies has a field for each, and says how each design decides.   *)
(*                                                                         *)
(* MODELLED.  Tasks that for ever take the lock, for reading or for        *)
(* writing, and release it.  The lock is XFS's i_rwsem (since Linux 4.10;  *)
(* for 4.9 see XfsTwoLevel), i.e. kernel/locking/rwsem-xadd.c up to 5.2    *)
(* and kernel/locking/rwsem.c since; IRIX's MRLOCK_BARRIER as the six      *)
(* rules of the thread describe it; and early Linux XFS's mrlock.c.        *)
(* Releasing the lock and waking the queue are two steps, because they     *)
(* are in the kernel (up_write, then rwsem_wake under wait_lock): what     *)
(* fits in between is a steal.                                             *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  The count is ideal: trying the lock is one       *)
(* atomic step, and a failed try leaves no trace.  wait_lock makes each    *)
(* slow-path step atomic.  (BiasedRwsem has what is different where that   *)
(* is not so; RwsemCount and RwsemFlags have the word itself, and          *)
(* implement it.)  No task dies or gives up its wait.                      *)
(*                                                                         *)
(* OUT OF SCOPE.  RT tasks, killable waits, the limit of 256 readers to a  *)
(* wake-up, the owner field and its NONSPINNABLE bits (a task may stop     *)
(* spinning whenever it likes, as need_resched() makes it).                *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, RwsemPolicies

CONSTANTS
    Readers,    \* tasks that take the lock for reading
    Writers,    \* tasks that take the lock for writing
    Policy,     \* the design: one of the records of module RwsemPolicies
    Downgraders \* writers that may turn their lock into a reader's

Task == Readers \cup Writers

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    queue,      \* the waiters, a sequence of tasks, first to be served first
    expired,    \* the first waiter has waited for RWSEM_WAIT_TIMEOUT (4 ms)
    handoff     \* RWSEM_FLAG_HANDOFF: only the first waiter may take the lock

vars == <<pc, queue, expired, handoff>>

-----------------------------------------------------------------------------
(* The state of the lock.                                                  *)

Kind(t)  == IF t \in Readers THEN "R" ELSE "W"
\* @type: Seq(a) => Set(a);
Range(s) == {s[i] : i \in DOMAIN s}

\* Whoever a call of down_read or down_write has returned to, and who has
\* not called up_read or up_write yet.  The lock's own view of its holders is
\* the same set, because the count is ideal.
Holders == {t \in Task : pc[t] \in {"hold", "shared", "dwake"}}

WriteHeld     == \E w \in Writers : pc[w] = "hold"
ReadHeld      == Holders # {} /\ ~WriteHeld
PendingReader == Range(queue) \cap Readers # {}
PendingWriter == Range(queue) \cap Writers # {}

\* The lock's state lets t in, whoever else may be waiting (SHARED: readers may
\* be in together).
Compatible(t) ==
    IF t \in Readers /\ Policy.shared THEN ~WriteHeld ELSE Holders = {}

-----------------------------------------------------------------------------
(* Sequences of waiters.                                                   *)

\* @type: (Seq(TASK), Set(TASK)) => Seq(TASK);
Without(q, S) == SelectSeq(q, LAMBDA t : t \notin S)

\* How many tasks of kind k stand at the front of q, before any other kind.
\* @type: (Seq(TASK), Str) => Int;
FrontRun(q, k) ==
    Cardinality({i \in DOMAIN q : \A j \in DOMAIN q : j <= i => Kind(q[j]) = k})

\* q with t put in behind its first n waiters.
\* @type: (Seq(TASK), Int, TASK) => Seq(TASK);
InsertAt(q, n, t) == SubSeq(q, 1, n) \o <<t>> \o SubSeq(q, n + 1, Len(q))

\* The position of the last reader in q.
\* @type: Seq(TASK) => Int;
LastReader(q) ==
    CHOOSE i \in DOMAIN q :
        /\ q[i] \in Readers
        /\ \A j \in DOMAIN q : q[j] \in Readers => j <= i

\* A batch is a longest run of waiters of one kind.
\* @type: Seq(TASK) => Int;
Batches(q) == Cardinality({i \in DOMAIN q : i = 1 \/ Kind(q[i]) # Kind(q[i-1])})

-----------------------------------------------------------------------------
(* The decisions in which the designs differ.                              *)

\* BARGE: may t, on arrival, take a compatible lock although others wait?
\* (Nobody needs this permission while nobody waits.)
Barges(t) ==
    CASE Policy.barge = "nobody"       -> FALSE
      \* pre-1997 IRIX: a reader enters whenever no writer is inside
      [] Policy.barge = "readers"      -> t \in Readers
      \* mrlock.c: a writer looks at mr_count only; a reader makes way for
      \* mr_writes_waiting
      [] Policy.barge = "mrlock"       -> t \in Writers \/ ~PendingWriter
      \* rwsem_down_read_slowpath since 5.11: a reader steals, but only a lock
      \* that no other reader holds
      [] Policy.barge = "free-readers" -> t \in Readers /\ Holders = {} /\ ~handoff

\* SPIN: the kinds that spin before they queue, and take the lock past the
\* queue when they see it free (rwsem_optimistic_spin: "steal").
Spins(t)    == Kind(t) \in Policy.spin
MaySteal(t) == Spins(t) /\ Compatible(t) /\ ~handoff

\* PLACE: where in the queue does t go?
Place(t) ==
    LET q      == queue
        tail   == Append(q, t)
        \* a reader joins the pending readers, if there are any
        joined == IF t \in Readers /\ PendingReader
                  THEN InsertAt(q, LastReader(q), t) ELSE tail
    IN CASE Policy.place = "tail" -> tail
         [] Policy.place = "join-readers" -> joined
         \* as join-readers, and a writer joins the writers at the front
         \* while the lock is held for reading / for writing
         [] Policy.place \in {"join-writers-if-read-held", "join-writers-if-write-held"} ->
              LET held == IF Policy.place = "join-writers-if-read-held"
                          THEN ReadHeld ELSE WriteHeld
                  n    == FrontRun(q, "W")
              IN IF t \in Writers /\ held /\ n > 0
                 THEN InsertAt(q, n, t) ELSE joined
         \* a reader goes to the head if a reader is at the head
         [] Policy.place = "head-if-reader" ->
              IF t \in Readers /\ q # <<>> /\ Head(q) \in Readers
              THEN <<t>> \o q ELSE tail

\* ENQUEUE: a writer that stops to spin is queued, whatever the lock's state,
\* before it tries once more.
QueuesFirst(t) == Policy.enqueue = "first" /\ t \in Writers

\* WAKE: who gets the lock from the task that wakes the queue q (grant:
\* out of the queue, holding), and who is merely woken, to try for itself?
AllReaders(q) == Range(q) \cap Readers
\* @type: Seq(TASK) => Set(TASK);
FrontReaders(q) ==
    {q[i] : i \in {j \in DOMAIN q : \A k \in DOMAIN q : k <= j => q[k] \in Readers}}
\* The readers that a lock held for reading lets in.
ReadersAhead(q) ==
    CASE Policy.wake = "readers-first" -> AllReaders(q)
      [] Policy.wake \in {"all-readers", "everybody"} ->
           IF FrontReaders(q) # {} THEN AllReaders(q) ELSE {}
      [] Policy.wake \in {"front-batch", "front-readers"} -> FrontReaders(q)
      [] Policy.wake = "mrlock" -> {}
ServesReader(q) ==
    Head(q) \in Readers \/ (Policy.wake = "readers-first" /\ AllReaders(q) # {})
Granted(q) ==
    IF q = <<>> THEN {}
    ELSE IF ~(IF ServesReader(q) /\ Policy.shared THEN ~WriteHeld ELSE Holders = {}) THEN {}
    ELSE CASE Policy.wake = "front-batch" ->
                IF Head(q) \in Readers /\ Policy.shared
                THEN FrontReaders(q) ELSE {Head(q)}
           [] Policy.wake = "readers-first" ->
                IF AllReaders(q) # {} THEN AllReaders(q) ELSE {Head(q)}
           \* the rwsem family: a writer at the head is only woken
           [] Policy.wake = "front-readers" -> FrontReaders(q)
           [] Policy.wake = "all-readers" ->
                IF Head(q) \in Readers THEN AllReaders(q) ELSE {}
           [] Policy.wake = "everybody" ->
                IF Head(q) \in Readers THEN Range(q) ELSE {}
           [] Policy.wake = "mrlock" -> {}
Roused(q) ==
    IF q = <<>> THEN {}
    ELSE CASE Policy.wake \in {"front-batch", "readers-first"} -> {}
           [] Policy.wake \in {"front-readers", "all-readers", "everybody"} ->
                {Head(q)} \cap Writers
           \* mrwake: the writers if any wait, else the readers
           [] Policy.wake = "mrlock" ->
                IF PendingWriter THEN Range(q) \cap Writers ELSE Range(q)

\* A task that queues looks once more, under wait_lock, whether the queue must
\* be woken (rwsem_cond_wake_waiter); designs that hand the lock over need not.
SelfWakes ==
    Policy.wake = "front-readers" \/ Policy.wake = "all-readers" \/ Policy.wake = "everybody"

\* SKIP: a releaser may leave the queue to a spinner, who will take the lock, or
\* will queue, and wake the queue after that.
MaySkipWake == Policy.skip /\ \E t \in Task : pc[t] = "spin"

\* TAKE: may t, a waiter that runs, take the lock by itself?
\* (Readers of the rwsem family sleep until they are granted the lock.)
Retries(t) ==
    CASE Policy.take = "never"   -> FALSE
      [] Policy.take = "writers-anywhere" -> t \in Writers
      [] Policy.take = "writers-first"    -> t \in Writers
      [] Policy.take = "everybody"        -> TRUE
MayTake(t) ==
    /\ Retries(t)
    /\ Compatible(t)
    /\ Policy.take = "writers-first" \/ handoff => t = Head(queue)

\* HANDOFF: the first waiter, when its time is up, may demand the lock: see
\* Sleep, Demand, DemandForFirst, Wake and Expire.

-----------------------------------------------------------------------------
TypeOK ==
    /\ pc \in [Task -> {"idle",     \* does not want the lock
                        "spin",     \* wants it, spins, is not queued
                        "wait",     \* queued, asleep
                        "try",      \* queued, runs, will try for itself
                        "hold",     \* has it
                        "shared",   \* a writer that has it for reading: downgraded
                        "dwake",    \* the same, before it has let readers in
                        "wake"}]    \* has released it, must wake the queue
    /\ Range(queue) = {t \in Task : pc[t] \in {"wait", "try"}}
    /\ Len(queue) = Cardinality(Range(queue))
    /\ expired \in BOOLEAN
    /\ handoff \in BOOLEAN

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ queue = <<>>
    /\ expired = FALSE
    /\ handoff = FALSE

\* What follows from any step that has fixed pc' and queue'.  The timer and
\* the hand-off belong to the first waiter and go with it.
Settle(expires, demands) ==
    LET sameFirst == /\ queue # <<>> /\ queue' # <<>>
                     /\ Head(queue') = Head(queue)
    IN /\ expired' = (sameFirst /\ (expired \/ expires))
       /\ handoff' = (sameFirst /\ (handoff \/ demands))

\* The lock goes to the tasks of G, out of the queue q; p is the rest of pc.
Acquire(G, q, p) ==
    /\ queue' = Without(q, G)
    /\ pc' = [u \in Task |-> IF u \in G THEN "hold" ELSE p[u]]

-----------------------------------------------------------------------------
(* The steps of a task.                                                    *)

\* down_read, down_write, fast path; and arrivals that may barge.  A reader of
\* 5.11 that steals a lock with waiters lets the queued readers in with it, if
\* one is at the head (RWSEM_WAKE_READ_OWNED).
Enter(t) ==
    /\ pc[t] = "idle"
    /\ Compatible(t)
    /\ queue = <<>> \/ Barges(t)
    /\ Acquire({t} \cup (IF SelfWakes /\ t \in Readers THEN Granted(queue) ELSE {}),
               queue, pc)
    /\ Settle(FALSE, FALSE)

\* The fast path fails and the owner is on a CPU: rwsem_optimistic_spin.
Spin(t) ==
    /\ pc[t] = "idle"
    /\ Spins(t)
    /\ ~(Compatible(t) /\ queue = <<>>)
    /\ pc' = [pc EXCEPT ![t] = "spin"]
    /\ queue' = queue
    /\ Settle(FALSE, FALSE)

\* rwsem_try_write_lock_unqueued (and, 5.3 to 5.10, rwsem_try_read_lock_unqueued):
\* the queue is not looked at.  No lock is held: it is one cmpxchg.
Steal(t) ==
    /\ pc[t] = "spin"
    /\ MaySteal(t)
    /\ Acquire({t} \cup (IF t \in Readers THEN Granted(queue) ELSE {}), queue, pc)
    /\ Settle(FALSE, FALSE)

\* t is put in the queue, and wakes whom its insertion calls for.
Enqueue(t) ==
    /\ LET q == Place(t)
           p == [pc EXCEPT ![t] = IF QueuesFirst(t) THEN "try" ELSE "wait"]
           wakes == SelfWakes /\ ~WriteHeld
       IN Acquire(IF wakes THEN Granted(q) ELSE {}, q,
                  [u \in Task |-> IF wakes /\ Holders = {} /\ u \in Roused(q)
                                  THEN "try" ELSE p[u]])
    /\ Settle(FALSE, FALSE)

\* rwsem_down_read_slowpath, rwsem_down_write_slowpath: one hold of wait_lock,
\* from the insertion to the wake-up that the insertion calls for.  A spinner
\* may give up at any time.  If the lock is free then, a writer of
\* rwsem-xadd.c takes it, since it tries in the same hold of wait_lock: that is
\* Steal.  A writer of rwsem.c wakes the queue first, for which wait_lock may be
\* dropped, and tries after that.
Queue(t) ==
    /\ \/ pc[t] = "spin" /\ (t \in Writers /\ ~QueuesFirst(t) => ~MaySteal(t))
       \/ pc[t] = "idle" /\ ~Spins(t)
                         /\ ~(Compatible(t) /\ (queue = <<>> \/ Barges(t)))
    /\ Enqueue(t)

\* rwsem_try_write_lock under wait_lock, with success.
Take(t) ==
    /\ pc[t] = "try"
    /\ MayTake(t)
    /\ Acquire({t}, queue, pc)
    /\ Settle(FALSE, FALSE)

\* The same without success: back to sleep.  A writer that is first and late
\* demands the hand-off with it: only by one that runs is it demanded.
Sleep(t) ==
    /\ pc[t] = "try"
    /\ ~MayTake(t)
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ queue' = queue
    /\ Settle(FALSE, Policy.handoff /\ expired /\ t = Head(queue) /\ Holders # {})

\* Who demands the lock for the first waiter need not sleep: a writer spins on
\* the owner (rwsem_down_write_slowpath, since 5.3) or is being woken, and a task
\* that queues backs out of waking the reader at the head (rwsem_mark_wake).  The
\* lock may be free: a bias was in the count.
Demand ==
    /\ Policy.handoff
    /\ expired
    /\ ~handoff
    /\ Head(queue) \in Readers \/ \E t \in Task : pc[t] = "try"
    /\ UNCHANGED <<pc, queue>>
    /\ Settle(FALSE, TRUE)

\* A writer that is not the first demands the lock for the first, and sleeps: any
\* waiter that is late may set the flag (rwsem_try_write_lock, since 5.16).
DemandForFirst(t) ==
    /\ Policy.handoff
    /\ expired
    /\ ~handoff
    /\ pc[t] = "try"
    /\ t # Head(queue)
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ queue' = queue
    /\ Settle(FALSE, TRUE)

\* up_read, up_write: the count, and nothing else.  The last holder finds
\* waiters and goes on to wake them; until it does, the lock is free.
Release(t) ==
    /\ pc[t] \in {"hold", "shared"}
    /\ pc' = [pc EXCEPT ![t] = IF Holders = {t} /\ queue # <<>> THEN "wake" ELSE "idle"]
    /\ queue' = queue
    /\ Settle(FALSE, FALSE)

\* downgrade_write: the writer goes on as a reader, and lets in the readers that
\* a wake-up would.  In the rwsem family that is a step of its own, as it is
\* where the lock is released.
Downgrade(t) ==
    /\ t \in Downgraders
    /\ pc[t] = "hold"
    /\ IF SelfWakes /\ queue # <<>>
       THEN pc' = [pc EXCEPT ![t] = "dwake"] /\ queue' = queue
       ELSE Acquire(IF Policy.shared THEN ReadersAhead(queue) ELSE {},
                    queue, [pc EXCEPT ![t] = "shared"])
    /\ Settle(FALSE, FALSE)

\* rwsem_downgrade_wake, under wait_lock (RWSEM_WAKE_READ_OWNED: a writer at the
\* head is not woken, and no reader demands the hand-off).
DowngradeWake(t) ==
    /\ pc[t] = "dwake"
    /\ Acquire(ReadersAhead(queue), queue, [pc EXCEPT ![t] = "shared"])
    /\ Settle(FALSE, FALSE)

\* rwsem_wake, rwsem_mark_wake under wait_lock.  A reader at the head that finds
\* a thief inside demands the hand-off, if its time is up.
Wake(t) ==
    /\ pc[t] = "wake"
    /\ Acquire(Granted(queue), queue,
               [u \in Task |-> IF u = t THEN "idle"
                               ELSE IF u \in Roused(queue) THEN "try" ELSE pc[u]])
    /\ Settle(FALSE, /\ Policy.handoff /\ expired /\ queue # <<>>
                     /\ Head(queue) \in Readers /\ WriteHeld)

\* rwsem_wake of 4.2 to 5.2 gives up if somebody spins and wait_lock is taken
\* (59aabfc7e959).  It also lets nobody in as long as a writer's failed try is
\* in the count, and that writer spins next.
SkipWake(t) ==
    /\ pc[t] = "wake"
    /\ MaySkipWake
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ queue' = queue
    /\ Settle(FALSE, FALSE)

\* RWSEM_WAIT_TIMEOUT has passed for the first waiter.
Expire ==
    /\ Policy.handoff
    /\ queue # <<>>
    /\ ~expired
    /\ UNCHANGED <<pc, queue>>
    /\ Settle(TRUE, FALSE)

Next ==
    \/ \E t \in Task :
          \/ Enter(t)
          \/ Spin(t)
          \/ Steal(t)
          \/ Queue(t)
          \/ Take(t)
          \/ Sleep(t)
          \/ Release(t)
          \/ Downgrade(t)
          \/ DowngradeWake(t)
          \/ Wake(t)
          \/ SkipWake(t)
          \/ DemandForFirst(t)
    \/ Demand
    \/ Expire

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Fairness.                                                               *)

\* What the scheduler and the holder's code guarantee: a task inside the lock's
\* code or inside the critical section goes on.  One disjunction a task, since
\* a single step may be disabled by others again and again.  A spinner's way
\* out is need_resched().  Nobody is obliged to arrive or to downgrade, and
\* nobody is promised that a race is won.
Proceed(t) ==
    \/ pc[t] = "spin" /\ (Steal(t) \/ Queue(t))
    \/ Take(t)
    \/ Sleep(t)
    \/ Release(t)
    \/ DowngradeWake(t)
    \/ Wake(t)
    \/ SkipWake(t)

TasksProceed == \A t \in Task : WF_vars(Proceed(t))
FairSpec     == Spec /\ TasksProceed /\ WF_vars(Expire)

\* Controls: each takes one guarantee away.
NoTimerSpec   == Spec /\ TasksProceed
NoReleaseSpec ==
    /\ Spec
    /\ \A t \in Task : WF_vars(Proceed(t) /\ t \notin Holders)
    /\ WF_vars(Expire)

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* A writer is alone inside, unless it has downgraded.
MutualExclusion == WriteHeld => Cardinality(Holders) = 1

\* No free lock with waiters, unless somebody is bound to act on it: a releaser
\* that has not woken the queue yet, or a task that runs and may take it.
NoIdleLockWithWaiters ==
    Holders = {} /\ queue # <<>> =>
        \E t \in Task : \/ pc[t] = "wake"
                        \/ pc[t] = "try" /\ MayTake(t)
                        \/ pc[t] = "spin" /\ MaySteal(t)

\* No reader waits for readers alone, unless the one that has let them in, by
\* its downgrade, is bound to let it in too.
NoReaderWaitsForReaders ==
    ReadHeld /\ queue # <<>> /\ Head(queue) \in Readers =>
        \E w \in Writers : pc[w] = "dwake"

\* What the hand-off promises: once the first waiter has demanded the lock,
\* nobody gets it before it does.  Readers may get it with it.
HandoffToHead ==
    [][\A t \in Task :
        handoff /\ t \notin Holders /\ pc'[t] = "hold" => pc'[Head(queue)] = "hold"]_vars

\* Where only a release wakes waiters, who queues wakes nobody.
WokenByRelease ==
    [][\A t \in Task :
        pc[t] = "wait" /\ pc'[t] = "try" =>
            \E u \in Task : pc[u] = "wake" /\ pc'[u] = "idle"]_vars

AtMostThreeBatches == Batches(queue) <= 3

-----------------------------------------------------------------------------
(* Progress.                                                               *)

Contends(t) == pc[t] \in {"spin", "wait", "try"}

\* Nobody starves: every task that wants the lock gets it.
ReaderProgress == \A r \in Readers : Contends(r) ~> pc[r] = "hold"
WriterProgress == \A w \in Writers : Contends(w) ~> pc[w] = "hold"

\* A kind as a whole does not starve, though one of its tasks may.
ReaderClassProgress ==
    (\E r \in Readers : Contends(r)) ~> (\E r \in Readers : pc[r] = "hold")
WriterClassProgress ==
    (\E w \in Writers : Contends(w)) ~> (\E w \in Writers : pc[w] = "hold")
=============================================================================
