---------------------------- MODULE QueuedRwsem ----------------------------
(***************************************************************************)
(* A reader/writer lock whose waiters may give up, and whose readers may   *)
(* be upgradable: the policy BatchQueue of Rwsem, with a queue that names  *)
(* its waiters.                                                            *)
(*                                                                         *)
(* MODELLED.  Tasks that for ever take the lock for reading, for writing,  *)
(* or upgradable: for reading beside readers, one such task at a time, so  *)
(* that it may go on to write without leaving.  Whoever waits may give up: *)
(* a timeout, a signal, a future that is dropped.  What this is for is the *)
(* type `queued` of the crate interlock-rwlock; the names of the calls     *)
(* are those of lock_api.                                                  *)
(*                                                                         *)
(* WHY A QUEUE.  The lock in one word keeps counts and tickets for its     *)
(* queue.  A writer that leaves such a queue leaves a hole in the tickets: *)
(* TicketRwsem shows the wake-up that is lost in it.                       *)
(*                                                                         *)
(* THE RULE.  A waiter gets the lock as soon as it excludes nobody who is  *)
(* inside, and nobody who stands before it.  So whoever conflicts has the  *)
(* lock in the order of the queue; a reader never waits for an upgradable  *)
(* reader that waits for another one.  An upgrade is a writer that stands  *)
(* at the head of the queue while it is inside.                            *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  A mutex makes each step atomic, whom it lets in  *)
(* included: the lock is never free between a release and a grant.         *)
(* Whoever is granted the lock notices.                                    *)
(*                                                                         *)
(* OUT OF SCOPE.  Priorities; recursion.                                   *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Readers,    \* tasks that take the lock for reading
    Writers,    \* tasks that take the lock for writing
    Upgraders,  \* tasks that take it upgradable
    Mortal,     \* tasks that may give up a wait
    Downgraders \* tasks that may go on with less than they have

Task == Readers \cup Writers \cup Upgraders

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    queue       \* who waits, a sequence of tasks, first to be served first

vars == <<pc, queue>>

-----------------------------------------------------------------------------
(* The state of the lock.  p is what the tasks do.                         *)

\* What the lock may be held for.
Modes == {"read", "upgradable", "write"}

\* Two tasks cannot have the lock for these at a time.
Excludes(a, b) == a = "write" \/ b = "write" \/ (a = "upgradable" /\ b = "upgradable")

\* Who is inside, and what for.
Inside(p)  == {t \in Task : p[t] \in Modes \cup {"upgrade"}}
Has(p, t)  == IF p[t] = "upgrade" THEN "upgradable" ELSE p[t]

\* What a task waits for.
Asks(t) == IF t \in Readers THEN "read" ELSE IF t \in Writers THEN "write" ELSE "upgradable"
Wants(p, t) == IF p[t] = "upgrade" THEN "write" ELSE Asks(t)

\* @type: Seq(a) => Set(a);
Range(s) == {s[i] : i \in DOMAIN s}

-----------------------------------------------------------------------------
(* Where a task stands, and who gets the lock.                             *)

\* @type: (Seq(TASK), Set(TASK)) => Seq(TASK);
Without(q, S) == SelectSeq(q, LAMBDA t : t \notin S)

\* q with t put in behind its first n waiters.
\* @type: (Seq(TASK), Int, TASK) => Seq(TASK);
InsertAt(q, n, t) == SubSeq(q, 1, n) \o <<t>> \o SubSeq(q, n + 1, Len(q))

\* A reader joins the readers that wait, if there are any (BatchQueue, rule 6);
\* everybody else goes to the tail.
PlaceOf(q, t) ==
    LET readers == {i \in DOMAIN q : q[i] \in Readers}
    IN IF t \in Readers /\ readers # {}
       THEN CHOOSE i \in readers : \A j \in readers : j <= i
       ELSE Len(q)

\* Who upgrades goes to the head: everybody else waits for it to leave.
UpgradePlace(q) == 0

\* Who gets the lock, of those that wait in q.
Granted(q, p) ==
    {q[i] : i \in {i \in DOMAIN q :
        /\ \A h \in Inside(p) \ {q[i]} : ~Excludes(Has(p, h), Wants(p, q[i]))
        /\ \A j \in 1 .. i - 1 : ~Excludes(Wants(p, q[j]), Wants(p, q[i]))}}

\* The same after somebody has left, and after somebody has given up.
GrantedAfter(q, p) == Granted(q, p)
GrantedInstead(q, p) == Granted(q, p)

\* The tasks of G get the lock, out of q; p is the rest.
Let(G, q, p) ==
    /\ queue' = Without(q, G)
    /\ pc' = [t \in Task |-> IF t \in G THEN Wants(p, t) ELSE p[t]]

Settle(q, p) == Let(Granted(q, p), q, p)

-----------------------------------------------------------------------------
TypeOK ==
    /\ pc \in [Task -> {"idle",         \* does not want the lock
                        "wait",         \* is queued
                        "read",         \* has it for reading
                        "upgradable",   \* has it upgradable
                        "upgrade",      \* the same, and is queued to write
                        "write"}]       \* has it for writing
    /\ Range(queue) = {t \in Task : pc[t] \in {"wait", "upgrade"}}
    /\ Len(queue) = Cardinality(Range(queue))

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ queue = <<>>

-----------------------------------------------------------------------------
(* The steps of a task, each under the mutex.                              *)

\* The queue and the tasks, once t has come.
Arrived(t) == InsertAt(queue, PlaceOf(queue, t), t)
Waiting(t) == [pc EXCEPT ![t] = "wait"]
Admits(t)  == t \in Granted(Arrived(t), Waiting(t))

\* lock_shared, lock_exclusive, lock_upgradable, without a wait; and what their
\* try_ forms do, if anything.
Enter(t) ==
    /\ pc[t] = "idle"
    /\ Admits(t)
    /\ Settle(Arrived(t), Waiting(t))

\* The same with a wait.
Queue(t) ==
    /\ pc[t] = "idle"
    /\ ~Admits(t)
    /\ Settle(Arrived(t), Waiting(t))

\* unlock_shared, unlock_exclusive, unlock_upgradable.
Release(t) ==
    /\ pc[t] \in Modes
    /\ LET p == [pc EXCEPT ![t] = "idle"]
       IN Let(GrantedAfter(queue, p), queue, p)

\* A wait ends without the lock: try_lock_..._for.  Who gives up an upgrade has
\* what it had, and those come in that it has kept out.
GiveUp(t) ==
    /\ t \in Mortal
    /\ t \in Range(queue)
    /\ LET q == Without(queue, {t})
           p == [pc EXCEPT ![t] = IF @ = "upgrade" THEN "upgradable" ELSE "idle"]
       IN Let(GrantedInstead(q, p), q, p)

\* May t, which is inside, ask to write?
MayUpgrade(t) == pc[t] = "upgradable"

\* upgrade; try_upgrade is this, or nothing.  Alone inside, t writes at once.
Upgrade(t) ==
    /\ MayUpgrade(t)
    /\ Settle(InsertAt(queue, UpgradePlace(queue), t), [pc EXCEPT ![t] = "upgrade"])

\* downgrade, downgrade_to_upgradable, downgrade_upgradable: t goes on with less,
\* and nobody who excludes that gets in between.
Downgrade(t, mode) ==
    /\ t \in Downgraders
    /\ \/ pc[t] = "write" /\ mode \in {"read", "upgradable"}
       \/ pc[t] = "upgradable" /\ mode = "read"
    /\ Settle(queue, [pc EXCEPT ![t] = mode])

Next ==
    \E t \in Task :
        \/ Enter(t)
        \/ Queue(t)
        \/ Release(t)
        \/ GiveUp(t)
        \/ Upgrade(t)
        \/ \E mode \in {"read", "upgradable"} : Downgrade(t, mode)

Spec == Init /\ [][Next]_vars

\* Every holder leaves: its code does.  Strong, for an upgrade that is tried and
\* given up again and again interrupts a release without end, and a holder's code
\* does not do that for ever.  Nobody is obliged to come, to upgrade or to give up.
HoldersLeave == \A t \in Task : SF_vars(Release(t))
FairSpec == Spec /\ HoldersLeave

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* A writer is alone inside.
MutualExclusion == \A t \in Task : pc[t] = "write" => Inside(pc) = {t}

OneUpgrader ==
    \A t, u \in Task :
        pc[t] \in {"upgradable", "upgrade"} /\ pc[u] \in {"upgradable", "upgrade"} => t = u

NoIdleLockWithWaiters == Inside(pc) = {} => queue = <<>>

\* A reader waits for somebody who writes, or who is going to before it.
NoReaderWaitsForReaders ==
    \A i \in DOMAIN queue : queue[i] \in Readers =>
        \/ \E t \in Task : pc[t] = "write"
        \/ \E j \in 1 .. i - 1 : Wants(pc, queue[j]) = "write"

\* Whoever is first is kept out by somebody inside: no wake-up is lost.
FirstIsKeptOut ==
    queue # <<>> =>
        LET first == Head(queue)
        IN \E t \in Inside(pc) \ {first} :
              \/ Wants(pc, first) = "write"
              \/ pc[t] = "write"
              \/ Wants(pc, first) = "upgradable" /\ pc[t] \in {"upgradable", "upgrade"}

\* The readers that wait stand together.
ReadersTogether ==
    \A i, j, k \in DOMAIN queue :
        i < j /\ j < k /\ queue[i] \in Readers /\ queue[k] \in Readers => queue[j] \in Readers

-----------------------------------------------------------------------------
(* Progress: who waits, and does not give up, gets the lock.               *)

ReaderProgress   == \A t \in Readers : pc[t] = "wait" ~> pc[t] # "wait"
WriterProgress   == \A t \in Writers : pc[t] = "wait" ~> pc[t] # "wait"
UpgraderProgress == \A t \in Upgraders : pc[t] = "wait" ~> pc[t] # "wait"
UpgradeProgress  == \A t \in Task : pc[t] = "upgrade" ~> pc[t] # "upgrade"
=============================================================================
