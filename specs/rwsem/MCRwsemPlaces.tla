--------------------------- MODULE MCRwsemPlaces ---------------------------
(***************************************************************************)
(* Arrivals for TLC: controls, each in the place of Place, of rules that   *)
(* look at more of the queue than who is first and last.                   *)
(***************************************************************************)
EXTENDS MCRwsem

\* Whoever finds a reader first, and somebody behind it, goes before them.
AheadOfReaders(t) ==
    IF Len(queue) > 1 /\ Head(queue) \in Readers THEN <<t>> \o queue ELSE Append(queue, t)

\* Whoever finds more than two goes before the last.
BeforeLast(t) ==
    IF Len(queue) > 2 THEN InsertAt(queue, Len(queue) - 1, t) ELSE Append(queue, t)
=============================================================================
