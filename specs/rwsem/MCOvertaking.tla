---------------------------- MODULE MCOvertaking ----------------------------
(***************************************************************************)
(* Overtaking for TLC: symmetry, and a probe.                              *)
(***************************************************************************)
EXTENDS Overtaking, TLC

\* Tasks that no constant tells apart may be exchanged.
Symmetry ==
    Permutations(Readers \ Watch) \cup Permutations(Downgraders \ Watch)
        \cup Permutations((Writers \ Downgraders) \ Watch)

\* Probe, which must be violated: what a bound on overtaking is about is
\* reachable, somebody queues later than a watched waiter.
NobodyComesLater ==
    \A w \in Watch : pc[w] = "wait" => Range(queue) \ {w} \subseteq older[w]
=============================================================================
