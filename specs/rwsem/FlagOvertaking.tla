--------------------------- MODULE FlagOvertaking ---------------------------
(***************************************************************************)
(* How many tasks get the lock before the first waiter once                *)
(* RWSEM_FLAG_HANDOFF demands it for that one: rwsem.c since 5.3, and      *)
(* beside it a number that it does not look at.                            *)
(***************************************************************************)
EXTENDS FlagPromises

CONSTANT Most   \* bound: so many

VARIABLE passes \* since the demand, counted up to one above its bound

\* The flag stands for the first waiter.  Since 5.19 it says nothing unless it
\* was set, or inherited, in that one's name.
Stands ==
    /\ list # <<>>
    /\ Has(count, FlagHandoff)
    /\ Release.try \in {"setter", "first"} => handoff_set[Head(list)] = "yes"

\* Who has the lock, or will find that it has.
Inside ==
    Holders \cup granted \cup chosen
        \cup {r \in Readers : pc[r] \in {"own", "steal", "swake"}}

Count ==
    /\ Next
    /\ passes' =
         IF ~Stands \/ ~Stands' THEN 0
         ELSE IF Head(list) # Head(list') THEN 0
         ELSE LET n == passes + Cardinality(Inside' \ Inside)
              IN IF n > Most THEN Most + 1 ELSE n

CountSpec == Init /\ passes = 0 /\ [][Count]_<<vars, passes>>

-----------------------------------------------------------------------------
BoundedPasses == passes <= Most

\* Control, in the place of DelWaiter: who leaves the list last leaves the flags.
FlagsStay == count

\* Probe: a lock is demanded while a reader is on its way.
NeverDemandedBeside == ~(Stands /\ \E r \in Readers : pc[r] \in {"slow", "queue"})
=============================================================================
