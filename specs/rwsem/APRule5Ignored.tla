--------------------------- MODULE APRule5Ignored ---------------------------
(***************************************************************************)
(* APRwsem with the policy Rule5Ignored, spelled out for Apalache.         *)
(***************************************************************************)
EXTENDS APRwsem

\* @type: () => $policy;
OVERRIDE_Policy ==
    [shared |-> TRUE, barge |-> "nobody", spin |-> {},
     place |-> "join-writers-if-write-held", enqueue |-> "barred", wake |-> "front-batch",
     take |-> "never", handoff |-> FALSE, skip |-> FALSE]

\* It is the policy of module RwsemPolicies.
PolicyIsMeant == Policy = Rule5Ignored
=============================================================================
