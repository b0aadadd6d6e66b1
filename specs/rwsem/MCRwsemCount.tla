---------------------------- MODULE MCRwsemCount ----------------------------
(***************************************************************************)
(* RwsemCount for TLC.                                                     *)
(***************************************************************************)
EXTENDS RwsemCount, TLC

\* Probe, as in MCRwsem.
NeverBothContend ==
    ~((\E r \in Readers : pc[r] = "failed") /\ (\E w \in Writers : pc[w] = "failed"))

State == [count |-> count, list |-> list, waitlock |-> waitlock,
          granted |-> granted, chosen |-> chosen, plan |-> plan, pc |-> pc]

EmitPrint(action, args) ==
    PrintT(ToString(<<"E", action, args, State, State'>>))
=============================================================================
