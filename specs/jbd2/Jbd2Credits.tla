---------------------------- MODULE Jbd2Credits ----------------------------
(***************************************************************************)
(* The credits of a journal: how handles start, share a transaction, and   *)
(* wait for each other, for a commit, and for space in the log.  From      *)
(* "significant regression of ext4 with dioread_nolock" (2022).            *)
(*                                                                         *)
(* MODELLED.  fs/jbd2 of Linux 6.18: start_this_handle with the four tests *)
(* of add_transaction_credits; jbd2_journal_extend, _restart and _stop;    *)
(* reservations, as ext4_writepages makes them for the conversion of       *)
(* unwritten extents that follows its I/O; jbd2_journal_commit_transaction *)
(* in the steps at which others wait, for data too (data=ordered);         *)
(* __jbd2_log_wait_for_space with j_checkpoint_mutex.  Module              *)
(* Jbd2CreditsPolicies has the variants.                                   *)
(*                                                                         *)
(* A writepages thread starts a handle with a reservation, waits in it     *)
(* until its page is not under writeback, submits the page and stops the   *)
(* handle.  When the I/O has completed, a worker starts the reserved       *)
(* handle, converts, stops it, and the page's writeback ends.              *)
(*                                                                         *)
(* A wait_event is a step that its condition enables: whoever changes the  *)
(* condition to the better also wakes, so that nobody is asleep for whom   *)
(* it holds, and who is awake may look too late.                           *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  The four tests are one step, but for what the    *)
(* fourth adds and takes back: that test 2 does so too can only start a    *)
(* commit too early.  To give credits back and to wake is one step, whose  *)
(* parts ReserveWait has.  What a thread needs and what it dirties is      *)
(* fixed for the thread.  A commit writes what was dirtied and two blocks, *)
(* a descriptor and the commit record.  Nobody asks for the commit of a    *)
(* transaction that has dirtied nothing: see MCCommitInterval.             *)
(*                                                                         *)
(* OUT OF SCOPE.  Revoke blocks and fast commits; the order of waiters, of *)
(* which see ReserveWait and TransactionWait; the barrier of               *)
(* jbd2_journal_lock_updates, of which see LockUpdates and JournalBarrier. *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Functions, Jbd2CreditsPolicies

CONSTANTS
    Policy,     \* the variant: one of the records of module Jbd2CreditsPolicies
    Plain,      \* threads that start handles without a reservation (Pages, in
                \* Jbd2CreditsPolicies: writepages threads; each has one page,
                \* and one worker)
    Cost, Uses, \* credits of a handle, and blocks it dirties: of plain ones
    Extra,      \* credits that a plain handle may ask for later; it uses them
    ConvertExtra, \* the same of a conversion
    PageCost, PageUses,     \* the same of a writepages thread
    Reserve, ConvertUses,   \* its reservation, and blocks a conversion dirties
    Log,        \* blocks in the log
    Max,        \* j_max_transaction_buffers: a quarter or a third of them
    Overhead,   \* credits that every transaction begins with
    Slack       \* blocks that jbd2_log_space_left keeps back: 32

Worker == {Policy.kworker[w] : w \in Pages}
Task   == Plain \cup Pages \cup Worker
PageOf(k) == CHOOSE w \in Pages : Policy.kworker[w] = k

VARIABLES
    running,    \* j_running_transaction, see TypeOK
    committing, \* j_committing_transaction
    free,       \* j_free
    checkpoint, \* the blocks of each committed transaction, oldest first
    reserved,   \* j_reserved_credits
    queue,      \* who waits for reserved credits, first to come first; if the
                \* order matters
    promised,   \* to whom reserved credits are handed over, and not yet charged
    mutex,      \* who holds j_checkpoint_mutex: {} or {t}
    pc,         \* what each task is doing
    writeback,  \* page -> it is under writeback
    aborted     \* the journal has given up

\* What belongs together: the transactions, the log, what is reserved and who
\* waits for it, what the tasks are at.
\* @type: <<$transaction, $transaction>>;
transactions == <<running, committing>>
log          == <<free, checkpoint>>
waits        == <<queue, promised>>
rsv          == <<reserved, waits>>
tasks        == <<pc, writeback>>
vars         == <<transactions, log, rsv, mutex, tasks, aborted>>

\* A transaction: t_state, t_outstanding_credits, t_updates, the blocks that
\* it has to log, the pages whose data is to be on disk before it commits
\* (t_inode_list), and whether its commit is asked for.
None == [state |-> "none", out |-> 0, updates |-> 0, log |-> 0, data |-> {}, asked |-> FALSE]

\* jbd2_max_user_trans_buffers.
UserMax == IF Policy.usermax THEN Max - Overhead ELSE Max

\* What a task asks for, and of that what it reserves for later.
Credits(t) == IF t \in Plain THEN Cost ELSE IF t \in Pages THEN PageCost ELSE Reserve
Reserves(t) == IF t \in Pages /\ Policy.conversion # "ordinary" THEN Reserve ELSE 0
Total(t)   == Credits(t) + Reserves(t)
Extras(t)  == IF t \in Plain THEN Extra ELSE IF t \in Pages THEN 0 ELSE ConvertExtra
Dirties(t) == IF t \in Plain THEN Uses ELSE IF t \in Pages THEN PageUses ELSE ConvertUses

\* @type: Seq(a) => Set(a);
Members(s) == {s[i] : i \in DOMAIN s}
\* @type: (Str => Int, Set(Str)) => Int;
Sum(f(_), S) == FoldFunction(LAMBDA x, y : x + y, 0, [t \in S |-> f(t)])

TypeOK ==
    /\ running.state \in {"none", "RUNNING", "LOCKED", "SWITCH"}
    /\ committing.state \in {"none", "FLUSH", "TAIL"}
    /\ free \in Int
    /\ \A t \in Members(queue) : t \in Pages /\ pc[t] = "wait-reserved"
    /\ promised \subseteq Pages \ Members(queue)
    /\ mutex \subseteq Task /\ Cardinality(mutex) <= 1
    /\ pc \in [Task -> {"idle",         \* nothing to do
                        "try",          \* start_this_handle, from the top
                        "wait-locked",  \* wait_transaction_locked
                        "undo",         \* has reserved too much, is to take it back
                        "wait-reserved", \* wait_event(j_wait_reserved), in test 4
                        "wait-room",    \* the same, in test 2
                        "wait-switch",  \* wait_transaction_switching
                        "space",        \* __jbd2_log_wait_for_space
                        "checkpoint",   \* the same, with j_checkpoint_mutex
                        "wait-commit",  \* the same, jbd2_log_wait_commit of what commits
                        "wait-running", \* the same, of what is running
                        "attached",     \* has a handle
                        "extended",     \* the same, with more credits
                        "denied",       \* the same, without: must restart
                        "refused"}]     \* -ENOSPC, -EROFS
    /\ writeback \in [Pages -> BOOLEAN]
    /\ aborted \in BOOLEAN

Init ==
    /\ running = None
    /\ committing = None
    /\ free = Log
    /\ checkpoint = <<>>
    /\ reserved = 0
    /\ queue = <<>>
    /\ promised = {}
    /\ mutex = {}
    /\ pc = [t \in Task |-> "idle"]
    /\ writeback = [w \in Pages |-> FALSE]
    /\ aborted = FALSE

-----------------------------------------------------------------------------
(* Starting a handle.                                                      *)

\* jbd2_log_space_left.
SpaceLeft == free - Slack - committing.out

\* jbd2__journal_start; for a worker, the end of its page's I/O.
Start(t) ==
    /\ pc[t] = "idle"
    /\ t \in Worker => writeback[PageOf(t)]
    /\ t \in Pages /\ Policy.wait = "before" => ~writeback[t]
    /\ pc' = [pc EXCEPT ![t] = IF Total(t) > UserMax THEN "refused" ELSE "try"]
    /\ UNCHANGED <<transactions, log, rsv, mutex, writeback, aborted>>

\* The running transaction, or a new one, which begins with the overhead and
\* with all that is reserved.
Current ==
    IF running.state # "none" THEN running
    ELSE [None EXCEPT !.state = "RUNNING", !.out = Overhead + reserved]

\* All that is reserved, and that is handed over but not taken, is at most half
\* of what a handle may have.  (All reserve the same here, so that with a
\* hand-over nobody can go past those who wait; ReserveWait has the rule.)
ReserveOf(S) == Sum(LAMBDA t : Reserve, S)
IsApart  == Policy.granted = "apart"
Promised == IF IsApart THEN ReserveOf(promised) ELSE 0
Half    == UserMax \div 2
MayReserve(t) == t \in promised \/ reserved + Promised + Reserves(t) <= Half

\* add_transaction_credits: the first test that fails, 0 for none.
Fails(t) ==
    LET failed == {test \in Policy.tests :
            CASE test = 1 -> Current.state # "RUNNING"
              [] test = 2 -> Current.out + Total(t) > Max
              [] test = 3 -> SpaceLeft < (IF Policy.space = "max" THEN Max ELSE Total(t))
              [] test = 4 -> Reserves(t) > 0 /\ ~MayReserve(t)}
    IN IF failed = {} THEN 0 ELSE CHOOSE test \in failed : \A other \in failed : test <= other

\* Who hands credits over tests what it adds first; else test 4 adds, and sees.
IsExact == Policy.wake = "hand-over"

\* start_this_handle of an ordinary handle: all tests, or a wait for what the
\* first that fails needs.  Tests 1 and 2 ask for a commit.
Try(t) ==
    /\ pc[t] = "try"
    /\ t \in Worker => Policy.conversion = "ordinary"
    /\ ~aborted
    /\ LET test == Fails(t)
           tooMuchReserved == test = 2 /\ reserved + Total(t) > UserMax
       IN /\ test = 4 => IsExact
          /\ running' =
               CASE test = 0 -> [Current EXCEPT !.out = @ + Total(t), !.updates = @ + 1]
                 [] test = 1 \/ (test = 2 /\ ~tooMuchReserved) -> [Current EXCEPT !.asked = TRUE]
                 [] OTHER -> Current
          /\ reserved' = IF test # 0 \/ (t \in promised /\ ~IsApart) THEN reserved
                          ELSE reserved + Reserves(t)
          /\ promised' = IF test = 0 THEN promised \ {t} ELSE promised
          /\ queue' = IF test = 4 THEN Append(queue, t) ELSE queue
          /\ pc' = [pc EXCEPT ![t] =
               CASE test = 0 -> "attached"
                 [] test = 3 -> "space"
                 [] test = 4 -> "wait-reserved"
                 [] tooMuchReserved -> "wait-room"
                 [] OTHER    -> "wait-locked"]
    /\ UNCHANGED <<committing, log, mutex, writeback, aborted>>

\* Test 4 fails: it has added what is too much, and test 2 the handle's credits.
\* The thread holds j_state_lock for reading until it has taken that back.
Fail(t) ==
    /\ pc[t] = "try"
    /\ t \notin Worker
    /\ ~aborted
    /\ ~IsExact
    /\ Fails(t) = 4
    /\ running' = [Current EXCEPT !.out = @ + Total(t)]
    /\ reserved' = reserved + Reserves(t)
    /\ pc' = [pc EXCEPT ![t] = "undo"]
    /\ UNCHANGED <<committing, log, waits, mutex, writeback, aborted>>

\* sub_reserved_credits takes it back, which wakes; on to wait_event.
Undo(t) ==
    /\ pc[t] = "undo"
    /\ running' = [running EXCEPT !.out = @ - Total(t)]
    /\ reserved' = reserved - Reserves(t)
    /\ pc' = [pc EXCEPT ![t] = "wait-reserved"]
    /\ UNCHANGED <<committing, log, waits, mutex, writeback, aborted>>

\* Who takes j_state_lock for writing waits for those who hold it for reading.
Writable == \A t \in Pages : pc[t] # "undo"

\* wait_event(j_wait_reserved) returns: in test 4 the reservation fits, in test 2
\* the handle with all that is reserved.  Then the tests begin anew.  (Who is
\* handed its credits, in test 4, does not look.  Control: "unseen" does not.)
Look(t) ==
    /\ \/ /\ pc[t] = "wait-reserved"
          /\ ~IsExact
          /\ Policy.wake = "unseen" \/ reserved + Reserves(t) <= Half
       \/ /\ pc[t] = "wait-room"
          /\ Policy.wake = "unseen" \/ reserved + Total(t) <= UserMax
    /\ pc' = [pc EXCEPT ![t] = "try"]
    /\ UNCHANGED <<transactions, log, rsv, mutex, writeback, aborted>>

\* sub_reserved_credits: so many stay reserved, and those who wait may look.
\* With a hand-over those are served for whom there are credits now, in the order
\* in which they came; the credits are theirs, but neither reserved nor a
\* transaction's before they join one.  (Who waits in test 2 is in no queue.
\* Control: "reserved" counts them as if a transaction were charged for them,
\* which takes off all that is reserved when it commits.)
First(n) == {queue[i] : i \in {i \in DOMAIN queue : i <= n}}
GiveBack(p, left, kept) ==
    LET taken  == IF IsApart THEN ReserveOf(kept) ELSE 0
        served == {queue[n] : n \in {n \in DOMAIN queue :
                      left + taken + ReserveOf(First(n)) <= Half}}
    IN /\ promised' = kept \cup served
       /\ reserved' = left + (IF IsApart THEN 0 ELSE ReserveOf(served))
       /\ queue' = SelectSeq(queue, LAMBDA t : t \notin served)
       /\ pc' = [t \in Task |-> IF t \in served THEN "try" ELSE p[t]]

