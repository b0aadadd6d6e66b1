------------------------------ MODULE MCWbPlug ------------------------------
(***************************************************************************)
(* WbPlug for TLC: probes.                                                 *)
(***************************************************************************)
EXTENDS WbPlug

\* Probes, which must be violated: there is I/O in the plug, somebody waits, the
\* flusher is preempted, it sleeps for room in the device, at the end of its plug
\* or before it is preempted, somebody has taken an inode off b_io, a pass whose plug
\* was broken off has one request more than that, who waits is throttled, and a pass
\* begins.
NeverPlugged   == \A i \in File : i \notin plug
NeverThrottled == waits = 0
NeverPreempted == cpu # "preempted"
NeverFull      == ~(cpu = "asleep" /\ Finishing)
NeverDelayed   == ~(cpu = "asleep" /\ pc.flusher = "after")
NeverMoved     == moved = {}
NeverOneMore   == breaks > 0 => requests <= breaks
DirtierRuns    == pc.dirtier = "idle"
NeverBegins    == pc.flusher = "idle"

\* A fault to be found: I/O is plugged although nobody has begun a plug.
NoPlug == [FlushBeforeResched EXCEPT !.plug = "never"]

\* The same, in the place of Goes: list_lock is held for an inode's I/O.
KeepsLock(to) == [pc EXCEPT !.flusher = IF to = "pick" /\ next <= Files THEN "write" ELSE to]

\* Between two passes no plug is left, and list_lock is not held.
PlugIsFinished == pc.flusher \in {"idle", "end"} => ~plugged
LockIsDropped  == pc.flusher \in {"idle", "end"} => ~locked

\* A pass that has begun ends.
PassEnds == pc.flusher # "idle" ~> pc.flusher = "idle"

\* When all of a pass is issued: each inode is a request of its own; they are not
\* all one.
Issued    == pc.flusher = "end" /\ queue = {}
EachAlone == Issued => requests = Files
NeverOne  == Issued => requests # 1

\* A fault to be found: a pass whose plugs are the inodes' ends with list_lock held, as
\* if it had a plug to finish under it.
EndsLocked == [PlugPerInode EXCEPT !.finish = "locked"]
=============================================================================
