----------------------------- MODULE RangeBias -----------------------------
(***************************************************************************)
(* A RangeTree that is biased to readers: while nobody writes, a reader    *)
(* takes no lock and leaves no range in the tree, but counts itself in a   *)
(* word, as the reader of an rwsem does.  In June 2019 Dave Chinner told   *)
(* why: of direct I/O on XFS, which only shares, his range lock carried    *)
(* 1.1 million requests a second, the rwsem 1.6 million.  A lock with a    *)
(* path for readers before it that writers close is BRAVO's idea (Dice     *)
(* and Kogan, 2019).                                                       *)
(*                                                                         *)
(*   lock for reading:  if the word is open, count++: the range is held    *)
(*                      else as RangeTree                                  *)
(*   unlock of such:    if --count is 0, and the word is closed:           *)
(*                          spin_lock; the crowd leaves the tree           *)
(*   lock for writing:  spin_lock; if the word is open: close it, and if   *)
(*                          count > 0 put the crowd into the tree          *)
(*                      as RangeTree                                       *)
(*   under the lock:    if nobody writes or waits to, and the crowd is     *)
(*                          gone, the word may be opened                   *)
(*                                                                         *)
(* The crowd is one reader of every cell: it stands for all who are        *)
(* counted when the word is closed, and holds until the last has left.     *)
(* So the tree decides who waits for it, and this is a RangeTree with one  *)
(* task more.                                                              *)
(*                                                                         *)
(* THE PRICE.  A writer waits for readers of other cells too: for those    *)
(* who are counted when it closes the word, and for no later one.          *)
(*                                                                         *)
(* MODELLED, ASSUMED, OUT OF SCOPE.  As RangeTree.  Count and openness are *)
(* one word, so that each of Enter, Leave and Close reads and changes both *)
(* at once.  Close and what its writer does then are under one spin lock;  *)
(* here others may come between.                                           *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, RangeTreePolicies

CONSTANTS
    Asks,       \* as in RangeTree; and what the crowd asks for
    Mortal,
    Policy,
    Crowd       \* the task that stands for those whom the word counts

VARIABLES
    pc, tree, blocking, passed,     \* the tree
    open,       \* may readers count themselves?
    inside,     \* who is counted, and holds: the count is how many
    last        \* who has left as the last one, and has not yet told the tree

\* Nobody narrows a range here.
Tree == INSTANCE RangeTree WITH narrowed <- [t \in DOMAIN Asks |-> 0]

treeVars == <<pc, tree, blocking, passed>>
vars == <<pc, tree, blocking, passed, open, inside, last>>

Task        == DOMAIN Asks \ {Crowd}
Writes(t)   == Asks[t].write
Idle(t)     == pc[t] = "idle" /\ t \notin inside /\ t \notin last
Holds(t)    == Tree!Holds(t) \/ t \in inside
Waits(t)    == Tree!Waits(t)

TypeOK ==
    /\ Tree!TypeOK
    /\ open \in BOOLEAN
    /\ inside \subseteq {t \in Task : ~Writes(t) /\ pc[t] = "idle"}
    /\ last \subseteq {t \in Task : ~Writes(t) /\ pc[t] = "idle"} \ inside

Init ==
    /\ Tree!Init
    /\ open = TRUE
    /\ inside = {}
    /\ last = {}

-----------------------------------------------------------------------------
(* The word.                                                               *)

\* A reader counts itself: a compare-and-swap that fails if the word is closed.
MayEnter == open
Enter(t) ==
    /\ t \in Task
    /\ Idle(t)
    /\ ~Writes(t)
    /\ MayEnter
    /\ inside' = inside \cup {t}
    /\ UNCHANGED <<pc, tree, blocking, passed, open, last>>

\* It takes itself off the count, and sees whether it was the last, and the word closed.
IsLast(t) == inside = {t}
Leave(t) ==
    /\ t \in inside
    /\ inside' = inside \ {t}
    /\ last' = IF IsLast(t) /\ ~open THEN last \cup {t} ELSE last
    /\ UNCHANGED <<pc, tree, blocking, passed, open>>

\* The last takes the spin lock, and the crowd out of the tree.
CrowdLeaves == Tree!Unlock(Crowd)
Drain(t) ==
    /\ t \in last
    /\ last' = last \ {t}
    /\ CrowdLeaves
    /\ UNCHANGED <<open, inside>>

\* A writer closes the word under the spin lock, and puts the crowd into the tree.
IsCrowded == inside # {}
Close(t) ==
    /\ t \in Task
    /\ Idle(t)
    /\ Writes(t)
    /\ open
    /\ open' = FALSE
    /\ IF IsCrowded THEN Tree!Lock(Crowd) ELSE UNCHANGED treeVars
    /\ UNCHANGED <<inside, last>>

\* Whoever has the spin lock opens the word.
NobodyWrites == \A t \in Task : pc[t] # "idle" => ~Writes(t)
Open ==
    /\ ~open
    /\ pc[Crowd] = "idle"
    /\ NobodyWrites
    /\ open' = TRUE
    /\ UNCHANGED <<pc, tree, blocking, passed, inside, last>>

-----------------------------------------------------------------------------
(* The tree, for writers and for readers who find the word closed.         *)

Arrives(t) == t \in Task /\ Idle(t) /\ (Writes(t) => ~open)

Lock(t) ==
    /\ Arrives(t)
    /\ Tree!Lock(t)
    /\ UNCHANGED <<open, inside, last>>

Pass(t) ==
    /\ Arrives(t)
    /\ Tree!Pass(t)
    /\ UNCHANGED <<open, inside, last>>

Wait(t) ==
    /\ Arrives(t)
    /\ Tree!Wait(t)
    /\ UNCHANGED <<open, inside, last>>

Unlock(t) ==
    /\ t \in Task
    /\ Tree!Unlock(t)
    /\ UNCHANGED <<open, inside, last>>

Interrupt(t) ==
    /\ t \in Task
    /\ Tree!Interrupt(t)
    /\ UNCHANGED <<open, inside, last>>

Next ==
    \/ Open
    \/ \E t \in DOMAIN Asks :
        \/ Enter(t)
        \/ Leave(t)
        \/ Drain(t)
        \/ Close(t)
        \/ Lock(t)
        \/ Pass(t)
        \/ Wait(t)
        \/ Unlock(t)
        \/ Interrupt(t)

Spec == Init /\ [][Next]_vars

\* Who holds a range unlocks it, and the last reader tells the tree.
FairSpec ==
    Spec /\ \A t \in Task : WF_vars(Unlock(t)) /\ WF_vars(Leave(t)) /\ WF_vars(Drain(t))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* No cell that one writes is held by another.
Exclusion ==
    \A t, u \in Task :
        t # u /\ Holds(t) /\ Holds(u) /\ Writes(t) => Tree!Cells(Asks[t]) \cap Tree!Cells(Asks[u]) = {}

\* Who is counted while the word is closed is in the crowd, which leaves once.
CrowdIsInside ==
    /\ ~open => (pc[Crowd] = "hold" <=> inside # {} \/ last # {})
    /\ Cardinality(last) <= 1

\* Nobody counts itself beside one who writes or waits to: a writer waits for no
\* reader that came to the word later.
EntersBeside(t) == t \notin inside /\ t \in inside'
NobodyEntersLate == [][\A t \in Task : EntersBeside(t) => NobodyWrites]_vars

\* The tree is a RangeTree, in which the crowd is one more reader.
IsRangeTree == [][Tree!Next]_treeVars

\* A writer waits for readers of its cells alone.
NoFalseConflict ==
    \A t \in Task : Waits(t) => \E u \in Task : (Tree!Waits(u) \/ Holds(u)) /\ Tree!Conflict(t, u)

-----------------------------------------------------------------------------
(* Progress.                                                               *)

\* Every range that is asked for is held, or given up.
EachGetsIn == \A t \in Task : Waits(t) ~> ~Waits(t)
=============================================================================
