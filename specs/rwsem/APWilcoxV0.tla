----------------------------- MODULE APWilcoxV0 -----------------------------
(***************************************************************************)
(* APRwsem with the policy WilcoxV0, spelled out for Apalache.             *)
(***************************************************************************)
EXTENDS APRwsem

\* @type: () => $policy;
OVERRIDE_Policy ==
    [shared |-> TRUE, barge |-> "nobody", spin |-> {"W"},
     place |-> "tail", enqueue |-> "barred", wake |-> "everybody",
     take |-> "writers-anywhere", handoff |-> FALSE, skip |-> TRUE]

\* It is the policy of module RwsemPolicies.
PolicyIsMeant == Policy = WilcoxV0
=============================================================================
