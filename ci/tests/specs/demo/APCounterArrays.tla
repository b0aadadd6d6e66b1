---- MODULE APCounterArrays ----
\* APCounter, told to the solver in the other way.
EXTENDS APCounter
====
