------------------------------ MODULE Arrivals ------------------------------
(***************************************************************************)
(* What a design promises a task that arrives: the six rules of IRIX's     *)
(* MRLOCK_BARRIER, in the words of the thread, and what Wilcox's patches   *)
(* do achieve.  Each is a property of single steps.                        *)
(***************************************************************************)
EXTENDS Rwsem

\* a and b stand in one batch of q.
\* @type: (Seq(TASK), TASK, TASK) => Bool;
SameBatch(q, a, b) ==
    \E i, j \in DOMAIN q :
        /\ q[i] = a /\ q[j] = b
        /\ \A k \in DOMAIN q :
              (i <= k /\ k <= j) \/ (j <= k /\ k <= i) => Kind(q[k]) = Kind(a)

\* a stands before b in q.
\* @type: (Seq(TASK), TASK, TASK) => Bool;
Before(q, a, b) == \E i, j \in DOMAIN q : i < j /\ q[i] = a /\ q[j] = b

-----------------------------------------------------------------------------
(* The six rules.                                                          *)

Arrives(t) == pc[t] = "idle" /\ pc'[t] # "idle"

\* "if held by read, other readers can grab until pending writer."
Rule1 == [][\A t \in Readers :
    Arrives(t) /\ ReadHeld /\ ~PendingWriter => pc'[t] = "hold"]_vars

\* "if held by read and pending writer, reads queue behind writer."
Rule2 == [][\A t \in Readers :
    Arrives(t) /\ ReadHeld /\ PendingWriter =>
        \E w \in Writers : Before(queue', w, t)]_vars

\* "if held by read, no pending reads and pending writer, writers get batched
\* with pending writer"
Rule3 == [][\A t \in Writers :
    Arrives(t) /\ ReadHeld /\ PendingWriter /\ ~PendingReader =>
        \E w \in Writers \ {t} : SameBatch(queue', w, t)]_vars

\* The guard in rule 3, read as rule 5 reads: with pending reads, behind them.
Rule3Guard == [][\A t \in Writers :
    Arrives(t) /\ ReadHeld /\ PendingWriter /\ PendingReader =>
        \A r \in Range(queue) \cap Readers : Before(queue', r, t)]_vars

\* "if held by writer and no pending reader, new writer is queued to run after
\* writer and before any new pending readers."
Rule4 == [][\A t \in Task :
    Arrives(t) /\ WriteHeld /\ ~PendingReader =>
        /\ t \in Range(queue')
        /\ \A w \in Range(queue) \cap Writers : Before(queue', w, t)]_vars

\* "if held by writer and pending reader, new writers get queued behind reads"
Rule5 == [][\A t \in Writers :
    Arrives(t) /\ WriteHeld /\ PendingReader =>
        \A r \in Range(queue) \cap Readers : Before(queue', r, t)]_vars

\* "if held by writer and pending reader, readers get batched with pending
\* reader"
Rule6 == [][\A t \in Readers :
    Arrives(t) /\ WriteHeld /\ PendingReader =>
        \E r \in Range(queue) \cap Readers : SameBatch(queue', r, t)]_vars

-----------------------------------------------------------------------------
(* What Wilcox's patches do achieve.                                       *)

\* V1: when a reader is granted the lock, no reader is left in the queue.
GrantsEveryReader == [][
    (\E r \in Readers : pc[r] = "wait" /\ pc'[r] = "hold") =>
        Range(queue') \cap Readers = {}]_vars

\* V2: a reader that queues while a reader is at the head queues before it.
JoinsHeadReader == [][\A r \in Readers :
    /\ pc[r] # "wait" /\ pc'[r] = "wait"
    /\ queue # <<>> /\ Head(queue) \in Readers
    => Head(queue') = r]_vars
=============================================================================
