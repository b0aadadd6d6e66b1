--------------------------- MODULE MCXfsTwoLevel ---------------------------
(***************************************************************************)
(* XfsTwoLevel for TLC.                                                    *)
(***************************************************************************)
EXTENDS XfsTwoLevel

\* Probe, as in MCRwsem: tasks contend at both locks.
NeverAllContend ==
    ~(/\ \E r \in Readers : Inner!Contends(r)
      /\ \E w \in Writers : Outer!Contends(w)
      /\ \E w \in Writers : Inner!Contends(w))
\* The same for one lock.
NeverBothContend ==
    ~(/\ \E r \in Readers : Inner!Contends(r)
      /\ \E w \in Writers : Inner!Contends(w))
=============================================================================
