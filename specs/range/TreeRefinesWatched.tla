------------------------- MODULE TreeRefinesWatched -------------------------
(***************************************************************************)
(* What RangeTree does, as a few of its ranges see it: each step is one of *)
(* WatchedRanges, whoever is watched beside the one that takes it.         *)
(***************************************************************************)
EXTENDS MCRangeTree

CONSTANTS
    Watches,    \* so many are watched
    Judged      \* the design that WatchedRanges takes it for

\* How many of those that are not watched t waits for.
Others(W, t) ==
    IF Waits(t) THEN Cardinality({u \in Conflicting(t) \ W : IsBefore(u, t) \/ Holds(u)}) ELSE 0

\* Who is not watched seems to be idle.
Of(W, f, none) == [t \in Task |-> IF t \in W THEN f[t] ELSE none]

Seen(W) == INSTANCE WatchedRanges WITH
    Policy   <- Judged,
    pc       <- Of(W, pc, "idle"),
    tree     <- SelectSeq(tree, LAMBDA t : t \in W),
    blocking <- Of(W, blocking, 0),
    passed   <- Of(W, passed, 0),
    narrowed <- Of(W, narrowed, 0),
    others   <- [t \in Task |-> IF t \in W THEN Others(W, t) ELSE 0]

\* Who takes a step comes or goes, and is among those who are watched.
Moves(t) == (pc[t] = "idle") # (pc'[t] = "idle")
Watched  == {W \in SUBSET Task : Cardinality(W) = Watches /\ \E t \in W : Moves(t)}

Implements == [][\A W \in Watched : Seen(W)!Watch]_vars

-----------------------------------------------------------------------------
\* Probe, which must be violated: who comes to wait waits for somebody who is watched.
NeverWaitsForOthers ==
    [][\A W \in Watched : \A t \in W :
        Moves(t) /\ pc'[t] = "wait" => Conflicting(t) \cap W # {}]_vars

\* Control, in the place of Others: there are none.
NoOthers(W, t) == 0

\* Of the states, what WatchedRanges says of accounts: Others are those whom a waiter has
\* counted beside those who are watched.
EachCounts == \A W \in SUBSET Task : Cardinality(W) = Watches => Seen(W)!AllCounted
=============================================================================
