---------------------------- MODULE FlagWaitLock ----------------------------
(***************************************************************************)
(* That wait_lock is fair in rwsem.c since 5.3, as a queued spinlock is:   *)
(* whoever wants it gets it, however often others have it in between.      *)
(*                                                                         *)
(* OUT OF SCOPE.  RWSEM_WAIT_TIMEOUT: nobody waits for 4 ms.  So the graph *)
(* is smaller, and tasks contend for wait_lock as they do with it.         *)
(***************************************************************************)
EXTENDS FlagPromises

Step == Next /\ timeout' = {}

FairLockSpec == Init /\ [][Step]_vars /\ TasksProceed

\* Control, in the place of TasksProceed: whoever wants wait_lock may be passed for
\* ever.
TasksProceedWeakly == \A t \in Task : WF_vars(Proceed(t))

\* Control, in its place too: nobody has to go on.
NobodyProceeds == TRUE

-----------------------------------------------------------------------------
\* Whoever is to wake the list comes to do it.
WakerProgress == \A r \in Readers : pc[r] = "wake" ~> pc[r] # "wake"

\* Who spins gets the lock, or comes to queue.
LeavesSpin == \A w \in Writers : pc[w] = "spin" ~> pc[w] # "spin"

\* Probes, which must be violated: somebody is to wake it; somebody spins.
NeverWakes == \A r \in Readers : pc[r] # "wake"
NeverSpins == \A w \in Writers : pc[w] # "spin"
=============================================================================
