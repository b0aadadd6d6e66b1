----------------------------- MODULE Overtaking -----------------------------
(***************************************************************************)
(* How many tasks get the lock before one that queued earlier: Rwsem, and  *)
(* beside it counts that it does not look at.                              *)
(*                                                                         *)
(* A waiter is overtaken by each grant to a task that queued later, or     *)
(* never queued at all.                                                    *)
(***************************************************************************)
EXTENDS Rwsem

CONSTANTS
    Watch,      \* tasks whose overtakers are counted
    ByReaders,  \* bound: how many readers may overtake a watched task ...
    ByWriters   \* ... and how many writers

VARIABLES
    older,      \* for a watched waiter: who was queued before it and still is
    overtaken   \* for a watched waiter: by how many of each kind it has been

history == <<older, overtaken>>

Nothing == [R |-> 0, W |-> 0]

-----------------------------------------------------------------------------
(* What a step of the lock, from pc and queue to pc' and queue', adds.     *)

\* Who gets the lock.
Got == {t \in Task : t \notin Holders /\ pc'[t] = "hold"}

\* Who was queued before w, and still is.
OlderNext(w) ==
    IF w \in Range(queue') \ Range(queue) THEN Range(queue)
    ELSE IF w \in Range(queue') THEN older[w] \ Got ELSE {}

\* The counts stop one above their bound.
Add(n, m, bound) == IF n + m > bound THEN bound + 1 ELSE n + m

OvertakenNext(w) ==
    LET past(k) == Cardinality({t \in Got \ older[w] : Kind(t) = k})
    IN IF w \in Range(queue) /\ w \in Range(queue')
       THEN [R |-> Add(overtaken[w].R, past("R"), ByReaders),
             W |-> Add(overtaken[w].W, past("W"), ByWriters)]
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
    \A w \in Watch : /\ overtaken[w].R <= ByReaders
                     /\ overtaken[w].W <= ByWriters
=============================================================================
