---------------------------- MODULE FlagPromises ----------------------------
(***************************************************************************)
(* What the rwsem of Linux 5.3 and later keeps, and what it promises: a    *)
(* count that is the sum of what everybody put in, no lock that lies idle  *)
(* before a waiter, no wake-up that is lost, nobody who passes the first   *)
(* waiter after it has demanded the lock, and that everybody gets it: with *)
(* the fairness that this needs.                                           *)
(***************************************************************************)
EXTENDS RwsemFlags

-----------------------------------------------------------------------------
(* Fairness.                                                               *)

\* Whoever is inside the code, or inside the critical section, goes on.  One
\* disjunction a task, as in Rwsem.  It is strong fairness for wait_lock's sake,
\* a queued spinlock: whoever wants it gets it, however often others have it in
\* between.  In no other step does a task wait inside Proceed.  Nobody is
\* obliged to arrive or to downgrade, and no signal to come.
Proceed(t) ==
    \/ t \in Readers /\ (\/ ReadSlow(t) \/ ReadUndo(t) \/ ReadSteal(t) \/ SetOwner(t)
                         \/ StealWake(t) \/ ReadQueue(t) \/ ReadEnqueue(t) \/ ReadWait(t)
                         \/ LeaveRead(t))
    \/ t \in Writers /\ (\/ WriteSteal(t) \/ WriteQueue(t) \/ TryWrite(t) \/ FailWrite(t)
                         \/ SpinAgain(t) \/ SpinEnds(t) \/ Recheck(t) \/ LeaveWrite(t)
                         \/ UpWrite(t) \/ DowngradeWake(t))
    \/ Mark(t) \/ BackOut(t) \/ Grant(t) \/ Clear(t) \/ Rouse(t)
    \/ UpRead(t) \/ Wake(t) \/ SkipWake(t)

TasksProceed == \A t \in Task : SF_vars(Proceed(t))
TimePasses   == \A t \in Task : WF_vars(Expire(t))
FairSpec     == Spec /\ TasksProceed /\ TimePasses

\* Control: 4 ms never pass.
NoTimerSpec  == Spec /\ TasksProceed

\* An RT task shares a processor with the other waiters: they do not run while
\* it does, unless they hold wait_lock, which bars preemption.
Outranked(t) ==
    /\ t \in Range(list) \ Realtime
    /\ t # wait_lock
    /\ \E u \in Realtime : pc[u] \in {"try", "hspin", "woke"}
PrioritySpec ==
    /\ Spec
    /\ \A t \in Task : SF_vars(Proceed(t) /\ ~Outranked(t))
    /\ TimePasses

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* Whoever a down_read or down_write has returned to.
Holders == {t \in Task : pc[t] \in {"hold", "shared", "dwake"}
                         \/ then[t] \in {"hold", "shared"}}
WriteHeld == \E w \in Writers : pc[w] = "hold"

\* A writer is alone inside, unless it has downgraded.
MutualExclusion == WriteHeld => Cardinality(Holders) = 1

\* Whose bias the count has: who is in, who was let in, who is about to find
\* out, and the waker that tries for the reader at the head.
Biased ==
    {t \in Task :
        \/ t \in Holders \ {w \in Writers : pc[w] = "hold"}
        \/ t \in Readers /\ pc[t] \in {"slow", "own", "steal", "swake", "queue", "enqueue"}
        \/ t \in granted \cup chosen}
Tentative == Cardinality({t \in Task : pc[t] = "backout" \/ (pc[t] = "grant" /\ type # "owned")})

\* The count is the sum of what everybody has put in; the waiters' flag is set
\* while somebody is queued, ...
CountIsSum ==
    count = (IF WriteHeld THEN WriterLocked ELSE 0)
            + (IF list # <<>> THEN FlagWaiters ELSE 0)
            + (IF Has(count, FlagHandoff) THEN FlagHandoff ELSE 0)
            + ReaderBias * (Cardinality(Biased) + Tentative)

\* ... and so is the hand-off, if it is.
HandoffHasWaiter == Has(count, FlagHandoff) => list # <<>>

\* No free lock with waiters, unless somebody is bound to act on it.
NoIdleLockWithWaiters ==
    ~Locked(count) /\ list # <<>> =>
        \E t \in Task :
            \/ pc[t] \in {"wake", "mark", "backout", "grant", "clear", "rouse", "woke"}
            \/ pc[t] = "leave" /\ (WakesRest(t) \/ Len(list) = 1)
            \/ pc[t] = "try" /\ (~KeptOut(t) \/ t \in roused)
            \/ pc[t] = "hspin" /\ (owner = None \/ t \in roused)
            \/ pc[t] = "spin" /\ ~Has(count, FlagHandoff)

\* A reader that has been granted the lock and sleeps will be woken.
NoLostWakeup ==
    \A r \in granted : pc[r] = "sleep" => \E t \in Task : r \in wake_q[t]

\* A free lock is kept from a writer that runs for another writer only if that
\* one is first and has demanded it itself.
NobodyWaitsForNobody ==
    \A w \in Writers :
        pc[w] = "try" /\ ~Locked(count) /\ KeptOut(w) /\ Head(list) \in Writers =>
            ~First(w) /\ handoff_set[Head(list)] = "yes"

\* Nobody but the first waiter spins in the queue.
OnlyFirstSpins == \A w \in Writers : pc[w] = "hspin" => First(w)

\* What the hand-off promises.  From the moment that the first waiter has
\* demanded it nobody else gets the lock, but for readers that are let in with
\* it, and readers whose bias was in the count before.
Demanded ==
    /\ list # <<>>
    /\ Has(count, FlagHandoff)
    /\ handoff_set[Head(list)] = "yes"
HandoffToHead ==
    [][Demanded /\ list' # <<>> /\ Head(list') = Head(list) =>
         \A t \in Task : t \in Holders' \ Holders => t \in Biased]_vars

-----------------------------------------------------------------------------
(* Progress.                                                               *)

Contends(t) == pc[t] \in {"slow", "spin", "queue", "wait", "sleep", "woke", "try", "hspin"}

ReaderProgress == \A r \in Readers : Contends(r) ~> pc[r] = "hold"
WriterProgress == \A w \in Writers : Contends(w) ~> pc[w] = "hold"

\* Whoever is killed in its wait leaves the list, or has the lock by now.
LeavesList == \A t \in Task : pc[t] = "leave" ~> pc[t] # "leave"
=============================================================================
