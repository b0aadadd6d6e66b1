Text before the module.
---- MODULE Forms ----
EXTENDS Integers, Sequences
CONSTANTS C, D(_, _)
VARIABLES x, y
ASSUME C \in Nat
a \prec b == a < b
a ^+ == <>(a = x)
Between == 1 \prec 2 /\ 1 =< 2 /\ 1 <= 2 /\ <<1>> \circ <<>> = <<>>
Behind == (1)^+
Minus == -x + (-1)
Step(t) == /\ x' = t
           /\ \/ UNCHANGED y
              \/ y' = [y EXCEPT ![t] = @ + 1, !.f = 2]
Twice(F(_), n) == F(F(n))
Applied == Twice(LAMBDA n : n + x, 2) + Twice(Head, <<>>)
f[n \in 0 .. 3, m \in Nat] == IF n = 0 THEN x ELSE f[n - 1, m]
Can(A) == ENABLED A
Able == Can(x' = 1)
Drops(n) == TRUE
Dropped == Drops(x' = 1)
Named == LET I == INSTANCE Base WITH v <- y, Size <- C, Op <- LAMBDA n : n, \oplus <- -
             g[n \in Nat] == n + x
             Tail2(s) == Tail(s)
             unused == x' = 1
         IN I!Now /\ g[1] = 2 /\ Tail2(<<>>) = <<>>
Nest(p) == LET q == p IN LET r == q + x IN \A s \in {r} : s = p
Less(n) == n - C
I == INSTANCE Base WITH v <- <<x, y>>, Size <- C, Op <- Less, \oplus <- +
P(n, S) == INSTANCE Base WITH v <- x, Size <- n, Op <- LAMBDA m : m, \oplus <- -
Uses == I!Step \/ P(2, {1})!Given(C) \/ P(1, {})!Now
Chain == [][Step(1) \/ I!Step]_<<x, y>> /\ WF_x(Step(2)) /\ SF_<<x, y>>(<<Step(1)>>_x)
Leads == \A t \in Nat : [](x = t) ~> (y = t)
Often == []<><<Step(1)>>_x
Chosen == CASE x = 1 -> 1 [] x = 2 -> 2 [] OTHER -> CHOOSE <<n, m>> \in Nat \X Nat : n = m
Record == [a |-> 1, b |-> x].a + [n \in {1} |-> n][1]
Sets == {n \in Nat : n > x} \cup {n + m : n \in {1}, m \in {2}} \cup {} \cup [{1} -> {2}] \cup [a : {1}, b : {x}]
---- MODULE Inner ----
VARIABLE z
Moves == z' = x
====
J == INSTANCE Inner WITH z <- y
Moved == J!Moves
RECURSIVE Sum(_), Odd(_)
Sum(n) == IF n = 0 THEN 0 ELSE n + Odd(n - 1)
Odd(n) == Sum(n)
THEOREM Chain => []TRUE
LOCAL Hidden == \E n \in Nat, <<p, q>> \in {<<1, 2>>} : n = p
Last == Hidden => "a \" (* b" = "\\"
====
Text behind it.
