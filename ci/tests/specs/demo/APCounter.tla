---- MODULE APCounter ----
\* Counter for Apalache: two tasks, any Max.
EXTENDS Integers
CONSTANTS
    \* @type: Set(TASK);
    Tasks,
    \* @type: Int;
    Max
VARIABLES
    \* @type: TASK -> Str;
    pc,
    \* @type: Int;
    n
INSTANCE Counter
AnyMax == Tasks = {"a_OF_TASK", "b_OF_TASK"} /\ Max \in Int /\ Max >= 1
Three == Tasks = {"a_OF_TASK", "b_OF_TASK"} /\ Max = 3
InRange == n >= 0 /\ n <= Max
IndInv == Mutex /\ InRange
Any == pc \in [Tasks -> {"idle", "hold"}] /\ n \in Int
IndInit == Any /\ IndInv
WeakInit == Any /\ InRange
Contradiction == Any /\ n > Max /\ InRange
====
