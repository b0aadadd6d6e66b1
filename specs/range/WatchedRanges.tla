--------------------------- MODULE WatchedRanges ---------------------------
(***************************************************************************)
(* RangeTree as a few of its ranges see it, whatever others there are.     *)
(*                                                                         *)
(* Of the others each waiter that is watched knows only how many of them   *)
(* it waits for.  Others do not move: whoever takes a step is watched.     *)
(* Nobody narrows what it holds.                                           *)
(* APRangeTree says why three are enough, and TreeRefinesWatched looks     *)
(* whether RangeTree's steps are these.                                    *)
(***************************************************************************)
EXTENDS RangeTree

VARIABLE others     \* for how many ranges that are not watched each one waits

\* What t has to wait for, if it waits: who was there before it, and who has passed it.
WaitsFor(t, u) == u \in Conflicting(t) /\ (IsBefore(u, t) \/ Holds(u))

\* What CountsRight says, with the others.
AllCounted ==
    \A t \in Task :
        Waits(t) => blocking[t] = Cardinality({u \in Task : WaitsFor(t, u)}) + others[t]

WatchInit == Init /\ others = [t \in Task |-> 0]

\* As long as a range waits it waits for as many of the others.
OthersStay == others' = [t \in Task |-> IF pc'[t] = "wait" THEN others[t] ELSE 0]

\* RangeTree's Wait, for any number of the others too.
WaitAmong(t) ==
    /\ pc[t] = "idle"
    /\ others' \in [Task -> Nat]
    /\ \A u \in Task \ {t} : others'[u] = others[u]
    /\ others'[t] > 0 \/ (Conflicting(t) # {} /\ ~MayPass(t))
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ tree' = Append(tree, t)
    /\ blocking' = [blocking EXCEPT ![t] = Cardinality(Conflicting(t)) + others'[t]]
    /\ UNCHANGED <<passed, narrowed>>

\* Who passes others alone locks.
Watch ==
    \E t \in Task :
        \/ Lock(t) /\ OthersStay
        \/ Pass(t) /\ OthersStay
        \/ WaitAmong(t)
        \/ Unlock(t) /\ OthersStay
        \/ Interrupt(t) /\ OthersStay
=============================================================================