\* A handle that starts in an aborted journal gets -EROFS; a reservation that
\* it was to use up, or that was handed to it, is given back.
Refuse(t) ==
    /\ pc[t] = "try"
    /\ aborted
    /\ LET owns == IF IsApart THEN 0 ELSE ReserveOf(promised \cap {t})
           had  == IF t \in Worker /\ Policy.conversion # "ordinary" THEN Reserve ELSE 0
       IN /\ GiveBack([pc EXCEPT ![t] = "refused"], reserved - owns - had, promised \ {t})
          /\ running' = IF running.state = "none" THEN running
                        ELSE [running EXCEPT !.out = @ - had]
    /\ UNCHANGED <<committing, log, mutex, writeback, aborted>>

\* start_this_handle of a reserved handle: no test.  It joins a transaction
\* that is RUNNING or LOCKED; its credits are in t_outstanding_credits already.
TryReserved(t) ==
    /\ pc[t] = "try"
    /\ t \in Worker /\ Policy.conversion # "ordinary"
    /\ ~aborted
    /\ LET joins == \/ Current.state = "RUNNING"
                    \/ Current.state = "LOCKED" /\ Policy.conversion # "not-locked"
                    \/ Current.state = "SWITCH" /\ Policy.conversion = "even-switch"
       IN IF joins
          THEN /\ running' = [Current EXCEPT !.updates = @ + 1]
               /\ GiveBack([pc EXCEPT ![t] = "attached"], reserved - Reserve, promised)
          ELSE /\ pc' = [pc EXCEPT ![t] = IF Current.state = "SWITCH" THEN "wait-switch"
                                          ELSE "wait-locked"]
               /\ UNCHANGED <<running, rsv>>
    /\ UNCHANGED <<committing, log, mutex, writeback, aborted>>

