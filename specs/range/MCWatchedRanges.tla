-------------------------- MODULE MCWatchedRanges --------------------------
(***************************************************************************)
(* WatchedRanges for TLC: each range waits for few others, which stay.     *)
(***************************************************************************)
EXTENDS WatchedRanges, RangeAsks

\* So many others a range may wait for (in the place of Nat).
Few == {0, 1}

\* A step, and for how many of them each range waits then.
FewStep == Watch /\ others' \in [Task -> Few]
FewSpec == WatchInit /\ [][FewStep]_<<vars, others>>
=============================================================================
