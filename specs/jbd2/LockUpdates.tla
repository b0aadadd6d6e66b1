---------------------------- MODULE LockUpdates ----------------------------
(***************************************************************************)
(* The barrier of a journal: jbd2_journal_lock_updates returns when nobody *)
(* has a handle, and until the barrier is lifted nobody gets one.          *)
(*                                                                         *)
(* MODELLED.  jbd2_journal_lock_updates and _unlock_updates of Linux 6.18: *)
(* j_barrier_count, the wait for reserved handles, the wait for t_updates  *)
(* (jbd2_journal_wait_updates) in the steps between which a handle can     *)
(* stop, and the mutex j_barrier.  A thread starts and stops handles; a    *)
(* writepages thread starts one with a reservation, and later the reserved *)
(* handle, which no barrier stops.  Where reserved credits are handed over *)
(* (Grants), it may find none, wait for some, be granted them by a         *)
(* reserved handle that starts, and then has to join like everybody else.  *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  The start of a handle is one step: it looks at   *)
(* the barrier and counts itself under j_state_lock, which raising the     *)
(* barrier takes for writing.  Stopping the last handle and waking the     *)
(* waiters are one step: who tests in between sees no updates.  wait_event *)
(* does what it says.  A mutex is not taken past a waiter for ever.        *)
(*                                                                         *)
(* OUT OF SCOPE.  Credits (who waits for some is granted them by the next  *)
(* release), and the commits that may come in between: see JournalBarrier. *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    Thread,     \* start and stop ordinary handles
    Pages,      \* writepages threads: with a reservation
    Locker,     \* raise the barrier
    Order,      \* "prepare-first": as today; "test-first": before 9837d8e982b7
    Reserved,   \* TRUE: a locker waits until no reservation is left
    Grants      \* "none": nothing is handed over; "apart": a locker waits for
                \* reservations alone; "awaited": it waits for grants too

Starter == Thread \cup Pages
Task    == Starter \cup Locker

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    barrier,    \* j_barrier_count
    queue,      \* who is in the wait queue j_wait_updates
    mutex       \* who holds j_barrier: {} or {l}

vars == <<pc, barrier, queue, mutex>>

TypeOK ==
    /\ \A t \in Starter : pc[t] \in {
            "idle",     \* has no handle
            "start",    \* start_this_handle; with a barrier, waits there
            "wait",     \* past the barrier, but there are no reserved credits
            "granted",  \* has been handed some; start_this_handle again
            "attached", \* has a handle; a writepages thread with a reservation
            "reserved", \* has stopped it, the reservation is left
            "convert"}  \* has its reserved handle
    /\ \A l \in Locker : pc[l] \in {
            "idle",
            "drain",    \* has raised the barrier; wait_event(j_wait_reserved)
            "look",     \* the loop of jbd2_journal_wait_updates, from the top
            "test",     \* the same, in the wait queue, before the test
            "prepare",  \* test-first: has tested, is not in the queue yet
            "sleep",    \* schedule()
            "lock",     \* mutex_lock(j_barrier)
            "locked"}   \* jbd2_journal_lock_updates has returned
    /\ barrier \in 0 .. Cardinality(Locker)
    /\ queue \subseteq Locker
    /\ mutex \subseteq Locker /\ Cardinality(mutex) <= 1

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ barrier = 0
    /\ queue = {}
    /\ mutex = {}

Updates      == {t \in Starter : pc[t] \in {"attached", "convert"}}
Reservations == {t \in Pages : pc[t] \in {"attached", "reserved"}}
Granted      == {t \in Pages : pc[t] = "granted"}

-----------------------------------------------------------------------------
(* Handles.                                                                *)

\* jbd2__journal_start.
Start(t) ==
    /\ t \in Starter
    /\ pc[t] = "idle"
    /\ pc' = [pc EXCEPT ![t] = "start"]
    /\ UNCHANGED <<barrier, queue, mutex>>

\* start_this_handle: j_barrier_count is 0, t_updates is counted up.
Attach(t) ==
    /\ t \in Starter
    /\ pc[t] \in {"start", "granted"}
    /\ barrier = 0
    /\ pc' = [pc EXCEPT ![t] = "attached"]
    /\ UNCHANGED <<barrier, queue, mutex>>

\* The same, but others have reserved what there is.
Queue(t) ==
    /\ Grants # "none"
    /\ t \in Pages
    /\ pc[t] = "start"
    /\ barrier = 0
    /\ Reservations # {}
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ UNCHANGED <<barrier, queue, mutex>>

\* jbd2_journal_stop.  The last one wakes j_wait_updates.
Stop(t) ==
    /\ t \in Updates
    /\ pc' = [pc EXCEPT ![t] = IF t \in Pages /\ pc[t] = "attached" THEN "reserved" ELSE "idle"]
    /\ queue' = IF Updates = {t} THEN {} ELSE queue
    /\ UNCHANGED <<barrier, mutex>>

\* jbd2_journal_start_reserved, whatever the barrier says.  Its credits are no
\* longer reserved: they are handed over to who waits.
StartReserved(t) ==
    /\ t \in Pages
    /\ pc[t] = "reserved"
    /\ pc' = [u \in Task |-> IF u = t THEN "convert"
                            ELSE IF pc[u] = "wait" THEN "granted" ELSE pc[u]]
    /\ UNCHANGED <<barrier, queue, mutex>>

