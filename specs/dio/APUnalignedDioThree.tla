------------------------ MODULE APUnalignedDioThree ------------------------
(***************************************************************************)
(* The invariant of APUnalignedDio for three writes and two blocks of four *)
(* sectors.                                                                *)
(***************************************************************************)
EXTENDS APUnalignedDio

OVERRIDE_PerBlock == 4
OVERRIDE_Writers  == {"u", "v", "w"}
=============================================================================
