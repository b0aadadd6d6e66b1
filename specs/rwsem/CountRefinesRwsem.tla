------------------------- MODULE CountRefinesRwsem -------------------------
(***************************************************************************)
(* What RwsemCount does, as Rwsem sees it: a step of Rwsem, one of those   *)
(* that a count which is not ideal adds to it (BiasedRwsem), or none.      *)
(***************************************************************************)
EXTENDS RwsemCount, RwsemPolicies

CONSTANT Discipline     \* the design of module RwsemPolicies that is implemented

-----------------------------------------------------------------------------
(* The variables of Rwsem.                                                 *)

\* In the hold of wait_lock in which a task queues, it has not queued until it
\* is known whom its insertion lets in.
Queueing == {t \in Range(list) : pc[t] \in {"mark", "undo", "try"}}

\* A reader that has been let in, and does not know it yet.
Let(t) == t \in granted \/ (t \in chosen /\ "Clear" \in Range(plan))

AbsPc == [t \in Task |->
    CASE Let(t) \/ t \in Holders -> "hold"
      [] pc[t] = "idle" -> "idle"
      [] pc[t] = "failed" \/ t \in Queueing -> "failed"
      [] pc[t] \in {"spin", "block"} -> "spin"
      [] t \in Range(list) ->
            IF t \in Writers /\ pc[t] \in {"wait", "retry"} THEN "try" ELSE "wait"
      [] pc[t] \in {"wake", "seen", "mark", "undo"} -> "wake"
      [] OTHER -> "idle"]       \* a releaser that has woken the queue

AbsQueue == SelectSeq(list, LAMBDA t : t \notin Queueing)

Abstract == INSTANCE BiasedRwsem WITH
    pc <- AbsPc, queue <- AbsQueue, Policy <- Discipline, expired <- FALSE, handoff <- FALSE,
    Downgraders <- {}

-----------------------------------------------------------------------------
Begins     == Init => Abstract!Init
Implements == [][Abstract!BiasedNext]_<<AbsPc, AbsQueue>>

\* Control, in the place of AbsPc: everybody seems to be inside.
AllInside == [t \in Task |-> "hold"]

-----------------------------------------------------------------------------
(* Probes, each of which must be violated: every step that BiasedRwsem has *)
(* beside Rwsem's is taken here where Rwsem has none.                      *)

HasFail             == [][(\E t \in Task : Abstract!Fail(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasSpinInVain       == [][(\E t \in Task : Abstract!SpinInVain(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasEnterAfterAll    == [][(\E t \in Task : Abstract!EnterAfterAll(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasQueueFailed      == [][(\E t \in Task : Abstract!QueueFailed(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasQueueInVain      == [][(\E t \in Task : Abstract!QueueInVain(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasQueueLate        == [][(\E t \in Task : Abstract!QueueLate(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasSleepInVain      == [][(\E t \in Task : Abstract!SleepInVain(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasWakeInVain       == [][(\E t \in Task : Abstract!WakeInVain(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasSkipWakeLate     == [][(\E t \in Task : Abstract!SkipWakeLate(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasReleaseInSilence == [][(\E t \in Task : Abstract!ReleaseInSilence(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
HasReleaseInVain    == [][(\E t \in Task : Abstract!ReleaseInVain(t)) => Abstract!Next]_<<AbsPc, AbsQueue>>
=============================================================================
