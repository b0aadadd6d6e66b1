------------------------------ MODULE LogTail ------------------------------
(***************************************************************************)
(* What a trace of a running kernel shows of a journal's log: the blocks   *)
(* that each transaction has written, which transactions are checkpointed, *)
(* and the tail, which frees the blocks of those before it.                *)
(*                                                                         *)
(* MODELLED.  The kernel's numbers of blocks, which must add up; that the  *)
(* tail does not pass a transaction that is not checkpointed.              *)
(*                                                                         *)
(* A TRACE BEGINS IN THE MIDDLE.  Where the tail is then is learnt from    *)
(* the first event that names it.  Of what was logged before the first     *)
(* transaction there is no more to know than that each has a commit block. *)
(*                                                                         *)
(* NOT SHOWN.  Space that a handle waited for; the blocks themselves.      *)
(***************************************************************************)
EXTENDS Integers, TLC

CONSTANTS
    FirstTid,   \* the first transaction whose blocks are told
    Log,        \* blocks in the log, at most
    Arguments(_) \* the tuples of arguments that an action, by its name, is tried with

VARIABLES
    tail,       \* j_tail_sequence; 0: not known yet
    last,       \* the last transaction whose blocks are told
    ended,      \* the last one that has finished
    total,      \* transaction -> blocks that were logged up to it, from FirstTid
    dropped     \* transactions from FirstTid and the tail on that are checkpointed

vars == <<tail, last, ended, total, dropped>>

Init ==
    /\ tail = 0
    /\ last = FirstTid - 1
    /\ ended \in {FirstTid - 1, FirstTid - 2}
    /\ total = ((FirstTid - 1) :> 0)
    /\ dropped = {}

TypeOK ==
    /\ tail >= 0
    /\ ended <= last
    /\ DOMAIN total \subseteq (FirstTid - 1)..last
    /\ dropped \subseteq FirstTid..last

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

\* The blocks of the transactions before tid, those that are told.
Before(tid) == total[Max(tid, FirstTid) - 1]

\* jbd2_run_stats: each block that a handle has dirtied, the commit block and,
\* if there is anything to describe, a descriptor.  (J_ASSERT: the log is never
\* full.)
Logged(tid, blocks, logged) ==
    /\ tid = last + 1
    /\ ended = last
    /\ logged >= blocks + (IF blocks > 0 THEN 2 ELSE 1)
    /\ total[last] + logged - Before(tail) < Log
    /\ last' = tid
    /\ total' = total @@ (tid :> total[last] + logged)
    /\ UNCHANGED <<tail, ended, dropped>>

\* T_FINISHED; the kernel tells where its tail is.
Finish(tid, head) ==
    /\ tid = ended + 1
    /\ tid = last
    /\ tail = 0 \/ head = tail
    /\ head <= tid
    /\ tail' = head
    /\ ended' = tid
    /\ UNCHANGED <<last, total, dropped>>

\* __jbd2_journal_drop_transaction: all its blocks are written in place.
Drop(tid) ==
    /\ tid >= tail
    /\ tid <= ended
    /\ tid \notin dropped
    /\ dropped' = IF tid >= FirstTid THEN dropped \cup {tid} ELSE dropped
    /\ UNCHANGED <<tail, last, ended, total>>

\* __jbd2_update_log_tail.  One whose blocks are told and that has not finished
\* may be passed: it may have dirtied nothing.
Tail(from, to, freed) ==
    /\ tail = 0 \/ from = tail
    /\ from < to
    /\ to <= last + 1
    /\ \A tid \in Max(from, FirstTid)..(to - 1) : tid \in dropped \/ tid > ended
    /\ LET unknown == Max(0, Min(to, FirstTid) - from)
           known   == Before(to) - Before(from)
       IN IF unknown = 0 THEN freed = known ELSE freed >= known + unknown
    /\ freed < Log
    /\ tail' = to
    /\ dropped' = {tid \in dropped : tid >= to}
    /\ total' = [tid \in {tid \in DOMAIN total : tid >= to - 1} |-> total[tid]]
    /\ UNCHANGED <<last, ended>>

Next ==
    \/ \E a \in Arguments("Logged") : Logged(a[1], a[2], a[3])
    \/ \E a \in Arguments("Finish") : Finish(a[1], a[2])
    \/ \E a \in Arguments("Drop") : Drop(a[1])
    \/ \E a \in Arguments("Tail") : Tail(a[1], a[2], a[3])

Spec == Init /\ [][Next]_vars
=============================================================================
