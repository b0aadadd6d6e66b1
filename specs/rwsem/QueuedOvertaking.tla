-------------------------- MODULE QueuedOvertaking -------------------------
(***************************************************************************)
(* How many tasks get the lock before one that queued earlier and that     *)
(* cannot have it beside them: QueuedRwsem, and beside it counts that it   *)
(* does not look at (as Overtaking is beside Rwsem).                       *)
(*                                                                         *)
(* Who gets the lock enters: an upgrade, or a downgrade, goes on with what *)
(* it has.  Who gives up and comes again comes later.                      *)
(***************************************************************************)
EXTENDS QueuedRwsem, TLC

CONSTANTS
    Watch,      \* tasks whose overtakers are counted
    ByReaders,  \* bound: how many grants to readers may overtake a watched task ...
    ByOthers    \* ... and how many to others

VARIABLES
    older,      \* for a watched waiter: who was queued before it and still is
    overtaken   \* for a watched waiter: by how many of either it has been

history == <<older, overtaken>>

Nothing == [readers |-> 0, others |-> 0]

-----------------------------------------------------------------------------
\* Who gets the lock, and cannot have it beside w.
Got(w) ==
    {t \in Task : /\ t \notin Inside(pc) /\ pc'[t] \in Modes
                  /\ Excludes(Asks(t), Asks(w))}

\* Who was queued before w, and still is.
OlderNext(w) ==
    IF pc[w] = "idle" /\ pc'[w] = "wait" THEN Range(queue)
    ELSE IF pc'[w] = "wait" THEN older[w] \cap Range(queue') ELSE {}

\* The counts stop one above their bound.
Add(n, m, bound) == IF n + m > bound THEN bound + 1 ELSE n + m

OvertakenNext(w) ==
    LET past == Got(w) \ older[w]
    IN IF pc[w] = "wait" /\ pc'[w] = "wait"
       THEN [readers |-> Add(overtaken[w].readers, Cardinality(past \cap Readers), ByReaders),
             others |-> Add(overtaken[w].others, Cardinality(past \ Readers), ByOthers)]
       ELSE Nothing

Count ==
    /\ Next
    /\ older' = [w \in Watch |-> OlderNext(w)]
    /\ overtaken' = [w \in Watch |-> OvertakenNext(w)]

CountInit ==
    /\ Init
    /\ older = [w \in Watch |-> {}]
    /\ overtaken = [w \in Watch |-> Nothing]

CountSpec == CountInit /\ [][Count]_<<vars, history>>

-----------------------------------------------------------------------------
BoundedOvertaking ==
    \A w \in Watch : /\ overtaken[w].readers <= ByReaders
                     /\ overtaken[w].others <= ByOthers

\* Probe, which must be violated: somebody queues later than a watched waiter.
NobodyComesLater ==
    \A w \in Watch : pc[w] = "wait" => Range(queue) \ {w} \subseteq older[w]

\* Tasks that no constant tells apart may be exchanged.
Symmetry == Permutations(Readers \ Watch) \cup Permutations(Writers \ Watch)

\* Control: a writer goes to the head.
WriterFirst(q, t) == IF t \in Writers THEN 0 ELSE Len(q)
=============================================================================
