---------------------------- MODULE ReserveWait ----------------------------
(***************************************************************************)
(* Who gets the reserved credits of a journal: the wait on j_wait_reserved *)
(* in add_transaction_credits.  Every handle that writeback starts under   *)
(* dioread_nolock reserves credits for the conversion that will follow,    *)
(* and all reservations together may take half of the largest transaction. *)
(* Measured at the scale of "significant regression of ext4 with           *)
(* dioread_nolock" (2022), this is where its threads wait: each release    *)
(* wakes them all, and all but one go to sleep again.                      *)
(*                                                                         *)
(* MODELLED.  add_transaction_credits' fourth test (6.18): it adds first,  *)
(* and where that is too much it takes back, by sub_reserved_credits, as   *)
(* who gives a reservation back does; that wakes each time.  Between the   *)
(* two the others see credits that nobody has.  Then the wait_event on     *)
(* j_wait_reserved: who comes there, or is woken there, looks whether its  *)
(* own credits fit, and else sleeps (on); if they fit, it tries again, in  *)
(* competition with arrivals, unless the credits are handed to it.  Three  *)
(* other ways to wake.  What a thread reserves is fixed for the thread, so *)
(* that a small one cannot starve a large one unseen.                      *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  To give credits back and to wake are one atomic  *)
(* step (who looks in between sees the credits, and need not be woken),    *)
(* and so are a look that fails and the entry into the wait queue          *)
(* (prepare_to_wait comes before the look: what is given back after it     *)
(* wakes).  A hand-over tests under a lock of its queue, and adds nothing  *)
(* that it takes back.  No thread dies.                                    *)
(*                                                                         *)
(* OUT OF SCOPE.  The other three tests, and the transactions: see         *)
(* docs/jbd2.md.                                                           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Small, Large, \* threads that reserve one credit, and two
    Half,         \* j_max_transaction_buffers / 2, in credits
    Wake,         \* "all", "one", "chain", "hand-off", "untested", "quiet",
                  \* "nobody": see WokenBy
    MaxHerd,      \* bound: how many threads one release may wake
    MaxWakes      \* bound: how often one is woken until it has its credits

Thread  == Small \cup Large
Need(t) == IF t \in Large THEN 2 ELSE 1

VARIABLES
    pc,         \* what each thread is doing, see TypeOK
    queue,      \* j_wait_reserved: the sleepers, first to come first
    reserved,   \* j_reserved_credits
    herd,       \* history: how many threads this step has woken, a release
    stirred,    \* history: the same, an attempt that failed
    wakes       \* history: how often each thread was woken since its start

vars == <<pc, queue, reserved, herd, stirred, wakes>>

\* @type: Seq(a) => Set(a);
Range(s) == {s[i] : i \in DOMAIN s}
Without(q, S) == SelectSeq(q, LAMBDA t : t \notin S)
Credits(S) == Cardinality(S) + Cardinality(S \cap Large)
Fits(t, sum) == sum + Need(t) <= Half

TypeOK ==
    /\ pc \in [Thread -> {"idle",   \* holds no reservation, wants none
                          "test",   \* is to add its credits, and see
                          "undo",   \* has added too much, is to take it back
                          "look",   \* in wait_event(j_wait_reserved), awake
                          "sleep",  \* the same, asleep
                          "hold"}]  \* has its reservation
    /\ Range(queue) = {t \in Thread : pc[t] = "sleep"}
    /\ Len(queue) = Cardinality(Range(queue))
    /\ reserved \in Nat
    /\ herd \in 0 .. Cardinality(Thread)
    /\ stirred \in 0 .. Cardinality(Thread)
    /\ wakes \in [Thread -> 0 .. MaxWakes + 1]

Init ==
    /\ pc = [t \in Thread |-> "idle"]
    /\ queue = <<>>
    /\ reserved = 0
    /\ herd = 0
    /\ stirred = 0
    /\ wakes = [t \in Thread |-> 0]

-----------------------------------------------------------------------------
(* The decisions in which the designs differ.                              *)

\* The first n waiters, and those who fit, all together, on top of sum.
First(n)     == {queue[i] : i \in {i \in DOMAIN queue : i <= n}}
Fitting(sum) == {queue[n] : n \in {n \in DOMAIN queue : sum + Credits(First(n)) <= Half}}

\* sub_reserved_credits wakes these, where it leaves sum reserved credits.
WokenBy(sum) ==
      \* wake_up, of waiters that are not exclusive
    CASE Wake \in {"all", "untested", "quiet"} -> Range(queue)
      \* wake_up, of exclusive waiters
      [] Wake \in {"one", "chain"} -> IF queue = <<>> THEN {} ELSE {Head(queue)}
      \* as many as the credits serve, in their order; they need not test
      [] Wake = "hand-off" -> Fitting(sum)
      \* control: a release wakes nobody
      [] Wake = "nobody" -> {}

\* Whom an attempt wakes that takes back what was too much: the same.
\* (Control: "quiet" wakes nobody then.)
StirredBy(sum) == IF Wake = "quiet" THEN {} ELSE WokenBy(sum)

\* Whom a thread wakes that was woken itself and now has its credits: with
\* "chain" the next, if that fits too.
ChainedBy(t) ==
    IF Wake = "chain" /\ queue # <<>> /\ wakes[t] > 0 /\ Fits(Head(queue), reserved + Need(t))
    THEN {Head(queue)} ELSE {}

\* The test is exact, and nobody passes others that wait; else it adds first.
Exact == Wake \in {"hand-off", "nobody"}

\* May t take what fits?  (Control: "untested" takes what does not fit.)
MayTake(t) ==
    \/ Wake = "untested"
    \/ Fits(t, reserved) /\ (Exact => queue = <<>>)

-----------------------------------------------------------------------------
Herd(woken) == Cardinality(woken)
WakesNobody == herd' = 0 /\ stirred' = 0

\* jbd2__journal_start with reserved blocks.
Start(t) ==
    /\ pc[t] = "idle"
    /\ pc' = [pc EXCEPT ![t] = "test"]
    /\ wakes' = [wakes EXCEPT ![t] = 0]
    /\ WakesNobody
    /\ UNCHANGED <<queue, reserved>>

\* The threads of S wake up, to do what `then` says; p is the rest of pc.
WakeUp(S, then, p) ==
    /\ pc' = [t \in Thread |-> IF t \in S THEN then ELSE p[t]]
    /\ queue' = Without(queue, S)
    /\ wakes' = [t \in Thread |-> IF t \in S /\ wakes[t] <= MaxWakes
                                  THEN wakes[t] + 1 ELSE wakes[t]]

\* The test succeeds: atomic_add_return gives no more than half.
Take(t) ==
    /\ pc[t] = "test"
    /\ MayTake(t)
    /\ reserved' = reserved + Need(t)
    /\ WakeUp(ChainedBy(t), "look", [pc EXCEPT ![t] = "hold"])
    /\ WakesNobody

\* The test fails: it gives more, and until that is taken back others see it.
Fail(t) ==
    /\ pc[t] = "test"
    /\ ~Exact
    /\ ~MayTake(t)
    /\ reserved' = reserved + Need(t)
    /\ pc' = [pc EXCEPT ![t] = "undo"]
    /\ WakesNobody
    /\ UNCHANGED <<queue, wakes>>

\* sub_reserved_credits takes it back, and wakes.
Undo(t) ==
    /\ pc[t] = "undo"
    /\ LET sum   == reserved - Need(t)
           woken == StirredBy(sum)
       IN /\ reserved' = sum
          /\ stirred' = Herd(woken) /\ herd' = 0
          /\ WakeUp(woken, "look", [pc EXCEPT ![t] = "look"])

\* wait_event goes to sleep, or sleeps on: the thread's own credits do not fit.
\* Where the test is exact, one that fails comes here at once.
Sleep(t) ==
    /\ \/ pc[t] = "look" /\ ~Fits(t, reserved)
       \/ pc[t] = "test" /\ Exact /\ ~MayTake(t)
    /\ pc' = [pc EXCEPT ![t] = "sleep"]
    /\ queue' = Append(queue, t)
    /\ WakesNobody
    /\ UNCHANGED <<reserved, wakes>>

\* wait_event returns: they fit, as far as a look says, and it tries again.
Retry(t) ==
    /\ pc[t] = "look"
    /\ Fits(t, reserved)
    /\ pc' = [pc EXCEPT ![t] = "test"]
    /\ WakesNobody
    /\ UNCHANGED <<queue, reserved, wakes>>

\* sub_reserved_credits: the reservation is used, or given back.  With
\* "hand-off" it takes the credits of those whom it wakes.
Release(t) ==
    /\ pc[t] = "hold"
    /\ LET sum   == reserved - Need(t)
           woken == WokenBy(sum)
           free  == [pc EXCEPT ![t] = "idle"]
       IN /\ herd' = Herd(woken) /\ stirred' = 0
          /\ IF Wake = "hand-off"
             THEN /\ reserved' = sum + Credits(woken)
                  /\ WakeUp(woken, "hold", free)
             ELSE /\ reserved' = sum
                  /\ WakeUp(woken, "look", free)

Next ==
    \E t \in Thread :
        \/ Start(t)
        \/ Take(t)
        \/ Fail(t)
        \/ Undo(t)
        \/ Sleep(t)
        \/ Retry(t)
        \/ Release(t)

Spec == Init /\ [][Next]_vars

\* A thread that runs goes on, and a reservation is used in the end: its I/O
\* completes.  Nobody is obliged to start, or promised to win.
GoesOn(t) == Take(t) \/ Fail(t) \/ Undo(t) \/ Sleep(t) \/ Retry(t)

FairSpec == Spec /\ \A t \in Thread : WF_vars(GoesOn(t)) /\ WF_vars(Release(t))

\* Control: a reservation that is never given back.
NoReleaseSpec == Spec /\ \A t \in Thread : WF_vars(GoesOn(t))

\* Control: a thread that may stop to run.
NoTestingSpec == Spec /\ \A t \in Thread : WF_vars(Release(t))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

In(S) == {t \in Thread : pc[t] \in S}

\* I4: what is counted is what the holders reserved, and what an attempt has not
\* taken back yet; what they reserved is at most half.
ReservedIsHeld == reserved = Credits(In({"hold", "undo"})) /\ Credits(In({"hold"})) <= Half

\* Somebody is awake who will test, or look.
SomebodyTests == In({"test", "undo", "look"}) # {}

\* No thread sleeps, first in the queue and with credits that fit, unless
\* somebody is.
NoLostWakeup == queue # <<>> /\ Fits(Head(queue), reserved) => SomebodyTests

\* The same for any sleeper, whoever is before it.
NoIdleCredits == (\E t \in Range(queue) : Fits(t, reserved)) => SomebodyTests

\* The herd: how many threads one release wakes.
BoundedHerd == herd <= MaxHerd

\* An attempt that fails has brought no credits, and wakes nobody.
FailsQuietly == stirred = 0

\* How often a thread wakes up for one reservation.
BoundedWakes == \A t \in Thread : wakes[t] <= MaxWakes

-----------------------------------------------------------------------------
(* Progress.                                                               *)

Wants(t) == pc[t] \in {"test", "undo", "look", "sleep"}

\* Nobody starves, whether it reserves little or much.
SmallProgress == \A t \in Small : Wants(t) ~> pc[t] = "hold"
LargeProgress == \A t \in Large : Wants(t) ~> pc[t] = "hold"

\* Some thread always gets on.
ClassProgress == (\E t \in Thread : Wants(t)) ~> (\E t \in Thread : pc[t] = "hold")
=============================================================================