-----------------------------------------------------------------------------
(* With a handle.                                                          *)

Attached == {t \in Task : pc[t] \in {"attached", "extended", "denied"}}

\* The credits of a handle, and the blocks that it dirties.
More(t) == IF pc[t] = "extended" THEN Extras(t) ELSE 0
Has(t)  == Credits(t) + More(t)
Spends(t) == Dirties(t) + More(t)

\* stop_this_handle: what the handle has dirtied stays counted, the rest of
\* its credits is given back.
Stopped(t) ==
    [running EXCEPT !.out     = @ - Has(t) + (IF Policy.stop THEN Spends(t) ELSE 0),
                    !.updates = @ - 1,
                    !.log     = @ + Spends(t)]

\* jbd2_journal_extend, which never waits, and asks for room in the transaction,
\* not in the log.  A conversion does without what it does not get: it leaves
\* the extent tree as deep as it is (ext4_ext_try_to_merge_up).
Extend(t) ==
    /\ Extras(t) > 0
    /\ pc[t] = "attached"
    /\ LET granted == \/ Policy.extend = "untested"
                      \/ running.state = "RUNNING" /\ running.out + Extras(t) <= Max
       IN /\ granted \/ t \in Plain
          /\ running' = IF granted THEN [running EXCEPT !.out = @ + Extras(t)] ELSE running
          /\ pc' = [pc EXCEPT ![t] = IF granted THEN "extended" ELSE "denied"]
    /\ UNCHANGED <<committing, log, rsv, mutex, writeback, aborted>>

