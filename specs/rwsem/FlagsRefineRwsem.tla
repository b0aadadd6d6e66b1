-------------------------- MODULE FlagsRefineRwsem --------------------------
(***************************************************************************)
(* What RwsemFlags does, as Rwsem sees it: a step of Rwsem, or none.       *)
(*                                                                         *)
(* Rwsem's count is ideal, and each of its slow paths is one step.  In     *)
(* rwsem.c a reader's bias is in the count before the reader is in or      *)
(* queued, a hold of wait_lock lets operations on the count come between,  *)
(* and a reader that steals lets others in later.  So there are steps that *)
(* Rwsem lacks.                                                            *)
(* They are named below, each with its cause, and every other step must be *)
(* one of Rwsem's.                                                         *)
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

\* A reader that is bound to steal, whatever it finds in sem->owner.
Steals(r) ==
    /\ Release.steal
    /\ ReaderCount(saw[r]) = 1
    /\ ~WriterIn(saw[r]) /\ ~Has(saw[r], FlagHandoff)

\* A queued writer that runs, or is about to.
Runs(w) ==
    \/ pc[w] \in {"try", "woke", "hspin"}
    \/ then[w] = "try"
    \/ w \in roused
    \/ \E t \in Task : w \in wake_q[t]

\* A task that has neither got the lock nor queued.
Outside(t) ==
    IF (IF t \in Readers THEN "R" ELSE "W") \in Release.spin THEN "spin" ELSE "idle"

AbsPc == [t \in Task |->
    CASE Let(t) -> "hold"
      [] pc[t] = "idle" -> "idle"
      [] pc[t] \in {"hold", "own", "steal", "swake"} \/ then[t] = "hold" -> "hold"
      [] pc[t] = "dwake" \/ (then[t] = "shared" /\ Marking(t)) -> "dwake"
      [] pc[t] = "shared" \/ then[t] = "shared" -> "shared"
      [] pc[t] = "slow" -> IF Steals(t) THEN "hold" ELSE "idle"
      [] pc[t] \in {"spin", "queue", "enqueue"} \/ t \in Queueing -> Outside(t)
      [] t \in Range(list) -> IF t \in Writers /\ Runs(t) THEN "try" ELSE "wait"
      [] pc[t] \in {"wake", "mark", "backout", "grant"} -> "wake"
      [] OTHER -> "idle"]       \* a releaser that has woken the queue

AbsQueue == SelectSeq(list, LAMBDA t : t \notin Queueing)

\* Since 5.19 the flag says nothing unless the first waiter has it for its own.
AbsHandoff ==
    /\ AbsQueue # <<>>
    /\ Has(count, FlagHandoff)
    /\ Release.try \in {"setter", "first"} => handoff_set[Head(AbsQueue)] = "yes"

Abstract == INSTANCE Rwsem WITH
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
(* The steps that Rwsem lacks.                                             *)

\* Only t moves, and the queue becomes q.
Moves(t, s, q) == AbsPc' = [AbsPc EXCEPT ![t] = s] /\ AbsQueue' = q
Same == UNCHANGED AbsHandoff

\* Where t is when it has queued.
Queued(t) == IF t \in Writers THEN "try" ELSE "wait"

\* The fast path fails, though nobody is queued and the lock is free, or, for a
\* reader, has readers in it.
SpinInVain ==
    /\ count # 0
    /\ AbsQueue = <<>> /\ ~Abstract!WriteHeld
    /\ \E t \in Task : AbsPc[t] = "idle" /\ Moves(t, "spin", AbsQueue)
    /\ Same

\* A task queues and wakes nobody, though no writer is inside: what it has seen
\* of the count is old.
QueueInVain ==
    /\ ~Abstract!WriteHeld
    /\ \E t \in Task :
          /\ pc[t] = "mark" \/ Locked(count)
          /\ AbsPc[t] = Outside(t)
          /\ Moves(t, Queued(t), Append(AbsQueue, t))
    /\ Same

\* It wakes the writer at the head, though the lock is not free any more; or
\* though a reader that finds it free need not queue.
QueueLate ==
    /\ AbsQueue # <<>>
    /\ \E t \in Task :
          /\ pc[t] = "mark"
          /\ AbsPc[t] = Outside(t)
          /\ AbsPc' = [AbsPc EXCEPT ![t] = Queued(t), ![Head(AbsQueue)] = "try"]
          /\ AbsQueue' = Append(AbsQueue, t)
    /\ Head(AbsQueue) \in Writers
    /\ Same

\* A queued writer that runs does not get a free lock, and may demand it.  Or it
\* has demanded it, spins, and takes what sem->owner says for a reader that is in.
SleepInVain ==
    /\ Abstract!Holders = {}
    /\ \E w \in Writers :
          /\ Locked(count) \/ (pc[w] = "hspin" /\ owner = "reader")
          /\ AbsPc[w] = "try"
          /\ Moves(w, "wait", AbsQueue)
    /\ Same \/ Demands

\* A waker backs out though no writer is inside any more.
WakeInVain ==
    /\ ~Abstract!WriteHeld
    /\ \E t \in Task : pc[t] = "backout" /\ AbsPc[t] = "wake" /\ Moves(t, "idle", AbsQueue)
    /\ Same \/ Demands

\* The last holder does not wake the queue, since the bias of another is in the
\* count, who will see to it.
ReleaseInSilence ==
    /\ Locked(count')
    /\ \E t \in Abstract!Holders : Moves(t, "idle", AbsQueue)
    /\ Same

\* A holder goes to wake the queue, although nobody has queued yet.
ReleaseInVain ==
    /\ AbsQueue = <<>> /\ Queueing # {}
    /\ \E t \in Abstract!Holders :
          Moves(t, "wake", AbsQueue) \/ (AbsPc[t] = "hold" /\ Moves(t, "dwake", AbsQueue))
    /\ Same

\* A reader enters beside the readers that are in, since they have not said so
\* in sem->owner; or past a hand-off that was demanded after its bias was in the
\* count; or alone, and will let in later those at the head.
ReadAhead ==
    /\ ~Abstract!WriteHeld
    /\ \E r \in Readers :
          /\ pc[r] \in {"idle", "slow", "spin"}
          /\ AbsPc[r] = Outside(r)
          /\ Moves(r, "hold", AbsQueue)
    /\ Same

\* It lets them in.
LetInLater ==
    /\ Abstract!ReadHeld
    /\ Abstract!ReadersAhead(AbsQueue) # {}
    /\ \E r \in Readers : pc[r] = "grant" /\ then[r] = "hold"
    /\ Abstract!Acquire(Abstract!ReadersAhead(AbsQueue), AbsQueue, AbsPc)
    /\ ~AbsHandoff'

Lacking ==
    \/ SpinInVain \/ QueueInVain \/ QueueLate \/ SleepInVain
    \/ WakeInVain \/ ReleaseInSilence \/ ReleaseInVain \/ ReadAhead
    \/ LetInLater

Implements == [][Abstract!Next \/ Lacking]_abstract

-----------------------------------------------------------------------------
(* Probes, each of which must be violated: every step that Rwsem is said   *)
(* to lack is taken where it is no step of Rwsem's.                        *)

HasSpinInVain       == [][SpinInVain => Abstract!Next]_abstract
HasQueueInVain      == [][QueueInVain => Abstract!Next]_abstract
HasQueueLate        == [][QueueLate => Abstract!Next]_abstract
HasSleepInVain      == [][SleepInVain => Abstract!Next]_abstract
HasWakeInVain       == [][WakeInVain => Abstract!Next]_abstract
HasReleaseInSilence == [][ReleaseInSilence => Abstract!Next]_abstract
HasReleaseInVain    == [][ReleaseInVain => Abstract!Next]_abstract
HasReadAhead        == [][ReadAhead => Abstract!Next]_abstract
HasLetInLater       == [][LetInLater => Abstract!Next]_abstract
=============================================================================
