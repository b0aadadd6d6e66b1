---- MODULE MCLock ----
EXTENDS Lock, TLC
Symmetry == Permutations(Readers) \cup Permutations(Writers)
Fifo == "fifo"
AnyOrder == "any"
====