\* jbd2__journal_restart: the handle leaves its transaction, asks for its
\* commit, and starts anew.
Restart(t) ==
    /\ pc[t] = "denied"
    /\ running' = LET left == IF Policy.restart = "stops" THEN Stopped(t) ELSE running
                  IN [left EXCEPT !.asked = TRUE]
    /\ pc' = [pc EXCEPT ![t] = "try"]
    /\ UNCHANGED <<committing, log, rsv, mutex, writeback, aborted>>

\* jbd2_journal_stop of a plain handle.
Stop(t) ==
    /\ t \in Plain
    /\ pc[t] \in {"attached", "extended"}
    /\ running' = Stopped(t)
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ UNCHANGED <<committing, log, rsv, mutex, writeback, aborted>>

\* mpage_prepare_extent_to_map has waited for the page's writeback, with the
\* handle; the page is submitted, and the handle stopped.
Submit(t) ==
    /\ t \in Pages
    /\ pc[t] = "attached"
    /\ ~writeback[t]
    /\ writeback' = [writeback EXCEPT ![t] = TRUE]
    /\ running' = LET stopped == Stopped(t)
                  IN [stopped EXCEPT !.data = IF Policy.data = "ordered" THEN @ \cup {t} ELSE @]
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ UNCHANGED <<committing, log, rsv, mutex, aborted>>

