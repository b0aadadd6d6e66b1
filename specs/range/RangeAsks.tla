----------------------------- MODULE RangeAsks -----------------------------
(***************************************************************************)
(* What the tasks of the range locks' models ask for.                      *)
(***************************************************************************)
EXTENDS Naturals

Write(i, j) == [first |-> i, last |-> j, write |-> TRUE, then |-> <<>>]
Read(i, j)  == [first |-> i, last |-> j, write |-> FALSE, then |-> <<>>]
\* The same range, which is narrowed while it is held; and what it is narrowed to.
Then(range, parts) == [range EXCEPT !.then = parts]
Part(i, j, write)  == [first |-> i, last |-> j, write |-> write]

\* A wide range and narrow ones in it, which do not conflict with each other.
WideAndTwo   == [w |-> Write(1, 2), a |-> Write(1, 1), b |-> Write(2, 2)]
WideAndThree == [w |-> Write(1, 3), a |-> Write(1, 1), b |-> Write(2, 2), c |-> Write(3, 3)]
WideAndFour  == [w |-> Write(1, 4), a |-> Write(1, 1), b |-> Write(2, 2), c |-> Write(3, 3),
                 d |-> Write(4, 4)]
\* Each overlaps the next, and the last one all.
Chain        == [a |-> Write(1, 2), b |-> Write(2, 3), c |-> Write(3, 4), w |-> Write(1, 4)]
\* Readers that overlap, and a writer.
Readers      == [a |-> Read(1, 2), b |-> Read(2, 3), w |-> Write(2, 2), x |-> Write(3, 4)]
\* Two for one cell, of whom one writes.
Pair         == [r |-> Read(1, 1), w |-> Write(1, 1)]
\* A long reader comes before a short one while a writer comes behind that.
Behind       == [r |-> Read(1, 3), x |-> Read(2, 2), w |-> Write(3, 3)]
\* Two for the same cells, and three that have one in common.
Both         == [a |-> Write(1, 2), b |-> Write(1, 2)]
Segmented    == [a |-> Write(1, 2), b |-> Write(2, 3), e |-> Write(2, 2)]
\* Two that narrow what they hold, of whom one parts it, releases the first part and reads
\* on, and one shrinks it; a reader of two parts, and one that waits for one of them.
Parted       == [w |-> Then(Write(1, 3), << {Part(1, 1, TRUE), Part(2, 3, TRUE)},
                                            {Part(2, 3, TRUE)}, {Part(2, 3, FALSE)} >>),
                 v |-> Then(Write(1, 2), << {Part(2, 2, TRUE)} >>),
                 r |-> Read(1, 2), a |-> Write(1, 1)]
\* Two that touch, and one that lies apart.
Touch        == [a |-> Write(1, 1), b |-> Write(2, 2), e |-> Write(4, 4)]
\* Of Parted the one that parts its range, and one that waits for the first part.
Halved       == [t \in {"w", "a"} |-> Parted[t]]
\* And the one that shrinks its range, and one that waits for what it gives back.
Shrunk       == [t \in {"v", "a"} |-> Parted[t]]
\* Two with a cell between them.
Gap          == [t \in {"a", "c"} |-> WideAndThree[t]]
=============================================================================
