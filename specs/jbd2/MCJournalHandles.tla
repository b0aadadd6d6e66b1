-------------------------- MODULE MCJournalHandles --------------------------
(***************************************************************************)
(* What Jbd2Credits does, as Handles sees it: each step of the journal is  *)
(* one, two or none of those that a trace shows.  Handles knows numbers    *)
(* that Jbd2Credits does not need; they are kept as history.  (A handle    *)
(* that restarts is out of scope: a trace does not tell what it dirtied.)  *)
(***************************************************************************)
EXTENDS MCJbd2Credits

CONSTANT Most   \* so many transactions take handles: a bound

VARIABLES
    tid,        \* t_tid of the running transaction
    joined,     \* how many handles have joined it
    closing,    \* the same of the one that is being committed
    unused      \* what the handle that has just stopped had reserved

history == <<tid, joined, closing, unused>>

-----------------------------------------------------------------------------
(* The variables of Handles.                                               *)

Credited == [t \in Attached |-> [credits |-> Has(t), reserve |-> Reserves(t)]]

TakesHandles ==
    [tid |-> tid, whole |-> tid > 1, joined |-> joined,
     state |-> IF running.state \in {"none", "RUNNING"} THEN "RUNNING" ELSE "LOCKED",
     out |-> IF running.state = "none" THEN 0
             ELSE running.out - Overhead - reserved - Sum(Credits, Undoing)]

\* What an attempt adds and takes back is no handle's.
Reserved == reserved - ReserveOf(Undoing)

Commits ==
    IF committing.state = "none"
    THEN [tid |-> 0, whole |-> FALSE, joined |-> 0, state |-> "none", out |-> 0]
    ELSE [tid |-> tid - 1, whole |-> tid > 2, joined |-> closing,
          state |-> IF committing.state = "FLUSH" THEN "FLUSH" ELSE "CALLBACK",
          out |-> committing.log]

Tids == 1..(Most + 1)
Tried(action) ==
    CASE action = "Start" -> {<<t, k, Credits(t), Reserves(t)>> : t \in Task, k \in Tids}
      [] action = "StartReserved" -> {<<t, k, Reserve, Reserve>> : t \in Worker, k \in Tids}
      [] action = "Extend" -> {<<t, k, Cost, Extra>> : t \in Plain, k \in Tids}
      [] action = "Stop" ->
            {<<t, k, Credits(t) + more, Dirties(t) + more>> : t \in Task, k \in Tids, more \in {0, Extra}}
      [] action \in {"CommitLock", "CommitFlush", "CommitEnd"} -> {<<k>> : k \in Tids}
      [] OTHER -> {}

H == INSTANCE Handles WITH running <- TakesHandles, committing <- Commits, handles <- Credited,
                           reserved <- Reserved, FirstTid <- 1, InFlight <- {0}, OlderReserves <- {0}, Arguments <- Tried

\* Two steps of Handles in one: CommitLog and Stats; Stop and FreeReserved.
Written ==
    /\ committing.state = "FLUSH"
    /\ Commits' = [Commits EXCEPT !.state = "CALLBACK"]
    /\ unused' = 0
    /\ UNCHANGED <<TakesHandles, Credited, Reserved>>
Unused ==
    \E w \in Pages :
        /\ H!Has(w)
        /\ Credited' = H!Without(w)
        /\ TakesHandles' = [TakesHandles EXCEPT !.out = @ - PageCost + PageUses]
        /\ Reserved' = Reserved - Reserves(w)
        /\ unused' = 0
        /\ UNCHANGED Commits

Shown == [][H!Next \/ Written \/ Unused]_(H!vars)

-----------------------------------------------------------------------------
HistoryInit == Init /\ tid = 1 /\ joined = 0 /\ closing = 0 /\ unused = 0

\* It begins as Handles may.
Begins == HistoryInit => H!Init

\* What a step of the journal changes in it.
Record ==
    LET flushes == CommitFlush
        submits == \E w \in Pages : Submit(w)
        joiners == {t \in Task : pc[t] = "try" /\ pc'[t] = "attached"}
    IN /\ tid' = IF flushes THEN tid + 1 ELSE tid
       /\ tid' <= Most
       /\ joined' = IF flushes THEN 0 ELSE joined + Cardinality(joiners)
       /\ closing' = IF flushes THEN joined ELSE IF CommitEnd THEN 0 ELSE closing
       /\ unused' = IF submits THEN Reserve
                    ELSE IF UNCHANGED <<TakesHandles, Commits, Credited>> THEN unused ELSE 0

HistoryNext == Next /\ Record
HistorySpec == HistoryInit /\ [][HistoryNext]_<<vars, history>>

\* Probe, which must be violated: a whole transaction is committed.
NeverWhole == ~(committing.state # "none" /\ tid > 2)

\* Where a handle may be extended, and none restarts: a transaction is full at once,
\* and nobody else asks for its commit.
NobodyAsks == FALSE

\* Controls: what is reserved for a conversion is lost, while nobody has a handle,
\* and while somebody has one.
Lose ==
    /\ reserved > 0
    /\ unused = 0
    /\ running.state # "none"
    /\ running' = [running EXCEPT !.out = @ - Reserve]
    /\ reserved' = reserved - Reserve
    /\ UNCHANGED <<committing, log, waits, mutex, tasks, aborted, history>>
LossNext       == (Next /\ Record) \/ (Attached = {} /\ Lose)
LossBesideNext == (Next /\ Record) \/ (Attached # {} /\ Lose)

\* Control, in the place of HistoryInit: a handle has joined already.
JoinedInit == Init /\ tid = 1 /\ joined = 1 /\ closing = 0 /\ unused = 0

\* Control: what a handle has reserved and does not use stays reserved.
UnreserveKeeps(t) ==
    /\ t \in Pages
    /\ pc[t] = "attached"
    /\ ~writeback[t]
    /\ running' = Stopped(t)
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ UNCHANGED <<committing, log, rsv, mutex, writeback, aborted>>
=============================================================================