\* The same, but there is nothing to convert: jbd2_journal_free_reserved.
Unreserve(t) ==
    /\ t \in Pages
    /\ pc[t] = "attached"
    /\ ~writeback[t]
    /\ running' = LET stopped == Stopped(t)
                  IN [stopped EXCEPT !.out = @ - (IF Policy.unreserve THEN Reserves(t) ELSE 0)]
    /\ GiveBack([pc EXCEPT ![t] = "idle"], reserved - Reserves(t), promised)
    /\ UNCHANGED <<committing, log, mutex, writeback, aborted>>

\* ext4_end_io_end: the conversion is done, and the page's writeback ends.
Convert(t) ==
    /\ t \in Worker
    /\ pc[t] \in {"attached", "extended"}
    /\ writeback' = [writeback EXCEPT ![PageOf(t)] = FALSE]
    /\ running' = Stopped(t)
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ UNCHANGED <<committing, log, rsv, mutex, aborted>>

-----------------------------------------------------------------------------
(* jbd2_journal_commit_transaction, in kjournald2.  Each step takes        *)
(* j_state_lock for writing.                                               *)

\* fsync; or the commit interval, and sync.
AskCommit ==
    /\ Writable
    /\ running.state = "RUNNING"
    /\ ~running.asked
    /\ running.log > 0
    /\ running' = [running EXCEPT !.asked = TRUE]
    /\ UNCHANGED <<committing, log, rsv, mutex, tasks, aborted>>

