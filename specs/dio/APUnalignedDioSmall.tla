------------------------- MODULE APUnalignedDioSmall ------------------------
(***************************************************************************)
(* Two asynchronous writes and blocks of two sectors, from Init: the       *)
(* corruption of RfcOn63, where the sectors of the writes and the state of *)
(* the block are left open.                                                *)
(***************************************************************************)
EXTENDS APUnalignedDio

OVERRIDE_PerBlock == 2
OVERRIDE_Writers  == {"a", "C"}

Aio(from, to) ==
    [kind |-> "write", from |-> from, to |-> to, async |-> TRUE, nowait |-> FALSE,
     cached |-> FALSE, fails |-> FALSE]

\* Any two in one block, before EOF.
AnyTwo ==
    /\ \E from \in [Writers -> {0, 1}], to \in [Writers -> {0, 1}] :
          /\ \A r \in Writers : from[r] <= to[r]
          /\ Calls = [r \in Writers |-> Aio(from[r], to[r])]
    /\ \E state \in {"hole", "unwritten", "written"} :
          Extents = [b \in {0, 1} |-> IF b = 0 THEN state ELSE "written"]
    /\ Length = 4

RfcOn63AnyTwo == Policy = RfcOn63 /\ AnyTwo

\* Some of Next, for a witness in short time: `a` submits its I/Os, `C` does and
\* is acknowledged, and then those of `a` complete.
Submits(r) == Call(r) \/ Lock(r) \/ Check(r) \/ Begin(r) \/ Map(r)
Completes(r) == \E bio \in Bio : Complete(r, bio.part, bio.block)
InTurn ==
    \/ Submits("a")
    \/ pc["a"] = "unlock" /\ Submits("C")
    \/ pc["C"] = "unlock" /\ (Completes("C") \/ EndIo("C") \/ DioEnd("C"))
    \/ result["C"] = "ok" /\ Completes("a")
=============================================================================
