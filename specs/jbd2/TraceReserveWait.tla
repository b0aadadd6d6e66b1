-------------------------- MODULE TraceReserveWait --------------------------
(***************************************************************************)
(* Recorded waits for reserved credits against ReserveWait: see Traces.    *)
(* No action is silent: the kernel is built to tell each of them.          *)
(***************************************************************************)
EXTENDS ReserveWait, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* The credits that are reserved, in reservations; and of a thread, by its name,
\* what it does now.
ReserveWaitShows(name) ==
    CASE name = "reserved" -> reserved
      [] OTHER             -> pc[CHOOSE t \in Thread : ToString(t) = name]
=============================================================================
