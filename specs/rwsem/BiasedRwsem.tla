---------------------------- MODULE BiasedRwsem ----------------------------
(***************************************************************************)
(* Rwsem whose count is not ideal.  A try that fails leaves its bias in    *)
(* the count until the task has queued or takes it out again, and a hold   *)
(* of wait_lock is more than one step.  So others decide on what they see  *)
(* meanwhile, and some of it is in vain: a writer sleeps though the lock   *)
(* is free, the last holder wakes nobody.  It does no harm, because each   *)
(* such step is taken beside another task that will look at the lock once  *)
(* more (NoIdleLock).                                                      *)
(*                                                                         *)
(* MODELLED.  Rwsem, two more places that a task may be in, and the steps  *)
(* that they allow.  Of the word no more is said than who is in the middle *)
(* of something.  The word itself is in RwsemCount (up to 5.2) and in      *)
(* RwsemFlags (since 5.3), and both implement this module:                 *)
(* CountRefinesRwsem, FlagsRefineRwsem.                                    *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  No task dies or gives up its wait.               *)
(*                                                                         *)
(* OUT OF SCOPE.  Progress.  sem->owner, which bounds how often readers    *)
(* steal in a row, is not here; it is in RwsemFlags, and progress is shown *)
(* of that, and of Rwsem.                                                  *)
(***************************************************************************)
EXTENDS Rwsem

\* Rwsem's places, and two more.
BiasedTypeOK ==
    /\ pc \in [Task -> {"idle", "spin", "wait", "try", "hold", "shared", "dwake", "wake",
                        "failed",   \* the fast path has failed, and its bias is in the
                                    \* count; or in a hold of wait_lock that will queue it
                        "slow"}]    \* a reader with its bias in the count, that may steal
                                    \* on the strength of what the count was when it came
    /\ \A w \in Writers : pc[w] # "slow"
    /\ Range(queue) = {t \in Task : pc[t] \in {"wait", "try"}}
    /\ Len(queue) = Cardinality(Range(queue))

\* The bias of u is in the count.  A writer that is queued in any case has none:
\* its fast path is a cmpxchg.
Biases(u) == pc[u] \in {"failed", "slow"} /\ ~QueuesFirst(u)

\* u is bound to wake the queue.
Wakes(u) == pc[u] \in {"wake", "dwake"}

\* Somebody else is in the count, or was a moment ago, and will look at the lock
\* once more.
Disturbed(t) ==
    \E u \in Task \ {t} : Biases(u) \/ Wakes(u) \/ (u \in Readers /\ pc[u] = "spin")

\* Somebody else is about to queue.
QueuesSoon(t) == \E u \in Task \ {t} : pc[u] \in {"failed", "slow"}

-----------------------------------------------------------------------------
(* The steps of a task.                                                    *)

\* Only t moves, and the queue stays as it is.
Moves(t, s) == pc' = [pc EXCEPT ![t] = s] /\ queue' = queue

\* Where t is when it has queued.
Queued(t) == IF QueuesFirst(t) THEN "try" ELSE "wait"

\* The fast path fails, if for no more than the bias of another, or of the waker of
\* the readers that are in; or a spinner gives up, and takes wait_lock.
Fail(t) ==
    /\ \/ pc[t] = "idle" /\ (~(Compatible(t) /\ queue = <<>>) \/ QueuesSoon(t) \/ ReadHeld)
       \/ pc[t] = "spin"
    /\ Moves(t, "failed")
    /\ Settle(FALSE, FALSE)

\* The bias is taken out again, and t spins.
SpinInVain(t) ==
    /\ Spins(t)
    /\ pc[t] = "failed" \/ (pc[t] = "idle" /\ QueuesSoon(t))
    /\ Moves(t, "spin")
    /\ Settle(FALSE, FALSE)

\* rwsem_down_read_slowpath since 5.11: a reader has come, and saw no writer and no
\* hand-off ...
Approach(r) ==
    /\ r \in Readers
    /\ pc[r] = "idle"
    /\ Policy.barge = "free-readers"
    /\ ~WriteHeld /\ ~handoff
    /\ Moves(r, "slow")
    /\ Settle(FALSE, FALSE)

\* ... and is in, whoever has come in since, or has demanded the lock.  It has let
\* nobody in yet, and neither has a reader that has spun.
StealLate(r) ==
    /\ r \in Readers
    /\ pc[r] = "slow" \/ (pc[r] = "spin" /\ MaySteal(r))
    /\ ~WriteHeld
    /\ Moves(r, "hold")
    /\ Settle(FALSE, FALSE)

