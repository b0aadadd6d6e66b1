---------------------------- MODULE MCRwsemCount ----------------------------
(***************************************************************************)
(* RwsemCount for TLC.                                                     *)
(***************************************************************************)
EXTENDS RwsemCount

\* Probe, as in MCRwsem.
NeverBothContend ==
    ~((\E r \in Readers : pc[r] = "failed") /\ (\E w \in Writers : pc[w] = "failed"))

\* Whoever is to queue gets wait_lock.
GetsWaitLock == \A w \in Writers : pc[w] = "block" ~> pc[w] # "block"
\* Probe: somebody is.
NeverBlocks == \A w \in Writers : pc[w] # "block"

\* Controls: whoever spins for wait_lock may be passed for ever, and a wake-up that
\* lets nobody in (in the place of FrontReaders).
UnfairLockSpec == Spec /\ \A t \in Task : WF_vars(Proceed(t))
Nobody(q) == {}

\* Whoever has wait_lock drops it.
LeavesWaitLock == \A t \in Task : waitlock = t ~> waitlock # t
\* Probe: somebody has it.
NeverLocked == \A t \in Task : waitlock # t

\* Whoever has seen a spinner takes wait_lock, or leaves the queue alone.
LeavesSeen == \A t \in Task : pc[t] = "seen" ~> pc[t] # "seen"
\* Probe: somebody has.
NeverSees == \A t \in Task : pc[t] # "seen"
\* Control: it may stop there.
StopsSpec == Spec /\ \A t \in Task : WF_vars(pc[t] # "seen" /\ Proceed(t))
=============================================================================
