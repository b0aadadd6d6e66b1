---------------------------- MODULE MCRangeBias ----------------------------
(***************************************************************************)
(* RangeBias for TLC: what the tasks ask for, probes and controls.         *)
(***************************************************************************)
EXTENDS RangeBias, RangeAsks

\* Two readers, two writers of cells that one or both read; and a reader of another
\* cell than the writer's.
Crowded == [a |-> Read(1, 2), b |-> Read(2, 3), w |-> Write(2, 2), x |-> Write(3, 3),
            crowd |-> Read(1, 3)]
Elsewhere == [a |-> Read(2, 2), b |-> Read(2, 2), w |-> Write(1, 1), crowd |-> Read(1, 2)]

\* Probes, each of which must be violated.
NeverWaits      == \A t \in Task : ~Waits(t)
NeverCrowds     == pc[Crowd] = "idle"
NeverTwoInside  == Cardinality(inside) <= 1
NeverEnters     == [][\A t \in Task : ~EntersBeside(t)]_vars
NeverBoth       == inside = {} \/ \A t \in Task : ~Tree!Holds(t)

\* Controls: a reader does not look whether the word is open (in the place of MayEnter),
\* no crowd is put into the tree (of IsCrowded), the word is opened behind writers that
\* wait (of NobodyWrites), any reader takes the crowd out (of IsLast), or none does, or
\* it stays on the accounts of those who wait for it (of CrowdLeaves).
DoesNotLook     == TRUE
Unseen          == FALSE
NobodyHoldsForWriting == \A t \in Task : Holds(t) => ~Writes(t)
AnyReader(t)    == TRUE
None(t)         == FALSE
StaysOnAccounts == Tree!Leave(Crowd, {})

\* And the crowd leaves if a reader that tells the tree finds nobody inside (of CrowdLeaves).
LeavesIfEmpty   == IF inside = {} THEN Tree!Unlock(Crowd) ELSE UNCHANGED treeVars

\* A wide range and two in it, to be written; and a reader of another cell, which is all
\* that the crowd has.
Beside == [t \in DOMAIN WideAndTwo \cup {"r", "crowd"} |->
              IF t \in DOMAIN WideAndTwo THEN WideAndTwo[t] ELSE Read(3, 3)]

\* No range is empty: Exclusion would say nothing of it.
ASSUME \A t \in DOMAIN Asks : Asks[t].first <= Asks[t].last
=============================================================================