\* T_LOCKED: ordinary handles no longer join.
CommitLock ==
    /\ Writable
    /\ running.state = "RUNNING"
    /\ running.asked
    /\ committing.state = "none"
    /\ running' = [running EXCEPT !.state = "LOCKED"]
    /\ UNCHANGED <<committing, log, rsv, mutex, tasks, aborted>>

\* T_SWITCH, once all handles have stopped: nobody joins.
CommitSwitch ==
    /\ Writable
    /\ running.state = "LOCKED"
    /\ running.updates = 0
    /\ running' = [running EXCEPT !.state = "SWITCH"]
    /\ UNCHANGED <<committing, log, rsv, mutex, tasks, aborted>>

\* T_FLUSH: what is reserved goes on to the next transaction, and all who wait
\* for one are woken.  Who waits for this one waits for what commits.
CommitFlush ==
    /\ Writable
    /\ running.state = "SWITCH"
    /\ committing' = [running EXCEPT !.state = "FLUSH", !.out = @ - reserved]
    /\ running' = None
    /\ pc' = [t \in Task |-> CASE pc[t] \in {"wait-locked", "wait-switch"} -> "try"
                               [] pc[t] = "wait-running" -> "wait-commit"
                               [] OTHER -> pc[t]]
    /\ UNCHANGED <<log, rsv, mutex, writeback, aborted>>

\* T_COMMIT: the log takes the blocks, a descriptor and a commit record, before
\* which the data has to be on disk (jbd2_journal_finish_inode_data_buffers; here
\* both are one step).  (A kernel whose log was full has stopped, at
\* J_ASSERT(j_free > 1).)
CommitWrite ==
    /\ Writable
    /\ committing.state = "FLUSH"
    /\ \A w \in committing.data : ~writeback[w]
    /\ free >= 1
    /\ free' = free - committing.log - 2
    /\ committing' = [committing EXCEPT !.state = "TAIL", !.out = 0, !.data = {}]
    /\ UNCHANGED <<running, checkpoint, rsv, mutex, tasks, aborted>>

\* jbd2_update_log_tail, which takes j_checkpoint_mutex; then T_FINISHED.  A
\* transaction that has dirtied nothing needs no checkpoint: its two blocks are
\* free with those before it.  For those who wait for this commit
\* jbd2_log_wait_commit returns, whatever is asked for by now.
CommitEnd ==
    /\ Writable
    /\ committing.state = "TAIL"
    /\ mutex = {}
    /\ LET blocks == committing.log + 2
           last   == Len(checkpoint)
       IN IF committing.log > 0
          THEN /\ checkpoint' = Append(checkpoint, blocks)
               /\ free' = IF Policy.tail = "oldest" THEN free ELSE free + blocks
          ELSE IF last = 0 THEN free' = free + blocks /\ UNCHANGED checkpoint
          ELSE checkpoint' = [checkpoint EXCEPT ![last] = @ + blocks] /\ UNCHANGED free
    /\ committing' = None
    /\ pc' = [t \in Task |-> IF pc[t] = "wait-commit" THEN "space" ELSE pc[t]]
    /\ UNCHANGED <<running, rsv, mutex, writeback, aborted>>

-----------------------------------------------------------------------------
(* __jbd2_log_wait_for_space.                                              *)

\* mutex_lock_io(j_checkpoint_mutex).
LockCheckpoint(t) ==
    /\ pc[t] = "space"
    /\ mutex = {}
    /\ mutex' = {t}
    /\ pc' = [pc EXCEPT ![t] = "checkpoint"]
    /\ UNCHANGED <<transactions, log, rsv, writeback, aborted>>