-----------------------------------------------------------------------------
(* jbd2_journal_lock_updates.                                              *)

Raise(l) ==
    /\ l \in Locker
    /\ pc[l] = "idle"
    /\ barrier' = barrier + 1
    /\ pc' = [pc EXCEPT ![l] = "drain"]
    /\ UNCHANGED <<queue, mutex>>

\* wait_event(j_wait_reserved, no reserved credits).  Credits that are handed
\* over are not yet reserved: their owners wait for the barrier themselves.
\* (Control: "awaited" counts them too.)
Drain(l) ==
    /\ l \in Locker
    /\ pc[l] = "drain"
    /\ Reserved => Reservations = {}
    /\ Grants = "awaited" => Granted = {}
    /\ pc' = [pc EXCEPT ![l] = "look"]
    /\ UNCHANGED <<barrier, queue, mutex>>

\* prepare_to_wait(j_wait_updates).
Prepare(l) ==
    /\ l \in Locker
    /\ pc[l] = (IF Order = "prepare-first" THEN "look" ELSE "prepare")
    /\ queue' = queue \cup {l}
    /\ pc' = [pc EXCEPT ![l] = IF Order = "prepare-first" THEN "test" ELSE "sleep"]
    /\ UNCHANGED <<barrier, mutex>>

\* t_updates is 0, and finish_wait; or not, and on to sleep.
Test(l) ==
    /\ l \in Locker
    /\ pc[l] = (IF Order = "prepare-first" THEN "test" ELSE "look")
    /\ queue' = IF Updates = {} THEN queue \ {l} ELSE queue
    /\ pc' = [pc EXCEPT ![l] = IF Updates = {} THEN "lock"
                               ELSE IF Order = "prepare-first" THEN "sleep" ELSE "prepare"]
    /\ UNCHANGED <<barrier, mutex>>

\* schedule() returns: the task was taken out of the queue.
Wake(l) ==
    /\ l \in Locker
    /\ pc[l] = "sleep"
    /\ l \notin queue
    /\ pc' = [pc EXCEPT ![l] = "look"]
    /\ UNCHANGED <<barrier, queue, mutex>>

\* mutex_lock(j_barrier).
Lock(l) ==
    /\ l \in Locker
    /\ pc[l] = "lock"
    /\ mutex = {}
    /\ mutex' = {l}
    /\ pc' = [pc EXCEPT ![l] = "locked"]
    /\ UNCHANGED <<barrier, queue>>

\* jbd2_journal_unlock_updates, which wakes those who wait to start.
Unlock(l) ==
    /\ l \in Locker
    /\ pc[l] = "locked"
    /\ mutex' = {}
    /\ barrier' = barrier - 1
    /\ pc' = [pc EXCEPT ![l] = "idle"]
    /\ UNCHANGED queue

Next ==
    \E t \in Task :
        \/ Start(t)
        \/ Attach(t)
        \/ Queue(t)
        \/ Stop(t)
        \/ StartReserved(t)
        \/ Raise(t)
        \/ Drain(t)
        \/ Prepare(t)
        \/ Test(t)
        \/ Wake(t)
        \/ Lock(t)
        \/ Unlock(t)

Spec == Init /\ [][Next]_vars

\* A task that runs goes on; a handle is stopped, a barrier lifted.  Nobody is
\* obliged to start a handle or to raise the barrier.
FairSpec ==
    /\ Spec
    /\ \A t \in Task :
          /\ WF_vars(Stop(t) \/ StartReserved(t) \/ Drain(t) \/ Prepare(t) \/ Test(t) \/ Wake(t)
                     \/ Unlock(t))
          /\ SF_vars(Lock(t))
          /\ SF_vars(Attach(t))

\* Control: a handle may be kept for ever.
NoStopSpec ==
    Spec /\ \A l \in Locker : WF_vars(Drain(l) \/ Prepare(l) \/ Test(l) \/ Wake(l) \/ Unlock(l))
                              /\ SF_vars(Lock(l))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* Under the barrier nobody has a handle.
Quiet == (\E l \in Locker : pc[l] = "locked") => Updates = {}

\* No locker sleeps when there is nothing to wait for.
NoLostWakeup == \A l \in Locker : pc[l] = "sleep" /\ l \in queue => Updates # {}

-----------------------------------------------------------------------------
(* Progress.                                                               *)

Waits(l) == pc[l] \notin {"idle", "locked"}

\* Every locker gets its barrier.
LockProgress == \A l \in Locker : Waits(l) ~> pc[l] = "locked"

\* Every handle starts.
HandleProgress == \A t \in Starter : pc[t] = "start" ~> pc[t] = "attached"
=============================================================================
