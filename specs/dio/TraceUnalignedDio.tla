-------------------------- MODULE TraceUnalignedDio --------------------------
(***************************************************************************)
(* Recorded direct I/O to one file against UnalignedDio: see Traces.       *)
(***************************************************************************)
EXTENDS MCUnalignedDio, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* A step on what the requests share shows all of that but the device's
\* sectors; a Lock, whether it is exclusive.
UnalignedDioShows(name) ==
    CASE name = "extent"    -> extent
      [] name = "size"      -> size
      [] name = "dio"       -> dio
      [] name = "exclusive" -> \E r \in Request : held[r] = "exclusive"
=============================================================================
