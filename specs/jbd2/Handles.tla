------------------------------ MODULE Handles ------------------------------
(***************************************************************************)
(* What a trace of a running kernel shows of a journal's handles: which    *)
(* transaction each joined, with how many credits, and what the kernel     *)
(* itself has counted.  Jbd2Credits says how the journal decides; this     *)
(* says what must be true of whatever it has decided, with transactions by *)
(* their numbers, and for handles and credits of any size.                 *)
(* MCJournalHandles has how the two are related.                           *)
(*                                                                         *)
(* MODELLED.  Which transaction takes handles, and when; the credits that  *)
(* it has, and that are reserved; that a commit waits for its handles; the *)
(* numbers of jbd2_run_stats.                                              *)
(*                                                                         *)
(* A TRACE BEGINS IN THE MIDDLE.  The running transaction may have handles *)
(* then, or be locked, or another may be committing; and credits may be    *)
(* reserved.  So there are several initial states, and a transaction is    *)
(* whole only if the one before it was seen to give way to it: of the      *)
(* others the numbers are lower bounds.  A task may have asked for its      *)
(* handle before the trace began: what it reserves is not told then.       *)
(*                                                                         *)
(* NOT SHOWN.  What waits, and for what; why a handle waits that would     *)
(* have fitted; revoke records, which take more credits than are counted   *)
(* here: a transaction has at least these.  Space in the log: see LogTail. *)
(***************************************************************************)
EXTENDS Integers, TLC

CONSTANTS
    Task,       \* who has handles
    FirstTid,   \* the first transaction of which there is an event
    Max,        \* j_max_transaction_buffers
    Overhead,   \* credits that every transaction begins with, at least
    Half,       \* all reservations take so many credits at most
    InFlight,   \* the numbers of credits that may be reserved at the beginning
    OlderReserves, \* those that one handle may reserve that was asked for before it
    Arguments(_) \* the tuples of arguments that an action, by its name, is tried with

VARIABLES
    running,    \* the transaction that takes handles; it is empty until one joins
    committing, \* the one that is being committed
    handles,    \* task -> the credits of its handle, and what it has reserved
    reserved,   \* j_reserved_credits
    unused      \* what the handle that has just stopped had reserved

vars == <<running, committing, handles, reserved, unused>>

\* A transaction: t_tid, t_state, whether all its handles are in the trace, how
\* many have joined, and the credits that the handles have or have used.
Transaction(tid, state, whole) ==
    [tid |-> tid, state |-> state, whole |-> whole, joined |-> 0, out |-> 0]

None == Transaction(0, "none", FALSE)

Init ==
    /\ \/ /\ running \in {Transaction(FirstTid, state, FALSE) : state \in {"RUNNING", "LOCKED"}}
          /\ committing = None
       \/ /\ running = Transaction(FirstTid + 1, "RUNNING", FALSE)
          /\ committing \in {Transaction(FirstTid, state, FALSE) :
                                state \in {"FLUSH", "COMMIT", "CALLBACK"}}
    /\ handles = <<>>
    /\ reserved \in InFlight
    /\ unused = 0

TypeOK ==
    /\ running.state \in {"RUNNING", "LOCKED"}
    /\ committing.state \in {"none", "FLUSH", "COMMIT", "CALLBACK"}
    /\ DOMAIN handles \subseteq Task
    /\ reserved >= 0 /\ unused >= 0

\* t_outstanding_credits.
Out == Overhead + reserved + running.out

Has(t) == t \in DOMAIN handles

\* The handle of t joins, with these credits.
Join(t, credits, reserve) ==
    /\ handles' = handles @@ (t :> [credits |-> credits, reserve |-> reserve])
    /\ running' = [running EXCEPT !.joined = @ + 1, !.out = @ + credits]

Without(t) == [u \in DOMAIN handles \ {t} |-> handles[u]]

-----------------------------------------------------------------------------
\* All tests of add_transaction_credits are passed.
Admits(tid, credits, reserve) ==
    /\ tid = running.tid
    /\ running.state = "RUNNING"
    /\ Out + credits + reserve <= Max
    /\ reserve > 0 => reserved + reserve <= Half

\* start_this_handle of an ordinary handle.
Start(t, tid, credits, reserve) ==
    /\ ~Has(t)
    /\ Admits(tid, credits, reserve)
    /\ Join(t, credits, reserve)
    /\ reserved' = reserved + reserve
    /\ unused' = 0
    /\ UNCHANGED committing

\* The same of a reserved one: no test, a transaction that is locked takes it
\* too, and it has the credits that were reserved.
StartReserved(t, tid, reserve, credits) ==
    /\ ~Has(t)
    /\ tid = running.tid
    /\ credits = reserve
    /\ reserve <= reserved
    /\ Join(t, credits, 0)
    /\ reserved' = reserved - reserve
    /\ unused' = 0
    /\ UNCHANGED committing

\* One of the two, of a handle that was asked for before the trace began.  What
\* it reserves is used by another: if it were given back, it could only break a
\* limit before.
StartOlder(t, tid, credits) ==
    \/ /\ ~Has(t)
       /\ Join(t, credits, 0)
       /\ \E reserve \in OlderReserves :
             /\ Admits(tid, credits, reserve)
             /\ reserved' = reserved + reserve
       /\ unused' = 0
       /\ UNCHANGED committing
    \/ StartReserved(t, tid, credits, credits)

\* jbd2_journal_extend, of a handle that has so many credits left.
Extend(t, tid, left, more) ==
    /\ Has(t) \/ ~running.whole
    /\ tid = running.tid
    /\ running.state = "RUNNING"
    /\ Has(t) => left <= handles[t].credits
    /\ Out + more <= Max
    /\ handles' = IF Has(t) THEN [handles EXCEPT ![t].credits = @ + more] ELSE handles
    /\ running' = IF Has(t) THEN [running EXCEPT !.out = @ + more] ELSE running
    /\ unused' = 0
    /\ UNCHANGED <<committing, reserved>>

\* jbd2__journal_restart: the handle leaves its transaction, and starts anew.
\* What it has dirtied there is not told.
Restart(t) ==
    /\ Has(t) \/ ~running.whole
    /\ handles' = Without(t)
    /\ running' = [running EXCEPT !.whole = FALSE,
                                  !.out = @ - (IF Has(t) THEN handles[t].credits ELSE 0)]
    /\ unused' = IF Has(t) THEN handles[t].reserve ELSE 0
    /\ UNCHANGED <<committing, reserved>>

