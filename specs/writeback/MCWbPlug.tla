------------------------------ MODULE MCWbPlug ------------------------------
(***************************************************************************)
(* WbPlug for TLC: probes.                                                 *)
(***************************************************************************)
EXTENDS WbPlug

\* Probes, which must be violated: there is I/O in the plug, somebody waits, the
\* flusher is preempted, it sleeps for room in the device, at the end of its plug
\* or before it is preempted, and somebody has taken an inode off b_io.
NeverPlugged   == \A i \in File : i \notin plug
NeverThrottled == waits = 0
NeverPreempted == cpu # "preempted"
NeverFull      == ~(cpu = "asleep" /\ Finishing)
NeverDelayed   == ~(cpu = "asleep" /\ pc.flusher = "after")
NeverMoved     == moved = {}

\* A fault to be found: I/O is plugged although nobody has begun a plug.
NoPlug == [FlushBeforeResched EXCEPT !.plug = "never"]

\* When all of a pass is issued: each inode is a request of its own; they are not
\* all one.
Issued    == pc.flusher = "end" /\ queue = {}
EachAlone == Issued => requests = Files
NeverOne  == Issued => requests # 1
=============================================================================