\* With the mutex: there is space; or the oldest transaction is checkpointed
\* (jbd2_log_do_checkpoint, jbd2_cleanup_journal_tail); or a commit may bring
\* some; or none will ever come.
MakeSpace(t) ==
    /\ pc[t] = "checkpoint"
    /\ Writable
    /\ LET enough == SpaceLeft >= (IF Policy.space = "max" THEN Max ELSE Total(t))
           commit == committing.state # "none"
       IN /\ IF ~enough /\ checkpoint # <<>>
             THEN free' = free + Head(checkpoint) /\ checkpoint' = Tail(checkpoint)
             ELSE UNCHANGED log
          /\ aborted' = (aborted \/ (~enough /\ checkpoint = <<>> /\ ~commit /\ Policy.abort))
          /\ pc' = [pc EXCEPT ![t] = CASE enough -> "try"
                                       [] checkpoint # <<>> -> "space"
                                       [] commit -> "wait-commit"
                                       [] OTHER  -> IF Policy.abort THEN "try" ELSE "space"]
          /\ mutex' = IF ~enough /\ checkpoint = <<>> /\ commit /\ Policy.mutex = "held"
                      THEN mutex ELSE {}
    /\ UNCHANGED <<transactions, rsv, writeback>>

\* jbd2_log_do_checkpoint finds a buffer that the running transaction owns: it
\* asks for that commit, and has to wait for it, also while another commits.
FindNewer(t) ==
    /\ pc[t] = "checkpoint"
    /\ Writable
    /\ checkpoint # <<>>
    /\ running.log > 0
    /\ running' = [running EXCEPT !.asked = TRUE]
    /\ mutex' = IF Policy.mutex = "held" THEN mutex ELSE {}
    /\ pc' = [pc EXCEPT ![t] = "wait-running"]
    /\ UNCHANGED <<committing, log, rsv, writeback, aborted>>

\* The same, and the one that commits owns it.
FindCommitting(t) ==
    /\ pc[t] = "checkpoint"
    /\ Writable
    /\ checkpoint # <<>>
    /\ committing.log > 0
    /\ mutex' = IF Policy.mutex = "held" THEN mutex ELSE {}
    /\ pc' = [pc EXCEPT ![t] = "wait-commit"]
    /\ UNCHANGED <<transactions, log, rsv, writeback, aborted>>

-----------------------------------------------------------------------------
Next ==
    \/ \E t \in Task :
          \/ Start(t)
          \/ Try(t)
          \/ Fail(t)
          \/ Undo(t)
          \/ Look(t)
          \/ Refuse(t)
          \/ TryReserved(t)
          \/ Extend(t)
          \/ Restart(t)
          \/ Stop(t)
          \/ Submit(t)
          \/ Unreserve(t)
          \/ Convert(t)
          \/ LockCheckpoint(t)
          \/ MakeSpace(t)
          \/ FindNewer(t)
          \/ FindCommitting(t)
    \/ AskCommit
    \/ CommitLock
    \/ CommitSwitch
    \/ CommitFlush
    \/ CommitWrite
    \/ CommitEnd

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Fairness: a task that runs goes on, I/O completes (so that a worker     *)
(* starts), a handle is stopped, and the commit thread goes on.  Nobody is *)
(* obliged to start a handle, to extend it, or to ask for a commit.        *)

Proceed(t) ==
    \/ t \in Worker /\ Start(t)
    \/ Try(t) \/ Fail(t) \/ Undo(t) \/ Look(t) \/ Refuse(t) \/ TryReserved(t)
    \/ Restart(t) \/ Stop(t) \/ Submit(t) \/ Convert(t)
    \/ LockCheckpoint(t) \/ MakeSpace(t) \/ FindNewer(t) \/ FindCommitting(t)
Commit == CommitLock \/ CommitSwitch \/ CommitFlush \/ CommitWrite \/ CommitEnd

FairSpec == Spec /\ (\A t \in Task : WF_vars(Proceed(t))) /\ WF_vars(Commit)

\* The same, where no reserved handle comes too late for ever.
JoinSpec ==
    FairSpec /\ \A k \in Worker : SF_vars(TryReserved(k) /\ pc'[k] = "attached")

\* Control: the commit thread may stop.
NoCommitSpec == Spec /\ \A t \in Task : WF_vars(Proceed(t))
=============================================================================
