--------------------------- MODULE MCMpageLatency ---------------------------
(***************************************************************************)
(* MpageLatency for TLC: the variants, and probes.                         *)
(***************************************************************************)
EXTENDS MpageLatency, MpageLatencyPolicies

\* Probes, which must be violated: pages are written, a commit waits.
NeverWrites == pc.flusher # "start"
NeverWaits  == pc.commit # "wait"

\* The flusher is off the processor under its handle, whether it has pages
\* locked or not.
NeverOff == ~(pc.realtime = "runs" /\ handle)

\* No smaller bound of the waits of a commit will do: must be violated.
BelowPointsOfHandle == held < PointsOfHandle

\* For a state graph: without the histories, which decide nothing.
NoCount(n, max) == 0
Changes ==
    [pc |-> pc, next |-> next, locked |-> locked, bio |-> bio, handle |-> handle, point |-> point]
=============================================================================
