--------------------------- MODULE JournalBarrier ---------------------------
(***************************************************************************)
(* The barrier of jbd2_journal_lock_updates in the whole journal: with     *)
(* credits, reservations, commits and the space in the log.                *)
(*                                                                         *)
(* MODELLED.  The journal of Jbd2Credits, whose steps are what they are    *)
(* there.  jbd2_journal_lock_updates and _unlock_updates of Linux 6.18:    *)
(* j_barrier_count, which stops the start of an ordinary handle and of one *)
(* that restarts, but of no reserved one; the waits for j_reserved_credits *)
(* and for t_updates of the running transaction; the mutex j_barrier.      *)
(* What most do under it: jbd2_journal_flush, which commits all that there *)
(* is, and checkpoints it.                                                 *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  A wait_event is a step that its condition        *)
(* enables, as there: of the wait for t_updates, and of how it lost a      *)
(* wake-up, see LockUpdates.  A mutex is not taken past a waiter for ever, *)
(* and a barrier that is lifted is not missed for ever.  Under the barrier *)
(* a checkpoint finds no buffer of a transaction that runs or commits; one *)
(* of a flush takes j_checkpoint_mutex and gives it back in one step.      *)
(*                                                                         *)
(* OUT OF SCOPE.  A flush of an aborted journal; that it discards or       *)
(* zeroes the log.                                                         *)
(***************************************************************************)
EXTENDS Integrity

CONSTANTS
    Locker,     \* raise the barrier
    Awaits,     \* what a locker waits for before it looks at t_updates:
                \* "reserved" credits, credits that are "granted"
    Bars        \* whose start the barrier stops: "ordinary" handles', "all"

VARIABLES
    barrier,    \* j_barrier_count
    at,         \* what each locker is doing
    holder      \* who holds j_barrier: {} or {l}

barriers == <<barrier, at, holder>>
journal  == vars
whole    == <<journal, barriers>>

\* From the return of jbd2_journal_lock_updates to _unlock_updates.
Holds(l) == at[l] \in {"locked", "commit", "checkpoint", "flushed"}

BarrierTypeOK ==
    /\ barrier \in 0 .. Cardinality(Locker)
    /\ at \in [Locker -> {"idle",
                          "drain",      \* has raised the barrier; wait_event(j_wait_reserved)
                          "updates",    \* jbd2_journal_wait_updates
                          "lock",       \* mutex_lock(j_barrier)
                          "locked",     \* jbd2_journal_lock_updates has returned
                          "commit",     \* jbd2_journal_flush: jbd2_log_wait_commit
                          "checkpoint", \* the same: jbd2_log_do_checkpoint
                          "flushed"}]   \* the same: has returned
    /\ holder = {l \in Locker : Holds(l)} /\ Cardinality(holder) <= 1

BarrierInit ==
    /\ Init
    /\ barrier = 0
    /\ at = [l \in Locker |-> "idle"]
    /\ holder = {}

