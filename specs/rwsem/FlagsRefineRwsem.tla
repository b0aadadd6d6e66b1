-------------------------- MODULE FlagsRefineRwsem --------------------------
(***************************************************************************)
(* What RwsemFlags does, as Rwsem sees it: a step of Rwsem, one of those   *)
(* that a count which is not ideal adds to it (BiasedRwsem), or none.      *)
(*                                                                         *)
(* LEFT OUT.  Killable waits and RT tasks, which Rwsem does not have.      *)
(***************************************************************************)
EXTENDS MCRwsemFlags, RwsemPolicies

CONSTANT Discipline     \* the design of module RwsemPolicies that is implemented

VARIABLE expired        \* Rwsem's: see TimedSpec

-----------------------------------------------------------------------------
(* The variables of Rwsem.                                                 *)

Marking(t) == pc[t] \in {"mark", "grant"}

\* In the hold of wait_lock in which a task queues, it has not queued until it
\* is known whom its insertion lets in.
Queueing == {t \in Range(list) : Marking(t)}

\* A reader that has been let in, and may not know it yet.
Let(t) == t \in granted \cup chosen

\* A reader that may steal, as sem->owner will say.
MaySteal(r) == Release.steal /\ ~WriterIn(saw[r]) /\ ~Has(saw[r], FlagHandoff)

\* A queued writer that runs, or is about to.
Runs(w) ==
    \/ pc[w] \in {"try", "woke", "hspin"}
    \/ then[w] = "try"
    \/ w \in roused
    \/ \E t \in Task : w \in wake_q[t]

AbsPc == [t \in Task |->
    CASE Let(t) -> "hold"
      [] pc[t] = "idle" -> "idle"
      [] pc[t] \in {"hold", "own", "steal", "swake"} \/ then[t] = "hold" -> "hold"
      [] pc[t] = "dwake" \/ (then[t] = "shared" /\ Marking(t)) -> "dwake"
      [] pc[t] = "shared" \/ then[t] = "shared" -> "shared"
      [] pc[t] = "slow" -> IF MaySteal(t) THEN "slow" ELSE "failed"
      [] pc[t] \in {"queue", "enqueue"} \/ t \in Queueing -> "failed"
      [] pc[t] = "spin" -> "spin"
      [] t \in Range(list) -> IF t \in Writers /\ Runs(t) THEN "try" ELSE "wait"
      [] pc[t] \in {"wake", "mark", "backout", "grant"} -> "wake"
      [] OTHER -> "idle"]       \* a releaser that has woken the queue

AbsQueue == SelectSeq(list, LAMBDA t : t \notin Queueing)

\* Since 5.19 the flag says nothing unless the first waiter has it for its own.
AbsHandoff ==
    /\ AbsQueue # <<>>
    /\ Has(count, FlagHandoff)
    /\ Release.try \in {"setter", "first"} => handoff_set[Head(AbsQueue)] = "yes"

Abstract == INSTANCE BiasedRwsem WITH
    pc <- AbsPc, queue <- AbsQueue, Policy <- Discipline, handoff <- AbsHandoff

abstract == <<AbsPc, AbsQueue, AbsHandoff, expired>>

\* Rwsem's timer is of the first waiter alone; here each has its own, and any
\* that is late may demand the lock for the first.  A step is put in where it
\* runs out: just before the lock is demanded.
Demands  == ~AbsHandoff /\ AbsHandoff'
IsLate   == AbsQueue # <<>> /\ timeout # {}
SameHead == AbsQueue # <<>> /\ AbsQueue' # <<>> /\ Head(AbsQueue') = Head(AbsQueue)
Step ==
    /\ Next
    /\ expired => AbsHandoff \/ Demands
    /\ Demands /\ IsLate => expired
    /\ expired' = (expired /\ SameHead)
RunOut == IsLate /\ ~expired /\ expired' = TRUE /\ UNCHANGED vars
TimedSpec == Init /\ expired = FALSE /\ [][Step \/ RunOut]_<<vars, expired>>

-----------------------------------------------------------------------------
Begins     == Init /\ ~expired => Abstract!Init
Implements == [][Abstract!BiasedNext]_abstract

\* Control, in the place of AbsPc: everybody seems to be inside.
AllInside == [t \in Task |-> "hold"]

-----------------------------------------------------------------------------
(* Probes, each of which must be violated: every step that BiasedRwsem has *)
(* beside Rwsem's is taken here where Rwsem has none.                      *)

HasFail             == [][(\E t \in Task : Abstract!Fail(t)) => Abstract!Next]_abstract
HasSpinInVain       == [][(\E t \in Task : Abstract!SpinInVain(t)) => Abstract!Next]_abstract
HasApproach         == [][(\E t \in Task : Abstract!Approach(t)) => Abstract!Next]_abstract
HasStealLate        == [][(\E t \in Task : Abstract!StealLate(t)) => Abstract!Next]_abstract
HasRefrain          == [][(\E t \in Task : Abstract!Refrain(t)) => Abstract!Next]_abstract
HasLetIn            == [][(\E t \in Task : Abstract!LetIn(t)) => Abstract!Next]_abstract
HasEnterAfterAll    == [][(\E t \in Task : Abstract!EnterAfterAll(t)) => Abstract!Next]_abstract
HasQueueFailed      == [][(\E t \in Task : Abstract!QueueFailed(t)) => Abstract!Next]_abstract
HasQueueInVain      == [][(\E t \in Task : Abstract!QueueInVain(t)) => Abstract!Next]_abstract
HasQueueLate        == [][(\E t \in Task : Abstract!QueueLate(t)) => Abstract!Next]_abstract
HasSleepInVain      == [][(\E t \in Task : Abstract!SleepInVain(t)) => Abstract!Next]_abstract
HasWakeInVain       == [][(\E t \in Task : Abstract!WakeInVain(t)) => Abstract!Next]_abstract
HasReleaseInSilence == [][(\E t \in Task : Abstract!ReleaseInSilence(t)) => Abstract!Next]_abstract
HasReleaseInVain    == [][(\E t \in Task : Abstract!ReleaseInVain(t)) => Abstract!Next]_abstract

\* Constraint: nobody is late, and at most one waits.
OneInTime == timeout = {} /\ Len(list) <= 1
=============================================================================
