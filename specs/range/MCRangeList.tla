---------------------------- MODULE MCRangeList ----------------------------
(***************************************************************************)
(* RangeList for TLC: probes and controls.                                 *)
(***************************************************************************)
EXTENDS RangeList, RangeAsks

\* Probes, each of which must be violated.
NeverWants    == \A t \in Task : ~Wants(t)
NeverShares   == \A t, u \in Task : t # u /\ Holds(t) /\ Holds(u) => ~Overlap(t, u)

\* Controls: who ends in the cell before t's first, or in that itself (in the place of
\* Ends), and a compare-and-swap that does not mind p's mark (of CanSwap).
EndsStrictly(n, t) == Asks[t].first > Ask(n).last + 1
EndsLaxly(n, t)    == Asks[t].first >= Ask(n).last
SwapsMarked(p, q)  == next[p] = q

\* And a reader that takes others for writers (of Reads), a node that is not marked when
\* its range is given back (of Mark).
NoReader(n)        == FALSE
Unmarked(t, state) ==
    /\ pc' = [pc EXCEPT ![t] = state]
    /\ EndWalk(t)
    /\ UNCHANGED <<slot, next, marked>>

\* In the place of MayBegin: each range is locked once.
LocksOnce(t) == pc[t] = "idle" => \A s \in 1 .. Slots : <<t, s>> \notin marked

\* Each step is the beginning of a range, or one that fairness obliges to; and a control, in
\* the place of Step.
GoesOn         == [][\E t \in Task : Lock(t) \/ Step(t)]_vars
HoldersStep(t) == Unlock(t)

\* No range is empty: Exclusion would say nothing of it.
ASSUME \A t \in Task : Asks[t].first <= Asks[t].last
=============================================================================
