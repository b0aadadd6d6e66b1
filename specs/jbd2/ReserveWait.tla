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
(* MODELLED.  add_transaction_credits' fourth test (6.18), with the        *)
(* wait_event on j_wait_reserved; sub_reserved_credits, which gives        *)
(* credits back and wakes; and three other ways to wake.  A thread that is *)
(* woken tests anew, in competition with arrivals, unless the credits are  *)
(* handed to it.  What a thread reserves is fixed for the thread, so that  *)
(* a small one cannot starve a large one unseen.                           *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  A test of the credits and the addition to them   *)
(* are one atomic step (atomic_add_return, undone if too much), and so are *)
(* a test that fails and the entry into the wait queue (prepare_to_wait    *)
(* and a second test: what was released in between is seen).  No thread    *)
(* dies.                                                                   *)
(*                                                                         *)
(* OUT OF SCOPE.  The other three tests, and the transactions: see         *)
(* README.md.                                                              *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
    Small, Large, \* threads that reserve one credit, and two
    Half,         \* j_max_transaction_buffers / 2, in credits
    Wake,         \* "all", "one", "chain", "hand-off", "untested", "nobody":
                  \* see WokenBy
    MaxHerd,      \* bound: how many threads one release may wake
    MaxWakes      \* bound: how often one is woken until it has its credits

Thread  == Small \cup Large
Need(t) == IF t \in Large THEN 2 ELSE 1

VARIABLES
    pc,         \* what each thread is doing, see TypeOK
    queue,      \* j_wait_reserved: the sleepers, first to come first
    reserved,   \* j_reserved_credits
    herd,       \* history: how many threads the last release has woken
    wakes       \* history: how often each thread was woken since its start

vars == <<pc, queue, reserved, herd, wakes>>

\* @type: Seq(a) => Set(a);
Range(s) == {s[i] : i \in DOMAIN s}
Without(q, S) == SelectSeq(q, LAMBDA t : t \notin S)
Credits(S) == Cardinality(S) + Cardinality(S \cap Large)
Fits(t, sum) == sum + Need(t) <= Half

TypeOK ==
    /\ pc \in [Thread -> {"idle",   \* holds no reservation, wants none
                          "test",   \* is to test whether its credits fit
                          "sleep",  \* in wait_event(j_wait_reserved)
                          "hold"}]  \* has its reservation
    /\ Range(queue) = {t \in Thread : pc[t] = "sleep"}
    /\ Len(queue) = Cardinality(Range(queue))
    /\ reserved \in Nat
    /\ herd \in 0 .. Cardinality(Thread)
    /\ wakes \in [Thread -> 0 .. MaxWakes + 1]

Init ==
    /\ pc = [t \in Thread |-> "idle"]
    /\ queue = <<>>
    /\ reserved = 0
    /\ herd = 0
    /\ wakes = [t \in Thread |-> 0]

\* The hook through which a dump run writes each step with its arguments; see
\* MCReserveWait.  The last conjunct of every action.
\* @type: (Str, Seq(a)) => Bool;
Emit(action, args) == TRUE

-----------------------------------------------------------------------------
(* The decisions in which the designs differ.                              *)

\* The first n waiters, and those who fit, all together, on top of sum.
First(n)     == {queue[i] : i \in {i \in DOMAIN queue : i <= n}}
Fitting(sum) == {queue[n] : n \in {n \in DOMAIN queue : sum + Credits(First(n)) <= Half}}

\* Whom a release wakes that leaves sum reserved credits.
WokenBy(sum) ==
      \* wake_up, of waiters that are not exclusive
    CASE Wake \in {"all", "untested"} -> Range(queue)
      \* wake_up, of exclusive waiters
      [] Wake \in {"one", "chain"} -> IF queue = <<>> THEN {} ELSE {Head(queue)}
      \* as many as the credits serve, in their order; they need not test
      [] Wake = "hand-off" -> Fitting(sum)
      \* control: a release wakes nobody
      [] Wake = "nobody" -> {}

\* Whom a thread wakes that was woken itself and now has its credits: with
\* "chain" the next, if that fits too.
ChainedBy(t) ==
    IF Wake = "chain" /\ queue # <<>> /\ wakes[t] > 0 /\ Fits(Head(queue), reserved + Need(t))
    THEN {Head(queue)} ELSE {}

\* May t take what fits?  With "hand-off" and "nobody" not past others that wait.
\* (Control: "untested" takes what does not fit.)
MayTake(t) ==
    \/ Wake = "untested"
    \/ Fits(t, reserved) /\ (Wake \in {"hand-off", "nobody"} => queue = <<>>)

-----------------------------------------------------------------------------
\* jbd2__journal_start with reserved blocks.
Start(t) ==
    /\ pc[t] = "idle"
    /\ pc' = [pc EXCEPT ![t] = "test"]
    /\ wakes' = [wakes EXCEPT ![t] = 0]
    /\ UNCHANGED <<queue, reserved, herd>>
    /\ Emit("Start", <<t>>)

\* The threads of S wake up, to do what `then` says; p is the rest of pc.
WakeUp(S, then, p) ==
    /\ pc' = [t \in Thread |-> IF t \in S THEN then ELSE p[t]]
    /\ queue' = Without(queue, S)
    /\ wakes' = [t \in Thread |-> IF t \in S /\ wakes[t] <= MaxWakes
                                  THEN wakes[t] + 1 ELSE wakes[t]]

\* The test succeeds.
Take(t) ==
    /\ pc[t] = "test"
    /\ MayTake(t)
    /\ reserved' = reserved + Need(t)
    /\ WakeUp(ChainedBy(t), "test", [pc EXCEPT ![t] = "hold"])
    /\ UNCHANGED herd
    /\ Emit("Take", <<t>>)

\* The test fails.
Sleep(t) ==
    /\ pc[t] = "test"
    /\ ~MayTake(t)
    /\ pc' = [pc EXCEPT ![t] = "sleep"]
    /\ queue' = Append(queue, t)
    /\ UNCHANGED <<reserved, herd, wakes>>
    /\ Emit("Sleep", <<t>>)

Herd(woken) == Cardinality(woken)

\* sub_reserved_credits: the reservation is used, or given back.  With
\* "hand-off" it takes the credits of those whom it wakes.
Release(t) ==
    /\ pc[t] = "hold"
    /\ LET sum   == reserved - Need(t)
           woken == WokenBy(sum)
           free  == [pc EXCEPT ![t] = "idle"]
       IN /\ herd' = Herd(woken)
          /\ IF Wake = "hand-off"
             THEN /\ reserved' = sum + Credits(woken)
                  /\ WakeUp(woken, "hold", free)
             ELSE /\ reserved' = sum
                  /\ WakeUp(woken, "test", free)
    /\ Emit("Release", <<t>>)

Next ==
    \E t \in Thread :
        \/ Start(t)
        \/ Take(t)
        \/ Sleep(t)
        \/ Release(t)

Spec == Init /\ [][Next]_vars

\* A thread that runs tests, and a reservation is used in the end: its I/O
\* completes.  Nobody is obliged to start, or promised to win.
FairSpec ==
    Spec /\ \A t \in Thread : WF_vars(Take(t) \/ Sleep(t)) /\ WF_vars(Release(t))

\* Control: a reservation that is never given back.
NoReleaseSpec == Spec /\ \A t \in Thread : WF_vars(Take(t) \/ Sleep(t))

\* Control: a thread that may stop to run.
NoTestingSpec == Spec /\ \A t \in Thread : WF_vars(Release(t))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* I4: the reservations are what the holders reserved, and at most half.
ReservedIsHeld ==
    reserved = Credits({t \in Thread : pc[t] = "hold"}) /\ reserved <= Half

\* No thread sleeps, first in the queue and with credits that fit, unless
\* somebody is awake who tests.
NoLostWakeup ==
    queue # <<>> /\ Fits(Head(queue), reserved) => \E t \in Thread : pc[t] = "test"

\* The same for any sleeper, whoever is before it.
NoIdleCredits ==
    (\E t \in Range(queue) : Fits(t, reserved)) => \E t \in Thread : pc[t] = "test"

\* The herd: how many threads one release wakes.
BoundedHerd == herd <= MaxHerd

\* How often a thread wakes up for one reservation.
BoundedWakes == \A t \in Thread : wakes[t] <= MaxWakes

-----------------------------------------------------------------------------
(* Progress.                                                               *)

Wants(t) == pc[t] \in {"test", "sleep"}

\* Nobody starves, whether it reserves little or much.
SmallProgress == \A t \in Small : Wants(t) ~> pc[t] = "hold"
LargeProgress == \A t \in Large : Wants(t) ~> pc[t] = "hold"

\* Some thread always gets on.
ClassProgress == (\E t \in Thread : Wants(t)) ~> (\E t \in Thread : pc[t] = "hold")
=============================================================================
