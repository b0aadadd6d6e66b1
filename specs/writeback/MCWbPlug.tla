------------------------------ MODULE MCWbPlug ------------------------------
(***************************************************************************)
(* WbPlug for TLC: probes.                                                 *)
(***************************************************************************)
EXTENDS WbPlug

\* Probes, which must be violated: there is I/O in the plug, somebody waits, the
\* flusher is preempted, it sleeps for room in the device, at the end of its plug
\* or before it is preempted, somebody has taken an inode off b_io, a pass whose plug
\* was broken off has one request more than that, and who waits is throttled.
NeverPlugged   == \A i \in File : i \notin plug
NeverThrottled == waits = 0
NeverPreempted == cpu # "preempted"
NeverFull      == ~(cpu = "asleep" /\ Finishing)
NeverDelayed   == ~(cpu = "asleep" /\ pc.flusher = "after")
NeverMoved     == moved = {}
NeverOneMore   == breaks > 0 => requests <= breaks
DirtierRuns    == pc.dirtier = "idle"

\* A fault to be found: I/O is plugged although nobody has begun a plug.
NoPlug == [FlushBeforeResched EXCEPT !.plug = "never"]

\* The same, in the place of Goes: list_lock is held for an inode's I/O.
KeepsLock(to) == [pc EXCEPT !.flusher = IF to = "pick" /\ next <= Files THEN "write" ELSE to]

\* Between two passes no plug is left.
PlugIsFinished == pc.flusher \in {"idle", "end"} => ~plugged

\* When all of a pass is issued: each inode is a request of its own; they are not
\* all one.
Issued    == pc.flusher = "end" /\ queue = {}
EachAlone == Issued => requests = Files
NeverOne  == Issued => requests # 1
=============================================================================
