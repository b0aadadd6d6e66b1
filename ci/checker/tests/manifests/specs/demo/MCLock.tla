---- MODULE MCLock ----
EXTENDS Lock, TLC
Symmetry == Permutations(Readers) \cup Permutations(Writers)
Fifo == "fifo"
AnyOrder == "any"
State == [pc |-> pc, queue |-> queue]
EmitPrint(action, args) == PrintT(ToString(<<"E", action, args, State, State'>>))
====
