----------------------------- MODULE FlagTurns -----------------------------
(***************************************************************************)
(* How often writers pass a reader that is in its slow path and has not    *)
(* queued: rwsem.c since 5.3, and beside it a number that it does not      *)
(* look at.                                                                *)
(***************************************************************************)
EXTENDS RwsemFlags

CONSTANT Most   \* bound: so many writers get the lock meanwhile

VARIABLE passes \* of each reader, counted up to one above its bound

Unqueued(r) == pc[r] \in {"slow", "spin", "queue", "enqueue"}

Entered == Cardinality({w \in Writers : pc[w] # "hold" /\ pc'[w] = "hold"})

Turn ==
    /\ Next
    /\ passes' = [r \in Readers |->
         IF ~Unqueued(r) \/ ~Unqueued(r)' THEN 0
         ELSE IF passes[r] + Entered > Most THEN Most + 1
         ELSE passes[r] + Entered]

TurnSpec == Init /\ passes = [r \in Readers |-> 0] /\ [][Turn]_<<vars, passes>>

-----------------------------------------------------------------------------
BoundedPasses == \A r \in Readers : passes[r] <= Most

\* Probe: a writer releases the lock while a reader is on its way.
NeverPassable ==
    ~\E r \in Readers, w \in Writers : Unqueued(r) /\ pc[w] = "hold"
=============================================================================
