---------------------------------- MODULE Faults ----------------------------------
(* One fault a specification, for the runner's tests.                              *)
EXTENDS Naturals, Sequences, TLC

CONSTANT Assumed
ASSUME IsAssumed == Assumed

VARIABLE x

RECURSIVE Endless(_)
Endless(k) == IF k < 0 THEN 0 ELSE 1 + Endless(k + 1)

Init == x = 0
Inc == x < 3 /\ x' = x + 1
EmptyHead == x = 3 /\ x' = Head(<<>>)
Asserted == x = 3 /\ Assert(FALSE, "asserted") /\ x' = 1
Recurse == x = 3 /\ x' = Endless(1)
Count == x' = x + 1

Stops == Init /\ [][Inc]_x
EvaluationFails == Init /\ [][Inc \/ EmptyHead]_x
AssertFails == Init /\ [][Inc \/ Asserted]_x
StackOverflows == Init /\ [][Inc \/ Recurse]_x
Endlessly == Init /\ [][Count]_x
Fills == x = {} /\ [][\E n \in 1..10000000 : x' = {{n}} \cup {{k, n} : k \in 1..3000}]_x

Small == x < 10
NotZero == x > 0
BadInvariant == x < 3 \/ Head(<<>>) = 1
===================================================================================
