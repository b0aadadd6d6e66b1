------------------------ MODULE APUnalignedDioThree ------------------------
(***************************************************************************)
(* The invariant of APUnalignedDio for three writes and two blocks of four *)
(* sectors, a step at a time.                                              *)
(*                                                                         *)
(* The steps are those of one write, u: neither the invariant nor Next nor *)
(* what is left open tells the writes apart, so that u's steps stand for   *)
(* those of all three.                                                     *)
(***************************************************************************)
EXTENDS APUnalignedDio

OVERRIDE_PerBlock == 4
OVERRIDE_Writers  == {"u", "v", "w"}

StepCall     == Call("u") \/ Lock("u") \/ LockFails("u")
StepCheck    == Check("u")
StepDrain    == Drain("u") \/ Begin("u") \/ FallBack("u")
StepMap      == Map("u")
StepUnlock   == Retry("u") \/ Unlock("u") \/ Fill("u") \/ Flush("u") \/ Free("u")
StepComplete == \E bio \in Bio : Complete("u", bio.part, bio.block)
StepFail     == \E bio \in Bio : Fail("u", bio.part, bio.block)
StepEndIo    == EndIo("u")
StepDioEnd   == DioEnd("u")
StepAny ==
    \/ StepCall \/ StepCheck \/ StepDrain \/ StepMap \/ StepUnlock
    \/ StepComplete \/ StepFail \/ StepEndIo \/ StepDioEnd
=============================================================================
