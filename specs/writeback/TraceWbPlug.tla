----------------------------- MODULE TraceWbPlug -----------------------------
(***************************************************************************)
(* Recorded passes of a flusher against WbPlug: see Traces.  No action is  *)
(* silent: the code takes each of them as one step.                        *)
(***************************************************************************)
EXTENDS MCWbPlug, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* What the flusher's pages show of the state: how many are in the plug, and how
\* many requests the device has, and has got in this pass.
WbPlugShows(name) ==
    CASE name = "plug"     -> Cardinality(plug)
      [] name = "flying"   -> Cardinality(flying)
      [] name = "requests" -> requests
=============================================================================