\* ... or there were readers in, beside whom it does not steal.
Refrain(r) ==
    /\ pc[r] = "slow"
    /\ Moves(r, "failed")
    /\ Settle(FALSE, FALSE)

\* A reader that has stolen lets in those at the head.
LetIn(r) ==
    /\ r \in Readers
    /\ pc[r] = "hold"
    /\ SelfWakes
    /\ ReadersAhead(queue) # {}
    /\ Acquire(ReadersAhead(queue), queue, pc)
    /\ Settle(FALSE, FALSE)

\* Under wait_lock the lock is found to be free.
EnterAfterAll(t) ==
    /\ pc[t] = "failed"
    /\ Compatible(t)
    /\ IF t \in Readers THEN queue = <<>> ELSE MaySteal(t) /\ ~QueuesFirst(t)
    /\ Moves(t, "hold")
    /\ Settle(FALSE, FALSE)

\* t queues, and wakes whom Rwsem's Queue does ...
QueueFailed(t) ==
    /\ pc[t] = "failed"
    /\ Enqueue(t)

\* ... or nobody, since the lock looks taken, and may demand it for the first ...
QueueInVain(t) ==
    /\ pc[t] \in {"failed", "spin"}
    /\ Disturbed(t)
    /\ queue' = Place(t)
    /\ pc' = [pc EXCEPT ![t] = Queued(t)]
    /\ Settle(FALSE, Policy.handoff /\ expired)

\* ... or the writer at the head, since the lock was free.
QueueLate(t) ==
    /\ pc[t] = "failed"
    /\ SelfWakes
    /\ queue # <<>> /\ Head(queue) \in Writers
    /\ queue' = Place(t)
    /\ pc' = [pc EXCEPT ![t] = Queued(t), ![Head(queue)] = "try"]
    /\ Settle(FALSE, FALSE)

\* A queued writer that runs does not get a free lock, and may demand it.  Or it has
\* spun for the first one, who runs, and took what sem->owner says for a holder.
SleepInVain(t) ==
    /\ pc[t] = "try"
    /\ Disturbed(t) \/ (t # Head(queue) /\ pc[Head(queue)] = "try")
    /\ Moves(t, "wait")
    /\ Settle(FALSE, Policy.handoff /\ expired)

\* A waker backs out for a writer that has left meanwhile, or for its bias.
WakeInVain(t) ==
    /\ pc[t] = "wake"
    /\ \E u \in Task \ {t} : Wakes(u) \/ (u \in Writers /\ Biases(u))
    /\ Moves(t, "idle")
    /\ Settle(FALSE, Policy.handoff /\ expired)

\* Up to 5.2: a waker has seen a spinner, who need not spin any more.
SkipWakeLate(t) ==
    /\ pc[t] = "wake"
    /\ Policy.skip
    /\ \E u \in Task \ {t} : pc[u] \notin {"idle", "wait"}
    /\ Moves(t, "idle")
    /\ Settle(FALSE, FALSE)

\* The last holder is not the last in the count, and wakes nobody.
ReleaseInSilence(t) ==
    /\ pc[t] \in {"hold", "shared"}
    /\ Disturbed(t)
    /\ Moves(t, "idle")
    /\ Settle(FALSE, FALSE)

\* A holder is to wake those who are about to queue.
ReleaseInVain(t) ==
    /\ queue = <<>>
    /\ QueuesSoon(t)
    /\ \/ pc[t] \in {"hold", "shared"} /\ Moves(t, "wake")
       \/ pc[t] = "hold" /\ t \in Downgraders /\ SelfWakes /\ Moves(t, "dwake")
    /\ Settle(FALSE, FALSE)

BiasedNext ==
    \/ Next
    \/ \E t \in Task :
          \/ Fail(t)
          \/ SpinInVain(t)
          \/ Approach(t)
          \/ StealLate(t)
          \/ Refrain(t)
          \/ LetIn(t)
          \/ EnterAfterAll(t)
          \/ QueueFailed(t)
          \/ QueueInVain(t)
          \/ QueueLate(t)
          \/ SleepInVain(t)
          \/ WakeInVain(t)
          \/ SkipWakeLate(t)
          \/ ReleaseInSilence(t)
          \/ ReleaseInVain(t)

BiasedSpec == Init /\ [][BiasedNext]_vars

-----------------------------------------------------------------------------
\* No free lock with waiters, unless somebody is on the way.
NoIdleLock ==
    Holders = {} /\ queue # <<>> => \E t \in Task : pc[t] \notin {"idle", "wait"}
=============================================================================
