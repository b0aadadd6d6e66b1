The modules that TLC brings along, as far as a reader of other modules must know them: what each defines, of what, and of which level.

---- MODULE Naturals ----
Nat == {}
a + b == {a, b}
a - b == {a, b}
a * b == {a, b}
a ^ b == {a, b}
a < b == a = b
a > b == a = b
a \leq b == a = b
a \geq b == a = b
a % b == {a, b}
a \div b == {a, b}
a .. b == {a, b}
====

---- MODULE Integers ----
EXTENDS Naturals
Int == {}
-. a == a
====

---- MODULE Reals ----
EXTENDS Integers
Real == {}
a / b == {a, b}
Infinity == {}
====

---- MODULE Sequences ----
Seq(S) == S
Len(s) == s
s \o t == {s, t}
Append(s, e) == {s, e}
Head(s) == s
Tail(s) == s
SubSeq(s, m, n) == {s, m, n}
SelectSeq(s, Test(_)) == Test(s)
====

---- MODULE FiniteSets ----
IsFiniteSet(S) == S = {}
Cardinality(S) == S
====

---- MODULE Bags ----
EXTENDS TLC
IsABag(B) == B = {}
BagToSet(B) == B
SetToBag(S) == S
BagIn(e, B) == e = B
EmptyBag == {}
B1 (+) B2 == {B1, B2}
B1 (-) B2 == {B1, B2}
BagUnion(S) == S
B1 \sqsubseteq B2 == B1 = B2
SubBag(B) == B
BagOfAll(F(_), B) == F(B)
BagCardinality(B) == B
CopiesIn(e, B) == {e, B}
====

---- MODULE Randomization ----
RandomSubset(k, S) == {k, S}
RandomSetOfSubsets(k, n, S) == {k, n, S}
TestRandomSetOfSubsets(k, n, S) == {k, n, S}
====

---- MODULE RealTime ----
EXTENDS Reals
VARIABLE now
RTBound(A, v, D, E) == [][A /\ D = E]_v /\ [](now = now)
RTnow(v) == [][TRUE]_v /\ [](now = now)
====

---- MODULE TLC ----
Print(out, val) == val
PrintT(out) == TRUE
Assert(val, out) == val
JavaTime == {}
TLCGet(i) == i
TLCSet(i, v) == TRUE
d :> e == {d, e}
f @@ g == {f, g}
Permutations(S) == S
SortSeq(s, Op(_, _)) == Op(s, s)
RandomElement(s) == s
Any == {}
ToString(v) == v
TLCEval(v) == v
====

Apalache's own.

---- MODULE Apalache ----
x := e == x = e
Gen(size) == size
Guess(S) == S
Expand(S) == S
ConstCardinality(P) == P
Skolem(P) == P
SetAsFun(S) == S
FunAsSeq(f, length, most) == {f, length, most}
MkSeq(n, F(_)) == F(n)
Repeat(F(_, _), n, x) == F(n, x)
ApaFoldSet(Op(_, _), v, S) == Op(v, S)
ApaFoldSeqLeft(Op(_, _), v, S) == Op(v, S)
====

---- MODULE Variants ----
Variant(tag, v) == {tag, v}
VariantTag(variant) == variant
VariantFilter(tag, S) == {tag, S}
VariantGetUnsafe(tag, variant) == {tag, variant}
VariantGetOrElse(tag, variant, v) == {tag, variant, v}
====
