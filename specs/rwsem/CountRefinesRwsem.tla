------------------------- MODULE CountRefinesRwsem -------------------------
(***************************************************************************)
(* What RwsemCount does, as Rwsem sees it: a step of Rwsem, or none.       *)
(*                                                                         *)
(* Rwsem's count is ideal: a try that fails leaves no trace.  The real     *)
(* count has the bias of a failed try in it, until the task takes it out   *)
(* again, and meanwhile others decide on what they see.  So there are      *)
(* steps that Rwsem lacks.  They are named below, each with its cause, and *)
(* every other step must be one of Rwsem's.                                *)
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
      [] pc[t] \in {"failed", "spin", "block"} \/ t \in Queueing ->
            IF t \in Writers THEN "spin" ELSE "idle"
      [] t \in Range(list) ->
            IF t \in Writers /\ pc[t] \in {"wait", "retry"} THEN "try" ELSE "wait"
      [] pc[t] \in {"wake", "seen", "mark", "undo"} -> "wake"
      [] OTHER -> "idle"]       \* a releaser that has woken the queue

AbsQueue == SelectSeq(list, LAMBDA t : t \notin Queueing)

Abstract == INSTANCE Rwsem WITH
    pc <- AbsPc, queue <- AbsQueue, Policy <- Discipline, expired <- FALSE, handoff <- FALSE,
    Downgraders <- {}

-----------------------------------------------------------------------------
(* The steps that Rwsem lacks.                                             *)

\* A failed try is in the count, or a waker's tentative bias; or a task is in
\* the middle of its hold of wait_lock, which Rwsem takes for one step.
Disturbed == Queueing # {} \/ \E t \in Task : pc[t] \in {"failed", "undo"}

Becomes(t, s) == AbsPc' = [AbsPc EXCEPT ![t] = s]

\* A writer's fast path fails, though the lock is free and nobody is queued.
SpinInVain ==
    /\ Disturbed
    /\ \E w \in Writers : AbsPc[w] = "idle" /\ Becomes(w, "spin")
    /\ UNCHANGED AbsQueue

\* A task queues and wakes nobody, though no writer is inside.
QueueInVain ==
    /\ Disturbed
    /\ \E t \in Task :
          /\ AbsPc[t] = IF t \in Writers THEN "spin" ELSE "idle"
          /\ Becomes(t, "wait")
          /\ AbsQueue' = Append(AbsQueue, t)
    /\ ~Abstract!WriteHeld

\* A writer has seen readers inside, and queues, and lets in those at the front;
\* those inside have left meanwhile, so that it could have taken the lock.
QueueLate ==
    /\ Disturbed
    /\ \E w \in Writers :
          /\ AbsPc[w] = "spin"
          /\ AbsPc' = [t \in Task |->
                IF t = w THEN "wait"
                ELSE IF t \in FrontReaders(AbsQueue) THEN "hold" ELSE AbsPc[t]]
          /\ AbsQueue' = SelectSeq(Append(AbsQueue, w), LAMBDA t : t \notin FrontReaders(AbsQueue))
    /\ Abstract!Holders = {}

\* A reader has seen nobody inside, and queues, and wakes the writer at the head;
\* another writer has stolen the lock meanwhile.
RouseLate ==
    /\ Disturbed
    /\ AbsQueue # <<>>
    /\ \E r \in Readers :
          /\ AbsPc[r] = "idle"
          /\ AbsPc' = [AbsPc EXCEPT ![r] = "wait", ![Head(AbsQueue)] = "try"]
          /\ AbsQueue' = Append(AbsQueue, r)
    /\ Head(AbsQueue) \in Writers

\* A queued writer that runs does not get a free lock.
SleepInVain ==
    /\ Disturbed
    /\ \E w \in Writers : AbsPc[w] = "try" /\ Becomes(w, "wait")
    /\ Abstract!Holders = {}
    /\ UNCHANGED AbsQueue

\* A waker backs out though no writer is inside.
WakeInVain ==
    /\ Disturbed
    /\ \E t \in Task : AbsPc[t] = "wake" /\ Becomes(t, "idle")
    /\ ~Abstract!WriteHeld
    /\ UNCHANGED AbsQueue

\* A releaser that has seen a spinner leaves the queue alone.
WakeSkipped ==
    /\ \E t \in Task : SkipWake(t) /\ Becomes(t, "idle")
    /\ UNCHANGED AbsQueue

\* The last holder does not wake the queue, since a failed try is still active
\* and will see to it.
ReleaseInSilence ==
    /\ Disturbed
    /\ \E t \in Abstract!Holders : Becomes(t, "idle")
    /\ UNCHANGED AbsQueue

\* A holder goes to wake the queue, although nobody has queued yet.
ReleaseInVain ==
    /\ Disturbed
    /\ \E t \in Abstract!Holders : Becomes(t, "wake")
    /\ UNCHANGED AbsQueue

Lacking ==
    \/ SpinInVain \/ QueueInVain \/ QueueLate \/ RouseLate \/ SleepInVain
    \/ WakeInVain \/ WakeSkipped \/ ReleaseInSilence \/ ReleaseInVain

Implements == [][Abstract!Next \/ Lacking]_<<AbsPc, AbsQueue>>

-----------------------------------------------------------------------------
(* Probes, each of which must be violated: every step that Rwsem is said   *)
(* to lack is taken where it is no step of Rwsem's.                        *)

HasSpinInVain       == [][SpinInVain => Abstract!Next]_<<AbsPc, AbsQueue>>
HasQueueInVain      == [][QueueInVain => Abstract!Next]_<<AbsPc, AbsQueue>>
HasQueueLate        == [][QueueLate => Abstract!Next]_<<AbsPc, AbsQueue>>
HasRouseLate        == [][RouseLate => Abstract!Next]_<<AbsPc, AbsQueue>>
HasSleepInVain      == [][SleepInVain => Abstract!Next]_<<AbsPc, AbsQueue>>
HasWakeInVain       == [][WakeInVain => Abstract!Next]_<<AbsPc, AbsQueue>>
HasWakeSkipped      == [][WakeSkipped => Abstract!Next]_<<AbsPc, AbsQueue>>
HasReleaseInSilence == [][ReleaseInSilence => Abstract!Next]_<<AbsPc, AbsQueue>>
HasReleaseInVain    == [][ReleaseInVain => Abstract!Next]_<<AbsPc, AbsQueue>>
=============================================================================
