---- MODULE APWrong ----
\* What does not type.
EXTENDS Integers
VARIABLES
    \* @type: Str;
    pc,
    \* @type: Int;
    n
Init == pc = "idle" /\ n = "none"
Next == pc' = pc /\ n' = n + 1
====
