--------------------------- MODULE TraceKernelDio ---------------------------
(***************************************************************************)
(* Direct writes of a running kernel, and truncates beside them, against   *)
(* UnalignedDio: see Traces, and docs/kernel-traces.md for what makes      *)
(* which step.                                                             *)
(*                                                                         *)
(* No event tells that inode_dio_wait is over: Drain is silent.  Neither   *)
(* does one tell when an I/O is done; nothing that is seen depends on it,  *)
(* so a Complete is where the I/O was submitted, and so is an EndIo that   *)
(* converts no block.                                                      *)
(***************************************************************************)
EXTENDS MCUnalignedDio, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* IOMAP_DIO_OVERWRITE_ONLY, as xfs_file_dio_write_unaligned sets it.
Flag(r) == Policy.flag = "heeded" /\ held[r] = "shared" /\ Unaligned(r)

\* "size"; "extent 0"; of a request "held r1", "wait r1" (FORCE_WAIT), "flag r1",
\* and "drains r1": it is about to call inode_dio_wait.
KernelDioShows(name) ==
    LET Is(what, x) == name = what \o " " \o x
        The(what)   == CHOOSE r \in Request : Is(what, r)
    IN CASE name = "size" -> size
         [] \E b \in Block : Is("extent", ToString(b)) ->
                extent[CHOOSE b \in Block : Is("extent", ToString(b))]
         [] \E r \in Request : Is("held", r) -> held[The("held")]
         [] \E r \in Request : Is("wait", r) -> plan[The("wait")].wait
         [] \E r \in Request : Is("flag", r) -> Flag(The("flag"))
         [] \E r \in Request : Is("drains", r) -> pc[The("drains")] = "drain"
=============================================================================
