---------------------------- MODULE SegmentsSeen ----------------------------
(***************************************************************************)
(* What SegmentBitmap does, as a few of its tasks see it who look at one   *)
(* cell: each step is one of SegmentBitmap, or none, whoever is watched    *)
(* beside the one that takes it.  That is why the invariant of             *)
(* APSegmentBitmap is one of any number of tasks and of segments.          *)
(***************************************************************************)
EXTENDS MCSegmentBitmap

CONSTANTS
    Watches,    \* so many are watched
    Judged      \* the design that it is taken for

Cell           == UNION {Cells(t) : t \in Task}
SegmentOf(c)   == (c - 1) \div size

\* Who is watched and has the cell, and what is left then of a range, a queue and a bit's queue.
Owners(W, c)   == {t \in W : c \in Cells(t)}
One(c, t)      == IF c \in Cells(t) THEN [Asks[t] EXCEPT !.first = c, !.last = c]
                  ELSE [Asks[t] EXCEPT !.first = 1, !.last = 0]
Of(S, s)       == SelectSeq(s, LAMBDA t : t \in S)
Needs(W, c)    == [t \in Task |-> IF t \in Owners(W, c) THEN needs[t] \cap {SegmentOf(c)} ELSE {}]
Bits(W, c)     == [s \in Segment |-> IF s = SegmentOf(c) THEN Of(Owners(W, c), bits[s]) ELSE <<>>]

Seen(W, c) == INSTANCE SegmentBitmap WITH
    Policy <- Judged,
    Asks   <- [t \in Task |-> One(c, t)],
    pc     <- [t \in Task |-> IF t \in W THEN pc[t] ELSE "idle"],
    queue  <- Of(W, queue),
    needs  <- Needs(W, c),
    bits   <- Bits(W, c)

SeenVars(W, c) == <<[t \in W |-> pc[t]], Of(W, queue), size, Needs(W, c), Bits(W, c)>>

\* Who takes a step is among those who are watched.
Moves(t) == pc[t] # pc'[t] \/ needs[t] # needs'[t]
Watched  == {W \in SUBSET Task : Cardinality(W) = Watches /\ \E t \in W : Moves(t)}

Implements ==
    [][\A W \in Watched : \A c \in Cell : Seen(W, c)!Next \/ UNCHANGED SeenVars(W, c)]_vars
=============================================================================
