---------------------------- MODULE MCRangeTree ----------------------------
(***************************************************************************)
(* RangeTree for TLC: what the tasks ask for, probes and controls.         *)
(***************************************************************************)
EXTENDS RangeTree

Write(i, j) == [first |-> i, last |-> j, write |-> TRUE]
Read(i, j)  == [first |-> i, last |-> j, write |-> FALSE]

\* A wide range and narrow ones in it, which do not conflict with each other.
WideAndTwo   == [w |-> Write(1, 2), a |-> Write(1, 1), b |-> Write(2, 2)]
WideAndThree == [w |-> Write(1, 3), a |-> Write(1, 1), b |-> Write(2, 2), c |-> Write(3, 3)]
WideAndFour  == [w |-> Write(1, 4), a |-> Write(1, 1), b |-> Write(2, 2), c |-> Write(3, 3),
                 d |-> Write(4, 4)]
\* Each overlaps the next, and the last one all.
Chain        == [a |-> Write(1, 2), b |-> Write(2, 3), c |-> Write(3, 4), w |-> Write(1, 4)]
\* Readers that overlap, and a writer.
Readers      == [a |-> Read(1, 2), b |-> Read(2, 3), w |-> Write(2, 2), x |-> Write(3, 4)]

-----------------------------------------------------------------------------
\* Probes, each of which must be violated.
NeverWaits     == \A t \in Task : ~Waits(t)
NeverBeside    == [][\A t \in Task : \A u \in Task : ~GoesBeside(u, t)]_vars
NeverShares    == \A t, u \in Task : t # u /\ Holds(t) /\ Holds(u) => ~Overlap(t, u)

\* Controls: nobody is woken (in the place of Ready), ranges that touch in one cell do
\* not overlap (of Overlap), whoever conflicts with no holder passes (of MayPass).
Nobody(S)         == {}
Inside(t, u)      == Asks[t].first < Asks[u].last /\ Asks[u].first < Asks[t].last
PassesFreely(t)   == \A u \in Conflicting(t) : Waits(u)

=============================================================================
