------------------------ MODULE RangeListOvertaking ------------------------
(***************************************************************************)
(* How many others get in before the one that has the auxiliary lock, with *)
(* probes and controls.                                                    *)
(***************************************************************************)
EXTENDS MCRangeList

CONSTANT Most   \* the bound that is claimed

VARIABLE before \* how many have got in since the first of aux came to be first

First(s) == IF s = <<>> THEN {} ELSE {s[1]}
GotIn(u) == ~Holds(u) /\ pc'[u] = "hold"

Count ==
    before' = IF aux = <<>> \/ First(aux') # First(aux) THEN 0
              ELSE before + Cardinality({u \in Task : GotIn(u)})

CountInit == Init /\ before = 0
CountNext == Next /\ Count
CountSpec == CountInit /\ [][CountNext]_<<vars, before>>

BoundedOvertaking == before <= Most

\* Probe: nobody loses its patience.
NeverImpatient == aux = <<>>
=============================================================================
