-------------------------- MODULE MCJournalBarrier --------------------------
(***************************************************************************)
(* JournalBarrier for TLC: probes and controls.                            *)
(***************************************************************************)
EXTENDS JournalBarrier, TLC

\* Probes, which must be violated: a locker waits; a flush has something to wait
\* for; a start waits for the barrier.
NeverLocks   == \A l \in Locker : ~Waits(l)
NeverFlushes == \A l \in Locker : at[l] \notin {"commit", "checkpoint"}
NeverWants   == \A t \in Task : ~Wants(t)

\* Under the barrier: credits that are handed over wait; somebody waits for
\* space, with j_checkpoint_mutex; a writepages thread with a handle waits for
\* writeback, and so the locker for it; a handle restarts.
NeverGrantedBarred  == ~(promised # {} /\ barrier > 0)
NeverSpaceBarred    == ~((\E l \in Locker : Holds(l)) /\ mutex # {})
NeverAwaitsPage     ==
    ~(\E l \in Locker, w \in Pages : at[l] = "drain" /\ pc[w] = "attached" /\ writeback[w])
NeverRestartsBarred == [][barrier = 0 \/ \A t \in Task : pc[t] # "denied" \/ pc'[t] = "denied"]_whole

\* Controls: a flush that does not wait for what is being committed; a locker that
\* waits for those who have a handle, not for t_updates.
FlushEarly(l) ==
    /\ at[l] = "commit"
    /\ ~running.asked
    /\ at' = [at EXCEPT ![l] = "checkpoint"]
    /\ UNCHANGED <<journal, barrier, holder>>
QuietenHandles(l) ==
    /\ at[l] = "updates"
    /\ Attached = {}
    /\ at' = [at EXCEPT ![l] = "lock"]
    /\ UNCHANGED <<journal, barrier, holder>>

\* For controls whose credits, or whose space, grow without end.
Short == TLCGet("level") <= 18

\* Control: a flush that checkpoints nothing.
FlushNothing(l) ==
    /\ at[l] = "checkpoint"
    /\ at' = [at EXCEPT ![l] = "flushed"]
    /\ UNCHANGED <<journal, barrier, holder>>
=============================================================================
