---------------------------- MODULE APBatchQueue ----------------------------
(***************************************************************************)
(* APRwsem with the policy BatchQueue, spelled out for Apalache.           *)
(***************************************************************************)
EXTENDS APRwsem

\* @type: () => $policy;
OVERRIDE_Policy ==
    [shared |-> TRUE, barge |-> "nobody", spin |-> {},
     place |-> "join-readers", enqueue |-> "barred", wake |-> "front-batch",
     take |-> "never", handoff |-> FALSE, skip |-> FALSE]

\* It is the policy of module RwsemPolicies.
PolicyIsMeant == Policy = BatchQueue
=============================================================================
