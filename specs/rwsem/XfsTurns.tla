------------------------------ MODULE XfsTurns ------------------------------
(***************************************************************************)
(* Reads to a write, and writes to a read: what XFS's two locks of 4.9     *)
(* and its one lock since 4.10 let in while the other side is queued.      *)
(*                                                                         *)
(* XfsTwoLevel, and beside it two numbers that it does not look at.        *)
(***************************************************************************)
EXTENDS XfsTwoLevel

CONSTANTS
    MostReads,  \* bound: so many readers are let in while a writer is queued ...
    MostWrites  \* ... and so many writers while a reader is, before its own side

VARIABLES
    reads,      \* readers let in since a writer was, or was first queued
    writes      \* writers let in since a reader was, or was first queued

Queued == Outer!Range(oqueue) \cup Outer!Range(iqueue)

\* Who gets i_iolock, for which side.
Got(S) == Cardinality({t \in S : ipc[t] # "hold" /\ ipc'[t] = "hold"})

\* Counted while one of `waiting` is queued, from anew if its side gets a turn.
\* The count stops one above its bound.
Counted(n, most, comes, waiting) ==
    IF Queued \cap waiting = {} \/ Queued' \cap waiting = {} \/ Got(waiting) > 0 THEN 0
    ELSE IF n + Got(comes) > most THEN most + 1
    ELSE n + Got(comes)

Turn ==
    /\ Next
    /\ reads' = Counted(reads, MostReads, Readers, Writers)
    /\ writes' = Counted(writes, MostWrites, Writers, Readers)

TurnSpec == Init /\ reads = 0 /\ writes = 0 /\ [][Turn]_<<vars, reads, writes>>

-----------------------------------------------------------------------------
BoundedReads  == reads <= MostReads
BoundedWrites == writes <= MostWrites

\* Probes: each side is let in while the other is queued.
NoReadBeside  == reads = 0
NoWriteBeside == writes = 0
=============================================================================
