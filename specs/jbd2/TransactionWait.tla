-------------------------- MODULE TransactionWait --------------------------
(***************************************************************************)
(* Who gets into the next transaction: the wait on                         *)
(* j_wait_transaction_locked.  A handle that finds the transaction full    *)
(* asks for its commit and sleeps; the commit wakes all who sleep, in the  *)
(* order of the queue, and they try again.                                 *)
(*                                                                         *)
(* MODELLED.  wait_transaction_locked and the wake-up at T_FLUSH, with the *)
(* order of the queue: the last to come first, as prepare_to_wait had it,  *)
(* or the first to come first (34fc8768ec60, Linux 6.1).  Woken threads    *)
(* run in the order in which they are woken.  A thread that arrives may    *)
(* run at any time, or it runs after those that are there.                 *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  A transaction has room for so many credits, and  *)
(* what a handle asked for stays used; what a thread asks for is fixed for *)
(* the thread, so that a small one cannot starve a large one unseen.       *)
(*                                                                         *)
(* OUT OF SCOPE.  All else that a handle may wait for: see Jbd2Credits and *)
(* ReserveWait.                                                            *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Small, Large, \* threads whose handles take one credit, and two
    Room,         \* credits in a transaction
    Order,        \* "lifo" or "fifo"; "lost": see Woken
    Barge,        \* TRUE: who arrives may run before those who were woken
    MaxCommits    \* bound: how many commits one sleeps through

Thread  == Small \cup Large
Need(t) == IF t \in Large THEN 2 ELSE 1

VARIABLES
    pc,         \* what each thread is doing, see TypeOK
    queue,      \* j_wait_transaction_locked, next to be woken first
    line,       \* who is to run, in this order; arrivals too if none barges
    used,       \* credits of the running transaction
    asked,      \* its commit is asked for: nobody joins
    commits     \* history: commits that each thread slept through

transaction == <<used, asked>>
vars == <<pc, queue, line, transaction, commits>>

\* @type: Seq(a) => Set(a);
Range(s) == {s[i] : i \in DOMAIN s}

TypeOK ==
    /\ pc \in [Thread -> {"idle",   \* has no handle
                          "try",    \* is to try
                          "sleep",  \* in wait_transaction_locked
                          "hold"}]  \* has a handle
    /\ Range(queue) = {t \in Thread : pc[t] = "sleep"}
    /\ Len(queue) = Cardinality(Range(queue))
    /\ Range(line) \subseteq {t \in Thread : pc[t] = "try"}
    /\ used \in 0 .. Room
    /\ asked \in BOOLEAN
    /\ commits \in [Thread -> 0 .. MaxCommits + 1]

Init ==
    /\ pc = [t \in Thread |-> "idle"]
    /\ queue = <<>>
    /\ line = <<>>
    /\ used = 0
    /\ asked = FALSE
    /\ commits = [t \in Thread |-> 0]

-----------------------------------------------------------------------------
\* jbd2__journal_start.
Start(t) ==
    /\ pc[t] = "idle"
    /\ pc' = [pc EXCEPT ![t] = "try"]
    /\ line' = IF Barge THEN line ELSE Append(line, t)
    /\ commits' = [commits EXCEPT ![t] = 0]
    /\ UNCHANGED <<queue, transaction>>

\* It is t's turn to run.
Turn(t) == t \in Range(line) => t = Head(line)
Ran(t)  == IF t \in Range(line) THEN Tail(line) ELSE line

\* start_this_handle: the transaction takes t's credits.
Join(t) ==
    /\ pc[t] = "try"
    /\ Turn(t)
    /\ ~asked /\ used + Need(t) <= Room
    /\ used' = used + Need(t)
    /\ pc' = [pc EXCEPT ![t] = "hold"]
    /\ line' = Ran(t)
    /\ UNCHANGED <<queue, asked, commits>>

\* wait_transaction_locked.
Sleep(t) ==
    /\ pc[t] = "try"
    /\ Turn(t)
    /\ asked \/ used + Need(t) > Room
    /\ asked' = TRUE
    /\ pc' = [pc EXCEPT ![t] = "sleep"]
    /\ queue' = IF Order = "fifo" THEN Append(queue, t) ELSE <<t>> \o queue
    /\ line' = Ran(t)
    /\ UNCHANGED <<used, commits>>

\* jbd2_journal_stop.
Stop(t) ==
    /\ pc[t] = "hold"
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ UNCHANGED <<queue, line, transaction, commits>>

\* Whom a commit wakes: all who sleep.  (Control: with "lost" nobody.)
Woken == IF Order = "lost" THEN {} ELSE Range(queue)

\* T_FLUSH: all handles have stopped, the next transaction is empty, and those
\* who are woken run before those who have come since.
Commit ==
    /\ asked
    /\ \A t \in Thread : pc[t] # "hold"
    /\ used' = 0
    /\ asked' = FALSE
    /\ line' = IF Woken = {} THEN line ELSE queue \o line
    /\ queue' = IF Woken = {} THEN queue ELSE <<>>
    /\ pc' = [t \in Thread |-> IF t \in Woken THEN "try" ELSE pc[t]]
    /\ commits' = [t \in Thread |-> IF t \in Woken /\ commits[t] <= MaxCommits
                                    THEN commits[t] + 1 ELSE commits[t]]

Next ==
    \/ \E t \in Thread :
          \/ Start(t)
          \/ Join(t)
          \/ Sleep(t)
          \/ Stop(t)
    \/ Commit

Spec == Init /\ [][Next]_vars

\* A thread whose turn it is runs, a handle is stopped, and the commit thread
\* goes on.  Nobody is obliged to start, or promised to win.
FairSpec ==
    Spec /\ WF_vars(Commit) /\ \A t \in Thread : WF_vars(Join(t) \/ Sleep(t)) /\ WF_vars(Stop(t))

\* Control: the commit thread may stop.
NoCommitSpec ==
    Spec /\ \A t \in Thread : WF_vars(Join(t) \/ Sleep(t)) /\ WF_vars(Stop(t))

-----------------------------------------------------------------------------
\* How many commits a thread sleeps through until it has its handle.
BoundedCommits == \A t \in Thread : commits[t] <= MaxCommits

Wants(t) == pc[t] \in {"try", "sleep"}

\* Nobody starves, whether it asks for little or much.
SmallProgress == \A t \in Small : Wants(t) ~> pc[t] = "hold"
LargeProgress == \A t \in Large : Wants(t) ~> pc[t] = "hold"

\* Some thread always gets on.
ClassProgress == (\E t \in Thread : Wants(t)) ~> (\E t \in Thread : pc[t] = "hold")
=============================================================================
