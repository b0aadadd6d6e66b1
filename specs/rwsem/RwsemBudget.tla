---------------------------- MODULE RwsemBudget -----------------------------
(***************************************************************************)
(* Rwsem's policy BatchQueue with a budget: so many arrivals may pass the  *)
(* head of the queue.                                                      *)
(*                                                                         *)
(* BatchQueue hands a lock over that others wait for.  Whoever gets it may *)
(* be asleep, and until it runs the lock is of use to nobody.  Here the    *)
(* last holder leaves the lock free, and calls the head of the queue,      *)
(* which looks for itself; meanwhile those that run may use the lock.  The *)
(* budget says how often, before it is handed over after all: each grant   *)
(* to waiters starts it anew.  So every waiter is passed at most Budget    *)
(* times for each grant up to its own, of which there are as many as       *)
(* before (BudgetOvertaking counts).  A budget of 0 is BatchQueue.         *)
(*                                                                         *)
(* Who leaves last touches the lock twice, to leave and to call.  Between  *)
(* the two nobody passes: whoever did could use the lock for the last time *)
(* and end its life, and so could all after it (AloneUntilWake).           *)
(*                                                                         *)
(* MODELLED.  As Rwsem, with its queue and its rules of who goes where.    *)
(* Whether the head has been called is a bit of the lock's word (roused),  *)
(* so that nobody calls it twice before it has looked.  Of a batch of      *)
(* readers at the head all are called, and the first that looks takes the  *)
(* lock for all of them.                                                   *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  Each step is one atomic step on the word.  No    *)
(* task dies or gives up its wait.                                         *)
(*                                                                         *)
(* OUT OF SCOPE.  How long it takes to wake up, which is what the budget   *)
(* is there for.                                                           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, RwsemPolicies

CONSTANTS
    Readers,     \* tasks that take the lock for reading
    Writers,     \* tasks that take the lock for writing
    Downgraders, \* writers that may turn their lock into a reader's
    Budget       \* how many may enter past a head of the queue

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    queue,      \* the waiters, a sequence of tasks, first to be served first
    passed,     \* how many have entered past the head of the queue
    roused      \* the head has been called, and has not looked yet

vars == <<pc, queue, passed, roused>>

Task == Readers \cup Writers

\* The lock without a budget: its places, its holders, and its rules.
Lock == INSTANCE Rwsem WITH
    Policy <- BatchQueue, expired <- FALSE, handoff <- FALSE

Holders == Lock!Holders

\* Those that the lock goes to next: the readers at the head of the queue, or
\* the writer there.
Front ==
    IF queue = <<>> THEN {}
    ELSE IF Head(queue) \in Readers THEN Lock!FrontReaders(queue) ELSE {Head(queue)}

-----------------------------------------------------------------------------
(* The decisions.                                                          *)

\* What t takes from the budget if it passes the head.
Cost(t) == 1

\* An arrival may pass those that wait: some of the budget is left, and the lock is
\* not that of a task between its Release and its Wake.
MayPass == passed < Budget /\ (Holders # {} \/ roused)

\* t may enter on arrival.
Admits(t) == Lock!Compatible(t) /\ (queue = <<>> \/ MayPass)

\* t, which leaves, must see to the waiters: nobody else is inside, and the head
\* has not been called.
MustWake(t) == Holders = {t} /\ queue # <<>> /\ ~roused

\* Who is called.
Called == Front

\* Whether the head counts as called after it has looked in vain.
AfterMiss == FALSE

-----------------------------------------------------------------------------
TypeOK ==
    /\ pc \in [Task -> {"idle",     \* does not want the lock
                        "wait",     \* queued, asleep
                        "try",      \* queued, called, will look
                        "hold",     \* has it
                        "shared",   \* a writer that has it for reading: downgraded
                        "wake"}]    \* has released it, must see to the waiters
    /\ Lock!Range(queue) = {t \in Task : pc[t] \in {"wait", "try"}}
    /\ Len(queue) = Cardinality(Lock!Range(queue))
    /\ passed \in 0 .. Budget
    /\ roused \in BOOLEAN
    /\ \A t \in Task : pc[t] = "try" => t \in Front
    /\ queue = <<>> => passed = 0 /\ ~roused

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ queue = <<>>
    /\ passed = 0
    /\ roused = FALSE

\* What follows from any step that has fixed queue': both belong to the head, and
\* go with it.
Settle(p, r) ==
    LET same == /\ queue # <<>> /\ queue' # <<>>
                /\ Head(queue') = Head(queue)
    IN /\ passed' = IF same THEN p ELSE 0
       /\ roused' = (same /\ r)

\* Only t moves, and the queue stays as it is.
Moves(t, s) == pc' = [pc EXCEPT ![t] = s] /\ queue' = queue

-----------------------------------------------------------------------------
(* The steps of a task.                                                    *)

\* An arrival takes the lock, past the waiters if there are any.
Enter(t) ==
    /\ pc[t] = "idle"
    /\ Admits(t)
    /\ Moves(t, "hold")
    /\ Settle(passed + Cost(t), roused)

\* It waits.  A reader that joins those who are called looks with them.
Queue(t) ==
    /\ pc[t] = "idle"
    /\ ~Admits(t)
    /\ queue' = Lock!Place(t)
    /\ pc' = [pc EXCEPT ![t] = IF roused /\ t \in Readers /\ Head(queue) \in Readers
                               THEN "try" ELSE "wait"]
    /\ Settle(passed, roused)

\* A holder leaves.  Until the last one has seen to the waiters the lock is free.
Release(t) ==
    /\ pc[t] \in {"hold", "shared"}
    /\ Moves(t, IF MustWake(t) THEN "wake" ELSE "idle")
    /\ Settle(passed, roused)

\* The writer goes on as a reader, and lets in the readers at the head.
Downgrade(t) ==
    /\ t \in Downgraders
    /\ pc[t] = "hold"
    /\ Lock!Acquire(Lock!ReadersAhead(queue), queue, [pc EXCEPT ![t] = "shared"])
    /\ Settle(passed, roused)

\* The budget is spent: the lock is handed over.
Wake(t) ==
    /\ pc[t] = "wake"
    /\ passed >= Budget
    /\ Lock!Acquire(Front, queue, [pc EXCEPT ![t] = "idle"])
    /\ Settle(passed, roused)

\* It is not: the lock stays free, and the head is called.
Rouse(t) ==
    /\ pc[t] = "wake"
    /\ passed < Budget
    /\ pc' = [u \in Task |-> IF u = t THEN "idle" ELSE IF u \in Called THEN "try" ELSE pc[u]]
    /\ queue' = queue
    /\ Settle(passed, TRUE)

\* Who is called looks, and the lock lets it in: with it all those at the head.
Take(t) ==
    /\ pc[t] = "try"
    /\ roused
    /\ Lock!Compatible(t)
    /\ Lock!Acquire(Front, queue, pc)
    /\ Settle(passed, roused)

\* It looks in vain, or after another of its batch that has: it waits on, and must be
\* called again.
Miss(t) ==
    /\ pc[t] = "try"
    /\ ~(roused /\ Lock!Compatible(t))
    /\ Moves(t, "wait")
    /\ Settle(passed, roused /\ AfterMiss)

Next ==
    \E t \in Task :
        \/ Enter(t)
        \/ Queue(t)
        \/ Release(t)
        \/ Downgrade(t)
        \/ Wake(t)
        \/ Rouse(t)
        \/ Take(t)
        \/ Miss(t)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Fairness: a task inside the lock's code or inside the critical section  *)
(* goes on.  Nobody is obliged to arrive or to downgrade, and nobody is    *)
(* promised that it wins a race.                                           *)

Proceed(t) ==
    Release(t) \/ Wake(t) \/ Rouse(t) \/ Take(t) \/ Miss(t)

FairSpec == Spec /\ \A t \in Task : WF_vars(Proceed(t))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

MutualExclusion == Lock!MutualExclusion

\* No lock that would let the head in, unless somebody is bound to act on it: who
\* has left it and has not seen to the waiters, or who is called and has not looked.
NoIdleLockWithWaiters ==
    queue # <<>> /\ Lock!Compatible(Head(queue)) =>
        \E t \in Task : pc[t] = "wake" \/ (roused /\ pc[t] = "try")

\* Who has left, and has still to see to the waiters, is alone with the lock and with
\* those, who cannot go before it has.
AloneUntilWake ==
    \A t \in Task : pc[t] = "wake" =>
        /\ Holders = {}
        /\ queue # <<>>
        /\ ~roused
        /\ \A u \in Task : pc[u] = "wake" => u = t

\* With a budget of 0 it is the lock without one.
IsBatchQueue == [][Lock!Next]_<<pc, queue>>

-----------------------------------------------------------------------------
(* Progress.                                                               *)

ReaderProgress == \A r \in Readers : Lock!Contends(r) ~> pc[r] = "hold"
WriterProgress == \A w \in Writers : Lock!Contends(w) ~> pc[w] = "hold"
=============================================================================