-----------------------------------------------------------------------------
(* The journal's steps.                                                    *)

\* start_this_handle, past the barrier: at first, and whenever it tries again.
Enter(t) ==
    /\ barrier = 0
    /\ Try(t) \/ Fail(t)
    /\ UNCHANGED barriers

\* The same of a reserved handle, which the barrier lets pass.  (Control: "all"
\* does not.)
EnterReserved(t) ==
    /\ Bars = "all" => barrier = 0
    /\ TryReserved(t)
    /\ UNCHANGED barriers

\* All else that a task does in the journal.  Who restarts has left its handle,
\* and tries again.  An aborted journal refuses before it looks at the barrier.
Continue(t) ==
    /\ \/ Start(t) \/ Undo(t) \/ Look(t) \/ Refuse(t)
       \/ Extend(t) \/ Restart(t) \/ Stop(t) \/ Submit(t) \/ Unreserve(t) \/ Convert(t)
       \/ LockCheckpoint(t) \/ MakeSpace(t) \/ FindNewer(t) \/ FindCommitting(t)
    /\ UNCHANGED barriers

\* The commit thread, and who asks it for a commit.
GoOn == Commit /\ UNCHANGED barriers
Ask  == AskCommit /\ UNCHANGED barriers

-----------------------------------------------------------------------------
(* jbd2_journal_lock_updates.                                              *)

\* Under j_state_lock, taken for writing.
Raise(l) ==
    /\ at[l] = "idle"
    /\ Writable
    /\ barrier' = barrier + 1
    /\ at' = [at EXCEPT ![l] = "drain"]
    /\ UNCHANGED <<journal, holder>>

\* wait_event(j_wait_reserved, no reserved credits).  (Controls: it waits for
\* none, and for those that are handed over, whose owners the barrier stops.)
Drain(l) ==
    /\ at[l] = "drain"
    /\ "reserved" \in Awaits => reserved = 0
    /\ "granted" \in Awaits => promised = {}
    /\ at' = [at EXCEPT ![l] = "updates"]
    /\ UNCHANGED <<journal, barrier, holder>>

\* jbd2_journal_wait_updates: nothing runs, or nobody has a handle in it.
Quieten(l) ==
    /\ at[l] = "updates"
    /\ running.updates = 0
    /\ at' = [at EXCEPT ![l] = "lock"]
    /\ UNCHANGED <<journal, barrier, holder>>

\* mutex_lock(j_barrier).
Lock(l) ==
    /\ at[l] = "lock"
    /\ holder = {}
    /\ holder' = {l}
    /\ at' = [at EXCEPT ![l] = "locked"]
    /\ UNCHANGED <<journal, barrier>>

\* jbd2_journal_unlock_updates, of who has flushed the journal or had no need to.
Unlock(l) ==
    /\ at[l] \in {"locked", "flushed"}
    /\ holder' = {}
    /\ barrier' = barrier - 1
    /\ at' = [at EXCEPT ![l] = "idle"]
    /\ UNCHANGED journal

-----------------------------------------------------------------------------
(* jbd2_journal_flush.                                                     *)

\* jbd2_log_start_commit of what runs, whether or not it has anything to log.
Flush(l) ==
    /\ at[l] = "locked"
    /\ running' = IF running.state = "none" THEN running ELSE [running EXCEPT !.asked = TRUE]
    /\ at' = [at EXCEPT ![l] = "commit"]
    /\ UNCHANGED <<committing, log, rsv, mutex, tasks, aborted, barrier, holder>>

\* jbd2_log_wait_commit of it, or of what was being committed.
FlushCommitted(l) ==
    /\ at[l] = "commit"
    /\ ~running.asked
    /\ committing.state = "none"
    /\ at' = [at EXCEPT ![l] = "checkpoint"]
    /\ UNCHANGED <<journal, barrier, holder>>

\* jbd2_log_do_checkpoint of the oldest transaction; jbd2_cleanup_journal_tail
\* when none is left.
FlushCheckpoint(l) ==
    /\ at[l] = "checkpoint"
    /\ mutex = {}
    /\ IF checkpoint = <<>>
       THEN at' = [at EXCEPT ![l] = "flushed"] /\ UNCHANGED log
       ELSE free' = free + Head(checkpoint) /\ checkpoint' = Tail(checkpoint) /\ UNCHANGED at
    /\ UNCHANGED <<transactions, rsv, mutex, tasks, aborted, barrier, holder>>

-----------------------------------------------------------------------------
BarrierNext ==
    \/ \E t \in Task :
          \/ Enter(t)
          \/ EnterReserved(t)
          \/ Continue(t)
    \/ GoOn
    \/ Ask
    \/ \E l \in Locker :
          \/ Raise(l)
          \/ Drain(l)
          \/ Quieten(l)
          \/ Lock(l)
          \/ Unlock(l)
          \/ Flush(l)
          \/ FlushCommitted(l)
          \/ FlushCheckpoint(l)

BarrierSpec == BarrierInit /\ [][BarrierNext]_whole

-----------------------------------------------------------------------------
(* Fairness: that of Jbd2Credits; a locker that need not wait goes on, and *)
(* lifts the barrier.  Nobody is obliged to raise it, or to flush.         *)

\* What a task goes on with, whatever the barrier says.
Advance(t) ==
    /\ Proceed(t)
    /\ EnterReserved(t) \/ Continue(t)

LockerGoesOn(l) == Drain(l) \/ Quieten(l) \/ Unlock(l) \/ FlushCommitted(l) \/ FlushCheckpoint(l)

BarrierFairSpec ==
    /\ BarrierSpec
    /\ \A t \in Task : WF_whole(Advance(t)) /\ SF_whole(Enter(t))
    /\ WF_whole(GoOn)
    /\ \A l \in Locker : WF_whole(LockerGoesOn(l)) /\ SF_whole(Lock(l))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* Under the barrier nobody has a handle.
Quiet == (\E l \in Locker : Holds(l)) => Attached = {} /\ running.updates = 0

\* A flush leaves nothing in the journal: its assertions.
FlushedIsEmpty ==
    (\E l \in Locker : at[l] = "flushed")
        => /\ running.state = "none" /\ committing.state = "none"
           /\ checkpoint = <<>> /\ free = Log

\* The types, and what Integrity says of the journal, but for I3, which a flush
\* may break.
JournalKeeps ==
    /\ BarrierTypeOK
    /\ TypeOK /\ CreditsInBounds /\ LoggedWithinCredits /\ CommitWithinCredits
    /\ ReservedIsReserved /\ CreditsConserved /\ SpaceConserved /\ HandlesAreInTime
    /\ NeverAborts /\ NobodyRefused

-----------------------------------------------------------------------------
(* Progress.                                                               *)

Waits(l) == at[l] \in {"drain", "updates", "lock"}

\* Every locker gets its barrier.
LockProgress == \A l \in Locker : Waits(l) ~> at[l] = "locked"

\* Every flush ends.
FlushProgress == \A l \in Locker : at[l] \in {"commit", "checkpoint"} ~> at[l] = "flushed"
=============================================================================
