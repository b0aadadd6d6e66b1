--------------------------- MODULE APRule3NoGuard ---------------------------
(***************************************************************************)
(* APRwsem with the policy Rule3NoGuard, spelled out for Apalache.         *)
(***************************************************************************)
EXTENDS APRwsem

\* @type: () => $policy;
OVERRIDE_Policy ==
    [shared |-> TRUE, barge |-> "nobody", spin |-> {},
     place |-> "join-writers-if-read-held", enqueue |-> "barred", wake |-> "front-batch",
     take |-> "never", handoff |-> FALSE, skip |-> FALSE]

\* Four places in the queue, which is quicker.
OVERRIDE_MaxTasks == 4

\* It is the policy of module RwsemPolicies.
PolicyIsMeant == Policy = Rule3NoGuard
=============================================================================
