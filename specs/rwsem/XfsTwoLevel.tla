---------------------------- MODULE XfsTwoLevel ----------------------------
(***************************************************************************)
(* XFS in Linux 4.9: two locks, one inside the other.  A writer takes      *)
(* i_rwsem (inode_lock) and then i_iolock for writing; a reader takes      *)
(* i_iolock only, for reading (xfs_rw_ilock).  4.10 merged the two         *)
(* (6552321831dc), and that merge, not a change of the rwsem, is what lets *)
(* writers starve readers here.                                            *)
(*                                                                         *)
(* MODELLED.  Each lock is Rwsem with the policy of 4.9, which is that of  *)
(* 4.20.  A writer releases i_iolock, wake-up included, before it releases *)
(* i_rwsem: so at most one writer is ever at i_iolock, nobody can steal it *)
(* from the queued readers, and after each writer they all run.            *)
(*                                                                         *)
(* ASSUMED, OUT OF SCOPE.  As Rwsem.  Direct I/O, which takes i_iolock     *)
(* shared, is left out.                                                    *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, RwsemPolicies

CONSTANTS
    Readers, Writers,
    Policy,     \* of both locks: a record of module RwsemPolicies
    Merged      \* 4.10: i_iolock is i_rwsem, there is no outer lock

VARIABLES
    opc, oqueue,    \* i_rwsem, the outer lock: writers only
    ipc, iqueue,    \* i_iolock, the inner lock
    wrote           \* writers that have released i_iolock, i_rwsem not yet

outer == <<opc, oqueue>>
inner == <<ipc, iqueue>>
vars  == <<opc, oqueue, ipc, iqueue, wrote>>

Task == Readers \cup Writers

\* Neither lock has a hand-off.
Outer == INSTANCE Rwsem WITH
    pc <- opc, queue <- oqueue, Readers <- {}, expired <- FALSE, handoff <- FALSE,
    Downgraders <- {}
Inner == INSTANCE Rwsem WITH
    pc <- ipc, queue <- iqueue, expired <- FALSE, handoff <- FALSE,
    Downgraders <- {}

TypeOK ==
    /\ Outer!TypeOK
    /\ Inner!TypeOK
    /\ wrote \subseteq {w \in Writers : opc[w] = "hold"}

Init ==
    /\ Outer!Init
    /\ Inner!Init
    /\ wrote = {}

-----------------------------------------------------------------------------
(* inode_lock, inode_unlock: the steps of a writer at i_rwsem.             *)

OuterEnter(w) ==
    ~Merged /\ Outer!Enter(w) /\ UNCHANGED <<inner, wrote>>
OuterSpin(w) ==
    ~Merged /\ Outer!Spin(w) /\ UNCHANGED <<inner, wrote>>
OuterQueue(w) ==
    ~Merged /\ Outer!Queue(w) /\ UNCHANGED <<inner, wrote>>
OuterSteal(w) == Outer!Steal(w) /\ UNCHANGED <<inner, wrote>>
OuterTake(w)  == Outer!Take(w)  /\ UNCHANGED <<inner, wrote>>
OuterSleep(w) == Outer!Sleep(w) /\ UNCHANGED <<inner, wrote>>
OuterWake(w)  == Outer!Wake(w)  /\ UNCHANGED <<inner, wrote>>
OuterSkipWake(w) == Outer!SkipWake(w) /\ UNCHANGED <<inner, wrote>>

\* Only when i_iolock has been released, and its queue woken.
OuterRelease(w) ==
    /\ w \in wrote
    /\ ipc[w] = "idle"
    /\ Outer!Release(w)
    /\ wrote' = wrote \ {w}
    /\ UNCHANGED inner

-----------------------------------------------------------------------------
(* mraccess, mrupdate, mrunlock: the steps of any task at i_iolock.        *)

\* A writer comes here with i_rwsem held, once a turn.
MayArrive(t) == t \in Writers /\ ~Merged => opc[t] = "hold" /\ t \notin wrote

InnerEnter(t) ==
    MayArrive(t) /\ Inner!Enter(t) /\ UNCHANGED <<outer, wrote>>
InnerSpin(t) ==
    MayArrive(t) /\ Inner!Spin(t) /\ UNCHANGED <<outer, wrote>>
InnerQueue(t) ==
    MayArrive(t) /\ Inner!Queue(t) /\ UNCHANGED <<outer, wrote>>
InnerSteal(t) == Inner!Steal(t) /\ UNCHANGED <<outer, wrote>>
InnerTake(t)  == Inner!Take(t)  /\ UNCHANGED <<outer, wrote>>
InnerSleep(t) == Inner!Sleep(t) /\ UNCHANGED <<outer, wrote>>
InnerWake(t)  == Inner!Wake(t)  /\ UNCHANGED <<outer, wrote>>
InnerSkipWake(t) == Inner!SkipWake(t) /\ UNCHANGED <<outer, wrote>>

InnerRelease(t) ==
    /\ Inner!Release(t)
    /\ wrote' = IF Merged THEN {} ELSE wrote \cup ({t} \cap Writers)
    /\ UNCHANGED outer

-----------------------------------------------------------------------------
Next ==
    \/ \E w \in Writers :
          \/ OuterEnter(w)
          \/ OuterSpin(w)
          \/ OuterSteal(w)
          \/ OuterQueue(w)
          \/ OuterTake(w)
          \/ OuterSleep(w)
          \/ OuterRelease(w)
          \/ OuterWake(w)
          \/ OuterSkipWake(w)
    \/ \E t \in Task :
          \/ InnerEnter(t)
          \/ InnerSpin(t)
          \/ InnerSteal(t)
          \/ InnerQueue(t)
          \/ InnerTake(t)
          \/ InnerSleep(t)
          \/ InnerRelease(t)
          \/ InnerWake(t)
          \/ InnerSkipWake(t)

Spec == Init /\ [][Next]_vars

\* As in Rwsem, one disjunction a task: whoever is inside the code goes on.  A
\* writer that holds i_rwsem is inside, so it goes on to i_iolock.
AtInner(t) ==
    \/ InnerEnter(t) \/ InnerSpin(t) \/ InnerSteal(t) \/ InnerQueue(t)
    \/ InnerTake(t) \/ InnerSleep(t) \/ InnerRelease(t) \/ InnerWake(t)
    \/ InnerSkipWake(t)
AtOuter(w) ==
    \/ OuterSteal(w) \/ OuterQueue(w) \/ OuterTake(w) \/ OuterSleep(w)
    \/ OuterRelease(w) \/ OuterWake(w) \/ OuterSkipWake(w)
WriterProceeds(w) ==
    (opc[w] # "idle" \/ ipc[w] # "idle") /\ (AtInner(w) \/ AtOuter(w))
FairSpec ==
    /\ Spec
    /\ \A r \in Readers : WF_vars(ipc[r] # "idle" /\ AtInner(r))
    /\ \A w \in Writers : WF_vars(WriterProceeds(w))

-----------------------------------------------------------------------------
MutualExclusion == Inner!MutualExclusion /\ Outer!MutualExclusion

\* Why the queued readers cannot be robbed: nobody else is there to do it.
OneWriterAtInner == Cardinality({w \in Writers : ipc[w] # "idle"}) <= 1

ReaderProgress == \A r \in Readers : Inner!Contends(r) ~> ipc[r] = "hold"

\* The writer that has i_rwsem gets i_iolock.
InnerWriterProgress == \A w \in Writers : Inner!Contends(w) ~> ipc[w] = "hold"

\* Every writer gets to write.
WriterProgress == \A w \in Writers : Outer!Contends(w) ~> ipc[w] = "hold"

WriterClassProgress ==
    (\E w \in Writers : Outer!Contends(w)) ~> (\E w \in Writers : ipc[w] = "hold")

\* A writer that runs before a lock, as a spinner or in the queue, gets it or
\* goes to sleep.
Runs(w) == opc[w] \in {"spin", "try"} \/ ipc[w] \in {"spin", "try"}
NobodyRunsOn == \A w \in Writers : Runs(w) ~> ~Runs(w)
=============================================================================
