----------------------------- MODULE RwsemFlags -----------------------------
(***************************************************************************)
(* The rwsem of Linux 5.3 and later with its real count: a writer's bit,   *)
(* two flags, and a number of readers that says more than who holds the    *)
(* lock.  Rwsem has the queueing discipline; this module has the word that *)
(* it rests on (FlagCount), and who sets RWSEM_FLAG_HANDOFF.  FlagPromises *)
(* has what it keeps.                                                      *)
(*                                                                         *)
(* MODELLED.  kernel/locking/rwsem.c, without CONFIG_PREEMPT_RT.  Each     *)
(* atomic operation on sem->count is one step, and decides on the value    *)
(* that it returns.  wait_lock is held where the code holds it, so that    *)
(* only operations on the count come between.  A wake_up_q is a step of    *)
(* its own, after wait_lock.  RwsemFlagsPolicies has what the releases     *)
(* differ in.  Read for it, in 5.4.286, in the trees at d257cc8cb8d5 (of   *)
(* 5.16) and b613c7f31476 (of 6.3), and in 6.17-rc: rwsem_read_trylock,    *)
(* rwsem_mark_wake, rwsem_del_waiter, rwsem_del_wake_waiter,               *)
(* rwsem_cond_wake_waiter, rwsem_try_write_lock,                           *)
(* rwsem_try_write_lock_unqueued, rwsem_try_read_lock_unqueued,            *)
(* rwsem_spin_on_owner, rwsem_optimistic_spin, rwsem_down_read_slowpath,   *)
(* rwsem_down_write_slowpath, rwsem_wake, rwsem_downgrade_wake, __up_read, *)
(* __up_write, __downgrade_write, __down_read_trylock,                     *)
(* __down_write_trylock.  Of 6eebd5fb2083 the patch was read.  A trylock   *)
(* that succeeds is ReadFast or WriteFast with success; one that fails     *)
(* changes nothing.                                                        *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  Memory is sequentially consistent.  Setting the  *)
(* task's state, looking whether to sleep, and sleeping are one step, as   *)
(* set_current_state makes them.  A writer's store to sem->owner is one    *)
(* step with its change of the count; a reader's is a step of its own.     *)
(* A task may stop spinning whenever it likes, as need_resched() makes it. *)
(* A first operation on the count in a hold of wait_lock is one step with  *)
(* taking it, and removing a waiter with the operation that follows.       *)
(*                                                                         *)
(* OUT OF SCOPE.  The NONSPINNABLE bits of sem->owner, and sem->osq: they  *)
(* make a task stop spinning, not begin, or wait behind another spinner,   *)
(* and each of these is what a task may do here in any case.  So they only *)
(* take runs away: what holds here holds with them.  What is violated here *)
(* needs a run that they allow.  osq lets one spinner try at a time, and   *)
(* in the lassos of Flags53 and Flags63 no two spin.  The bits are set by  *)
(* a writer that has spun on readers for 10 us and half a us for each,     *)
(* rwsem_rspin_threshold; with them set no reader of 5.3 to 5.10 spins,    *)
(* until a writer has had the lock, and none can starve a writer that way. *)
(* In the runs of Flags53 the writer stops spinning before that, because   *)
(* of need_resched(), which sets no bit, or is not let to begin by it.     *)
(* The reader's second try of 5.3 (rwsem_reader_phase_trylock), a spinning *)
(* reader's back-out in 5.3, more readers than the count can hold.         *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, FlagCount, RwsemFlagsPolicies

CONSTANTS
    Readers,     \* tasks that take the lock for reading
    Writers,     \* tasks that take the lock for writing
    Release,     \* one of the records of RwsemFlagsPolicies
    Realtime,    \* writers that are RT tasks: they need not wait 4 ms
    Mortal,      \* tasks that wait killably
    Downgraders, \* writers that may turn their lock into a reader's
    MaxWake      \* MAX_READERS_WAKEUP: 256

Task == Readers \cup Writers
None == "none"

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    count,      \* sem->count
    owner,      \* sem->owner, as far as its bits go
    list,       \* sem->wait_list
    wait_lock,  \* who holds sem->wait_lock
    saw,        \* the count that a reader's fast path has returned
    timeout,    \* the waiters that have waited for RWSEM_WAIT_TIMEOUT (4 ms)
    handoff_set,\* waiter.handoff_set; up to 5.15, a writer's wstate
    roused,     \* queued writers that a wake-up has found awake: they will not sleep
    granted,    \* readers whose waiter.task is NULL, and who have not seen it
    chosen,     \* the readers that the holder of wait_lock is letting in
    type,       \* the rwsem_wake_type of rwsem_mark_wake, inside wait_lock
    wake_q,     \* whom each task has still to wake
    then        \* where each task goes on after it has woken others

\* What most steps leave as it is.
word    == <<count, owner>>
queue   == <<list, wait_lock>>
waiter  == <<timeout, handoff_set, roused>>
marking == <<granted, chosen, type, wake_q, then>>
vars    == <<pc, word, queue, saw, waiter, marking>>

-----------------------------------------------------------------------------
First(t)    == list # <<>> /\ Head(list) = t
Range(s)    == {s[i] : i \in DOMAIN s}
Minus(s, S) == SelectSeq(s, LAMBDA t : t \notin S)

\* wstate, which a writer has up to 5.15, is kept in handoff_set.
OldState == Release.try = "wstate"

TypeOK ==
    /\ pc \in [Task -> {"idle",
                        "slow",     \* a reader whose fast path failed
                        "own",      \* a reader that is in, and will say so in owner
                        "steal",    \* the same, and then it wakes others
                        "swake",    \* the same, and said so
                        "spin",     \* rwsem_optimistic_spin, not queued
                        "queue",    \* a reader that will queue, its bias in the count
                        "enqueue",  \* the same: the empty list was no way in
                        "wait",     \* a queued reader that looks at waiter.task
                        "sleep",    \* queued, asleep
                        "woke",     \* up to 5.15: a queued writer out of schedule()
                        "try",      \* a queued writer before rwsem_try_write_lock
                        "hspin",    \* a queued writer that spins on the owner
                        "leave",    \* killed, before it takes wait_lock
                        "hold",
                        "shared",   \* a writer that has downgraded
                        "dwake",    \* the same, before rwsem_downgrade_wake
                        "wake",     \* before rwsem_wake
                        "mark",     \* inside wait_lock, before rwsem_mark_wake
                        "backout",  \* has added a bias beside a writer's
                        "grant",    \* is letting readers in
                        "clear",    \* has counted them
                        "rouse"}]   \* before wake_up_q
    /\ count \in Int
    /\ owner \in {None, "reader", "writer"}
    /\ Range(list) \subseteq Task
    /\ Len(list) = Cardinality(Range(list))
    /\ wait_lock \in Task \cup {None}
    /\ saw \in [Readers -> Nat]
    /\ timeout \subseteq Range(list)
    /\ handoff_set \in [Task -> {"no", "first", "yes"}]
    /\ roused \subseteq Writers
    /\ granted \subseteq Readers
    /\ chosen \subseteq Readers
    /\ type \in {"any", "readers", "owned"}
    /\ wake_q \in [Task -> SUBSET Task]
    /\ then \in [Task -> {"idle", "wait", "try", "hold", "shared"}]

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ count = 0
    /\ owner = None
    /\ list = <<>>
    /\ wait_lock = None
    /\ saw = [r \in Readers |-> 0]
    /\ timeout = {}
    /\ handoff_set = [t \in Task |-> "no"]
    /\ roused = {}
    /\ granted = {}
    /\ chosen = {}
    /\ type = "any"
    /\ wake_q = [t \in Task |-> {}]
    /\ then = [t \in Task |-> "idle"]

Goto(t, s) == pc' = [pc EXCEPT ![t] = s]

\* The waiters of S are out of the list.
Dequeue(S) ==
    /\ list' = Minus(list, S)
    /\ timeout' = timeout \ S
    /\ roused' = roused \ S
    /\ handoff_set' = [t \in Task |-> IF t \in S THEN "no" ELSE handoff_set[t]]

-----------------------------------------------------------------------------
(* Waking: what happens inside wait_lock, and after it.                    *)

\* t is done inside wait_lock.  Whom it is to wake it wakes after wait_lock; a
\* writer that has nobody to wake goes on to its try without dropping it.
Done(t, q) ==
    /\ wake_q' = [wake_q EXCEPT ![t] = q]
    /\ IF q # {}
       THEN /\ Goto(t, "rouse")
            /\ wait_lock' = None
            /\ UNCHANGED then
       ELSE /\ Goto(t, then[t])
            /\ wait_lock' = IF then[t] = "try" THEN t ELSE None
            /\ then' = [then EXCEPT ![t] = "idle"]

\* rwsem_mark_wake, up to its first operation on the count.  A writer at the
\* head is put on wake_q, no more.  For a reader at the head a bias is added,
\* and the value that it was added to says whether a writer was in.
MarkWake(t, kind) ==
    LET first == Head(list)
    IN IF first \in Writers
       THEN /\ Done(t, IF kind = "any" THEN {first} ELSE {})
            /\ type' = "any"
            /\ UNCHANGED <<count, chosen>>
       ELSE /\ wait_lock' = t
            /\ type' = kind
            /\ count' = IF kind = "owned" THEN count ELSE count + ReaderBias
            /\ Goto(t, IF kind # "owned" /\ WriterIn(count) THEN "backout" ELSE "grant")
            /\ UNCHANGED <<chosen, wake_q, then>>

Mark(t) ==
    /\ pc[t] = "mark"
    /\ MarkWake(t, type)
    /\ UNCHANGED <<owner, list, saw, waiter, granted>>

\* A writer was in: take the bias out again, and demand the lock if the reader
\* has waited for too long.
BackOut(t) ==
    /\ pc[t] = "backout"
    /\ LET first   == Head(list)
           demands == first \in timeout
           sets    == demands /\ ~Has(count, FlagHandoff)
       IN /\ count' = count - ReaderBias + (IF sets THEN FlagHandoff ELSE 0)
          /\ handoff_set' = IF demands /\ Release.try \in {"setter", "first"}
                            THEN [handoff_set EXCEPT ![first] = "yes"] ELSE handoff_set
    /\ Done(t, {})
    /\ type' = "any"
    /\ UNCHANGED <<owner, list, saw, timeout, roused, granted, chosen>>

\* The readers of the list, up to MaxWake of them, whoever stands between.
Eligible ==
    {list[i] : i \in {j \in DOMAIN list :
        /\ list[j] \in Readers
        /\ Cardinality({k \in 1 .. j : list[k] \in Readers}) <= MaxWake}}

\* First pass: they leave the list, and are counted.
Grant(t) ==
    /\ pc[t] = "grant"
    /\ LET rest == Minus(list, Eligible)
           bias == IF type = "owned" THEN 0 ELSE 1
       IN count' = (IF rest = <<>> THEN NoFlags(count)
                                   ELSE Without(count, FlagHandoff))
                   + (Cardinality(Eligible) - bias) * ReaderBias
    /\ chosen' = Eligible
    /\ Dequeue(Eligible)
    /\ owner' = "reader"
    /\ type' = "any"
    /\ Goto(t, "clear")
    /\ UNCHANGED <<wait_lock, saw, granted, wake_q, then>>

\* Second pass: waiter.task = NULL, and onto wake_q.
LetIn == chosen
Clear(t) ==
    /\ pc[t] = "clear"
    /\ granted' = granted \cup chosen
    /\ chosen' = {}
    /\ Done(t, LetIn)
    /\ UNCHANGED <<word, list, saw, waiter, type>>

\* Where a queued writer is when schedule() returns.
Awake == IF OldState THEN "woke" ELSE "try"

\* wake_up_q.  A writer that is not asleep is about to be, perhaps: its state is
\* TASK_RUNNING from here on, so schedule() will return at once.
Rouse(t) ==
    /\ pc[t] = "rouse"
    /\ pc' = [u \in Task |->
                IF u = t THEN then[t]
                ELSE IF u \in wake_q[t] /\ pc[u] = "sleep"
                     THEN IF u \in Readers THEN "wait" ELSE Awake
                     ELSE pc[u]]
    /\ roused' = roused \cup {w \in wake_q[t] \cap Writers : pc[w] \in {"woke", "try", "hspin"}}
    /\ wake_q' = [wake_q EXCEPT ![t] = {}]
    /\ then' = [then EXCEPT ![t] = "idle"]
    /\ UNCHANGED <<word, queue, saw, timeout, handoff_set, granted, chosen, type>>

\* schedule(), for a queued writer.
Schedule(w) ==
    /\ Goto(w, IF w \in roused THEN Awake ELSE "sleep")
    /\ roused' = roused \ {w}

-----------------------------------------------------------------------------
(* down_read.                                                              *)

\* rwsem_read_trylock.  With success the next step says so in sem->owner.
ReadFast(r) ==
    /\ pc[r] = "idle"
    /\ count' = count + ReaderBias
    /\ IF ReadFails(count')
       THEN Goto(r, "slow") /\ saw' = [saw EXCEPT ![r] = count']
       ELSE Goto(r, "own") /\ UNCHANGED saw
    /\ UNCHANGED <<owner, queue, waiter, marking>>

\* rwsem_down_read_slowpath, up to its wait_lock: the owner hint is read, all
\* else is decided by the count that the fast path saw, with the biases of
\* those who fail as this one may.
ReadSlow(r) ==
    /\ pc[r] = "slow"
    /\ LET c       == saw[r]
           crowded == owner = "reader" /\ ReaderCount(c) > 1 /\ ~WriterIn(c)
           steals  == /\ Release.steal
                      /\ ~crowded
                      /\ ~WriterIn(c) /\ ~Has(c, FlagHandoff)
       IN Goto(r, IF ~steals THEN "queue"
                  ELSE IF ReaderCount(c) = 1 /\ Has(c, FlagWaiters)
                       THEN "steal" ELSE "own")
    /\ saw' = [saw EXCEPT ![r] = 0]
    /\ UNCHANGED <<word, queue, waiter, marking>>

\* The same, up to 5.10: it may take its bias out and spin ...
ReadUndo(r) ==
    /\ pc[r] = "slow"
    /\ "R" \in Release.spin
    /\ count' = count - ReaderBias
    /\ saw' = [saw EXCEPT ![r] = 0]
    /\ Goto(r, "spin")
    /\ UNCHANGED <<owner, queue, waiter, marking>>

\* ... for rwsem_try_read_lock_unqueued, whoever is queued.
ReadSteal(r) ==
    /\ r \in Readers
    /\ pc[r] = "spin"
    /\ ~WriterIn(count) /\ ~Has(count, FlagHandoff)
    /\ count' = count + ReaderBias
    /\ Goto(r, "steal")
    /\ UNCHANGED <<owner, queue, saw, waiter, marking>>

\* rwsem_set_reader_owned.
SetOwner(r) ==
    /\ pc[r] \in {"own", "steal"}
    /\ owner' = "reader"
    /\ Goto(r, IF pc[r] = "own" THEN "hold" ELSE "swake")
    /\ UNCHANGED <<count, queue, saw, waiter, marking>>

\* A reader that stole the lock lets in the readers of the list, if one of them
\* is at the head.
StealWake(r) ==
    /\ pc[r] = "swake"
    /\ wait_lock = None
    /\ IF list = <<>> \/ Head(list) \in Writers
       THEN Goto(r, "hold") /\ UNCHANGED <<wait_lock, type, then>>
       ELSE /\ wait_lock' = r
            /\ type' = "owned"
            /\ then' = [then EXCEPT ![r] = "hold"]
            /\ Goto(r, "grant")
    /\ UNCHANGED <<word, list, saw, waiter, granted, chosen, wake_q>>

\* The reader r, of which the count has the bias b, is queued and takes it out.
\* What the count then says decides whether the list is to be woken.
Enqueue(r, b) ==
    LET c    == IF list = <<>> THEN With(count, FlagWaiters) - b ELSE count - b
        wake == IF Release.cond THEN ~WriterIn(c)
                ELSE ~Locked(c) \/ (~WriterIn(c) /\ list = <<>>)
    IN /\ count' = c
       /\ list' = IF Release.place = "head" THEN <<r>> \o list ELSE Append(list, r)
       /\ IF wake
          THEN /\ wait_lock' = r
               /\ type' = IF Release.cond /\ Locked(c) THEN "readers" ELSE "any"
               /\ then' = [then EXCEPT ![r] = "wait"]
               /\ Goto(r, "mark")
          ELSE /\ wait_lock' = None
               /\ Goto(r, "wait")
               /\ UNCHANGED <<type, then>>
       /\ UNCHANGED <<owner, saw, waiter, granted, chosen, wake_q>>

\* The hold of wait_lock that queues.  If the list is empty and no writer is in,
\* the bias that is in the count already is enough.  A reader that has spun has
\* none.
ReadQueue(r) ==
    /\ r \in Readers
    /\ pc[r] \in {"queue", "spin"}
    /\ wait_lock = None
    /\ IF pc[r] = "spin" \/ list # <<>>
       THEN Enqueue(r, IF pc[r] = "queue" THEN ReaderBias ELSE 0)
       ELSE LET in == ~WriterIn(count) /\ (Release.cond \/ ~Has(count, FlagHandoff))
            IN /\ Goto(r, IF in THEN "own" ELSE "enqueue")
               /\ wait_lock' = IF in THEN None ELSE r
               /\ UNCHANGED <<word, list, saw, waiter, marking>>

ReadEnqueue(r) ==
    /\ pc[r] = "enqueue"
    /\ Enqueue(r, ReaderBias)

\* The loop: in, if waiter.task is NULL; else to sleep.
ReadWait(r) ==
    /\ pc[r] = "wait"
    /\ granted' = granted \ {r}
    /\ Goto(r, IF r \in granted THEN "hold" ELSE "sleep")
    /\ UNCHANGED <<word, queue, saw, waiter, chosen, type, wake_q, then>>

-----------------------------------------------------------------------------
(* down_write.                                                             *)

\* rwsem_write_trylock.
WriteFast(w) ==
    /\ pc[w] = "idle"
    /\ IF count = 0
       THEN count' = WriterLocked /\ owner' = "writer" /\ Goto(w, "hold")
       ELSE Goto(w, "spin") /\ UNCHANGED word
    /\ UNCHANGED <<queue, saw, waiter, marking>>

\* rwsem_try_write_lock_unqueued: past the list, but not past a hand-off.
WriteSteal(w) ==
    /\ w \in Writers
    /\ pc[w] = "spin"
    /\ ~Locked(count) /\ ~Has(count, FlagHandoff)
    /\ count' = count + WriterLocked
    /\ owner' = "writer"
    /\ Goto(w, "hold")
    /\ UNCHANGED <<queue, saw, waiter, marking>>

\* rwsem_down_write_slowpath, from its wait_lock on: w is queued, though the
\* lock may be free.  If others were there and no writer is in, it wakes them
\* (rwsem_cond_wake_waiter).
WriteQueue(w) ==
    /\ w \in Writers
    /\ pc[w] = "spin"
    /\ wait_lock = None
    /\ wait_lock' = w
    /\ list' = Append(list, w)
    /\ handoff_set' = [handoff_set EXCEPT ![w] = IF OldState /\ list = <<>> THEN "first" ELSE "no"]
    /\ count' = IF list = <<>> THEN With(count, FlagWaiters) ELSE count
    /\ IF list # <<>> /\ ~WriterIn(count)
       THEN /\ type' = IF Locked(count) THEN "readers" ELSE "any"
            /\ then' = [then EXCEPT ![w] = "try"]
            /\ Goto(w, "mark")
       ELSE Goto(w, "try") /\ UNCHANGED <<type, then>>
    /\ UNCHANGED <<owner, saw, timeout, roused, granted, chosen, wake_q>>

\* Whom RWSEM_FLAG_HANDOFF keeps out.
KeptOut(w) ==
    /\ Has(count, FlagHandoff)
    /\ CASE Release.try = "wstate"  -> handoff_set[w] = "no"
         [] Release.try = "inherit" -> ~First(w)
         [] OTHER                   -> ~First(w) /\ handoff_set[Head(list)] = "yes"

\* Who may set it.
MayDemand(w) ==
    IF OldState THEN handoff_set[w] = "yes" ELSE w \in Realtime \cup timeout

\* Who has set it, or takes it for its own, if w has set it or has seen it.
Demanding(w, sets) ==
    CASE OldState -> {}
      [] Release.try = "first" -> IF sets THEN {Head(list)} ELSE {}
      [] OTHER -> IF sets \/ (First(w) /\ Has(count, FlagHandoff)) THEN {w} ELSE {}

\* rwsem_try_write_lock with success: one cmpxchg.
TryWrite(w) ==
    /\ pc[w] = "try"
    /\ wait_lock \in {None, w}
    /\ ~KeptOut(w) /\ ~Locked(count)
    /\ count' = (IF Len(list) = 1 THEN NoFlags(count)
                                  ELSE Without(count, FlagHandoff)) + WriterLocked
    /\ Dequeue({w})
    /\ wait_lock' = None
    /\ owner' = "writer"
    /\ Goto(w, "hold")
    /\ UNCHANGED <<saw, marking>>

\* The same without: HANDOFF may be set by it.  Then w spins on the owner, or
\* sleeps, or was killed meanwhile.
FailWrite(w) ==
    /\ pc[w] = "try"
    /\ wait_lock \in {None, w}
    /\ KeptOut(w) \/ Locked(count)
    /\ LET sets == /\ ~KeptOut(w)
                   /\ ~Has(count, FlagHandoff)
                   /\ MayDemand(w)
           mine == Demanding(w, sets)
       IN /\ count' = IF sets THEN count + FlagHandoff ELSE count
          /\ handoff_set' = [t \in Task |->
                IF t \in mine /\ ~(t = w /\ KeptOut(w)) THEN "yes" ELSE handoff_set[t]]
    /\ wait_lock' = None
    /\ \/ IF handoff_set'[w] = "yes" THEN Goto(w, "hspin") /\ UNCHANGED roused ELSE Schedule(w)
       \/ w \in Mortal /\ ~OldState /\ Goto(w, "leave") /\ UNCHANGED roused
    /\ UNCHANGED <<owner, list, saw, timeout, marking>>

\* rwsem_spin_on_owner after a hand-off was demanded: OWNER_NULL means try
\* again, at once ...
SpinAgain(w) ==
    /\ pc[w] = "hspin"
    /\ owner = None
    /\ Goto(w, "try")
    /\ UNCHANGED <<word, queue, saw, waiter, marking>>

\* ... anything else schedule().
SpinEnds(w) ==
    /\ pc[w] = "hspin"
    /\ owner # None
    /\ Schedule(w)
    /\ UNCHANGED <<word, queue, saw, timeout, handoff_set, marking>>

\* Up to 5.15, out of schedule() and before wait_lock: is w first, is it late?
Recheck(w) ==
    /\ pc[w] = "woke"
    /\ LET state == IF handoff_set[w] = "no" /\ First(w) THEN "first" ELSE handoff_set[w]
           late  == state = "first" /\ w \in Realtime \cup timeout
       IN IF state = "yes" \/ ~Locked(count)
          THEN Goto(w, "try") /\ handoff_set' = [handoff_set EXCEPT ![w] = state] /\ UNCHANGED roused
          ELSE /\ IF late THEN Goto(w, "try") /\ UNCHANGED roused ELSE Schedule(w)
               /\ handoff_set' = [handoff_set EXCEPT ![w] = IF late THEN "yes" ELSE state]
    /\ UNCHANGED <<word, queue, saw, timeout, marking>>

-----------------------------------------------------------------------------
(* Time, and signals.                                                      *)

\* RWSEM_WAIT_TIMEOUT has passed for a waiter.
Expire(t) ==
    /\ t \in Range(list) \ timeout
    /\ timeout' = timeout \cup {t}
    /\ UNCHANGED <<pc, word, queue, saw, handoff_set, roused, marking>>

\* A signal ends schedule().  From 5.16 on a writer tries once more first.
Kill(t) ==
    /\ t \in Mortal
    /\ pc[t] = "sleep"
    /\ Goto(t, IF t \in Writers /\ ~OldState THEN "try" ELSE "leave")
    /\ UNCHANGED <<word, queue, saw, waiter, marking>>

\* Whether t, on its way out, wakes those that stay.
WakesRest(t) ==
    /\ Len(list) > 1
    /\ IF Release.leave = "first" THEN First(t) ELSE t \in Writers

\* out_nolock: t leaves the list, and the count is c.
Depart(t, c) ==
    /\ Dequeue({t})
    /\ count' = c
    /\ wait_lock' = IF WakesRest(t) THEN t ELSE None
    /\ Goto(t, IF WakesRest(t) THEN "mark" ELSE "idle")
    /\ UNCHANGED <<owner, saw, marking>>

\* rwsem_del_waiter: the flags go with the last waiter.
DelWaiter == IF Len(list) = 1 THEN NoFlags(count) ELSE count

\* A reader looks under wait_lock whether it was let in after all.
LeaveRead(r) ==
    /\ r \in Readers
    /\ pc[r] = "leave"
    /\ wait_lock = None
    /\ IF r \in granted
       THEN /\ granted' = granted \ {r}
            /\ Goto(r, "hold")
            /\ UNCHANGED <<word, queue, saw, waiter, chosen, type, wake_q, then>>
       ELSE Depart(r, DelWaiter)

\* Up to 5.15 a writer subtracts what it believes it has added.
LeaveWrite(w) ==
    /\ w \in Writers
    /\ pc[w] = "leave"
    /\ wait_lock = None
    /\ LET c == IF handoff_set[w] = "yes" THEN count - FlagHandoff ELSE count
       IN Depart(w, IF ~OldState THEN DelWaiter
                    ELSE IF Len(list) = 1 THEN Without(c, FlagWaiters) ELSE c)

-----------------------------------------------------------------------------
(* up_read, up_write, downgrade_write.                                     *)

UpRead(t) ==
    /\ pc[t] = "shared" \/ (t \in Readers /\ pc[t] = "hold")
    /\ count' = count - ReaderBias
    /\ Goto(t, IF ~Locked(count') /\ Has(count', FlagWaiters) THEN "wake" ELSE "idle")
    /\ UNCHANGED <<owner, queue, saw, waiter, marking>>

UpWrite(w) ==
    /\ w \in Writers
    /\ pc[w] = "hold"
    /\ count' = count - WriterLocked
    /\ owner' = None
    /\ Goto(w, IF Has(count, FlagWaiters) THEN "wake" ELSE "idle")
    /\ UNCHANGED <<queue, saw, waiter, marking>>

\* rwsem_wake.
Wake(t) ==
    /\ pc[t] = "wake"
    /\ wait_lock = None
    /\ IF list = <<>>
       THEN Goto(t, "idle") /\ UNCHANGED <<count, wait_lock, chosen, type, wake_q, then>>
       ELSE MarkWake(t, "any")
    /\ UNCHANGED <<owner, list, saw, waiter, granted>>

\* It gives up where 59aabfc7e959 did.
SkipWake(t) ==
    /\ pc[t] = "wake"
    /\ Release.skip
    /\ wait_lock # None
    /\ \E w \in Writers : pc[w] = "spin"
    /\ Goto(t, "idle")
    /\ UNCHANGED <<word, queue, saw, waiter, marking>>

\* __downgrade_write: the count first ...
Downgrade(w) ==
    /\ w \in Downgraders
    /\ pc[w] = "hold"
    /\ count' = count - WriterLocked + ReaderBias
    /\ owner' = "reader"
    /\ Goto(w, IF Has(count, FlagWaiters) THEN "dwake" ELSE "shared")
    /\ UNCHANGED <<queue, saw, waiter, marking>>

\* ... then rwsem_downgrade_wake, which lets in readers if one is at the head.
\* With RWSEM_WAKE_READ_OWNED rwsem_mark_wake looks for no writer, so it demands
\* nothing (in 5.10 and in 6.3 and later alike).
DowngradeWake(w) ==
    /\ pc[w] = "dwake"
    /\ wait_lock = None
    /\ IF list = <<>> \/ Head(list) \in Writers
       THEN Goto(w, "shared") /\ UNCHANGED <<wait_lock, type, then>>
       ELSE /\ wait_lock' = w
            /\ type' = "owned"
            /\ then' = [then EXCEPT ![w] = "shared"]
            /\ Goto(w, "grant")
    /\ UNCHANGED <<word, list, saw, waiter, granted, chosen, wake_q>>

-----------------------------------------------------------------------------
Next ==
    \/ \E r \in Readers :
          \/ ReadFast(r)
          \/ ReadSlow(r)
          \/ ReadUndo(r)
          \/ ReadSteal(r)
          \/ SetOwner(r)
          \/ StealWake(r)
          \/ ReadQueue(r)
          \/ ReadEnqueue(r)
          \/ ReadWait(r)
          \/ LeaveRead(r)
    \/ \E w \in Writers :
          \/ WriteFast(w)
          \/ WriteSteal(w)
          \/ WriteQueue(w)
          \/ TryWrite(w)
          \/ FailWrite(w)
          \/ SpinAgain(w)
          \/ SpinEnds(w)
          \/ Recheck(w)
          \/ LeaveWrite(w)
          \/ UpWrite(w)
          \/ Downgrade(w)
          \/ DowngradeWake(w)
    \/ \E t \in Task :
          \/ Mark(t)
          \/ BackOut(t)
          \/ Grant(t)
          \/ Clear(t)
          \/ Rouse(t)
          \/ Expire(t)
          \/ Kill(t)
          \/ UpRead(t)
          \/ Wake(t)
          \/ SkipWake(t)

Spec == Init /\ [][Next]_vars
=============================================================================
