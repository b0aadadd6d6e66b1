---- MODULE Base ----
EXTENDS Naturals
CONSTANTS Size, Op(_), _ \oplus _
VARIABLE v
LOCAL Own == v' = v
Step == Own /\ v' = Op(Size)
Now == v = Size (+) 1
Ends == <>Now
Given(w) == w = v
====
