--------------------------- MODULE MCLockUpdates ---------------------------
(***************************************************************************)
(* LockUpdates for TLC: probes.                                            *)
(***************************************************************************)
EXTENDS LockUpdates

\* Probes, which must be violated: a locker sleeps; a handle waits for the
\* barrier to be lifted, and one whose credits are handed over.
NeverSleeps == \A l \in Locker : pc[l] # "sleep"
NeverBarred == \A t \in Starter : ~(pc[t] = "start" /\ barrier > 0)
NeverGrantedBarred == ~(Granted # {} /\ barrier > 0)
\* One locker waits for the barrier of the other.
NeverQueues == ~\E l, m \in Locker : pc[l] = "locked" /\ pc[m] = "lock"
=============================================================================
