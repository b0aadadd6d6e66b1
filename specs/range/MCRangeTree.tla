---------------------------- MODULE MCRangeTree ----------------------------
(***************************************************************************)
(* RangeTree for TLC: probes and controls.                                 *)
(***************************************************************************)
EXTENDS RangeTree, RangeAsks

\* Probes, each of which must be violated.
NeverWaits     == \A t \in Task : ~Waits(t)
NeverBeside    == [][\A t \in Task : \A u \in Task : ~GoesBeside(u, t)]_vars
NeverShares    == \A t, u \in Task : t # u /\ Holds(t) /\ Holds(u) => ~\E r \in Has(t), s \in Has(u) : Overlap(r, s)

\* Controls: nobody is woken (in the place of Ready), ranges that touch in one cell do
\* not overlap (of Overlap), whoever conflicts with no holder passes (of MayPass).
Nobody(S, t, parts) == {}
Inside(r, s)        == r.first < s.last /\ s.first < r.last
PassesFreely(t)     == \A u \in Conflicting(t) : Waits(u)

\* And of those who waited for t alone only such as nobody waits behind are woken (of Ready
\* too).
Unfollowed(S, t, parts) == {u \in S : Conflicting(u) = {t}}

\* A writer that parts its range and reads on in the first part alone, then releases that; and
\* a reader of its cell.
Lent == [w |-> Then(Write(1, 2), << {Part(1, 1, FALSE), Part(2, 2, TRUE)}, {Part(2, 2, TRUE)} >>),
         r |-> Read(1, 1)]

\* No range is empty: Exclusion would say nothing of it.
ASSUME \A t \in Task : Asks[t].first <= Asks[t].last
=============================================================================