\* jbd2_journal_stop: what the handle has dirtied stays counted.
Stop(t, tid, credits, dirtied) ==
    /\ Has(t) \/ ~running.whole
    /\ tid = running.tid
    /\ Has(t) => credits = handles[t].credits
    /\ dirtied <= credits
    /\ handles' = Without(t)
    /\ running' = [running EXCEPT !.out = @ + dirtied - (IF Has(t) THEN credits ELSE 0)]
    /\ unused' = IF Has(t) THEN handles[t].reserve ELSE 0
    /\ UNCHANGED <<committing, reserved>>

\* The same step of the kernel, if nothing is left to be done with what the
\* handle had reserved (__jbd2_journal_unreserve_handle).  No event.
FreeReserved ==
    /\ unused > 0
    /\ unused <= reserved
    /\ reserved' = reserved - unused
    /\ unused' = 0
    /\ UNCHANGED <<running, committing, handles>>

-----------------------------------------------------------------------------
(* jbd2_journal_commit_transaction.                                        *)

\* T_LOCKED.
CommitLock(tid) ==
    /\ tid = running.tid
    /\ running.state = "RUNNING"
    /\ committing.state = "none"
    /\ running' = [running EXCEPT !.state = "LOCKED"]
    /\ unused' = 0
    /\ UNCHANGED <<committing, handles, reserved>>

\* T_FLUSH, once no handle is left: the next transaction takes handles.
CommitFlush(tid) ==
    /\ tid = running.tid
    /\ running.state = "LOCKED"
    /\ DOMAIN handles = {}
    /\ committing' = [running EXCEPT !.state = "FLUSH"]
    /\ running' = Transaction(tid + 1, "RUNNING", TRUE)
    /\ unused' = 0
    /\ UNCHANGED <<handles, reserved>>

\* The committing transaction goes on from one state to the next.
Goes(tid, from, to) ==
    /\ committing.state = from
    /\ committing' = IF to = "none" THEN None ELSE [committing EXCEPT !.state = to]
    /\ unused' = 0
    /\ UNCHANGED <<running, handles, reserved>>

\* T_COMMIT.
CommitLog(tid) ==
    /\ tid = committing.tid
    /\ Goes(tid, "FLUSH", "COMMIT")

\* The kernel's own count of the handles; each block that it writes was dirtied
\* by a handle.
Stats(tid, joined, blocks) ==
    /\ tid = committing.tid
    /\ joined >= committing.joined
    /\ committing.whole => joined = committing.joined
    /\ committing.whole => blocks <= committing.out
    /\ Goes(tid, "COMMIT", "CALLBACK")

\* T_FINISHED.
CommitEnd(tid) ==
    /\ tid = committing.tid
    /\ Goes(tid, "CALLBACK", "none")

-----------------------------------------------------------------------------
Next ==
    \/ \E a \in Arguments("Start") : Start(a[1], a[2], a[3], a[4])
    \/ \E a \in Arguments("StartReserved") : StartReserved(a[1], a[2], a[3], a[4])
    \/ \E a \in Arguments("StartOlder") : StartOlder(a[1], a[2], a[3])
    \/ \E a \in Arguments("Extend") : Extend(a[1], a[2], a[3], a[4])
    \/ \E a \in Arguments("Restart") : Restart(a[1])
    \/ \E a \in Arguments("Stop") : Stop(a[1], a[2], a[3], a[4])
    \/ FreeReserved
    \/ \E a \in Arguments("CommitLock") : CommitLock(a[1])
    \/ \E a \in Arguments("CommitFlush") : CommitFlush(a[1])
    \/ \E a \in Arguments("CommitLog") : CommitLog(a[1])
    \/ \E a \in Arguments("Stats") : Stats(a[1], a[2], a[3])
    \/ \E a \in Arguments("CommitEnd") : CommitEnd(a[1])

Spec == Init /\ [][Next]_vars
=============================================================================
