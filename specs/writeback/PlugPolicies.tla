---------------------------- MODULE PlugPolicies ----------------------------
(***************************************************************************)
(* The variants of the flusher's plug that WbPlug can run, each a record   *)
(* of decisions, which are explained there.                                *)
(*                                                                         *)
(*   plug      where it begins: "inode", for each inode's I/O; "loop", in  *)
(*             writeback_sb_inodes, under list_lock; "outside", before it  *)
(*   finish    the lock, when it ends: "locked" or "dropped"; or "never"   *)
(*   resched   before a preemption it "stays" as it is, or it "flushes"    *)
(*   sleep     the same of the scheduler, before the task sleeps           *)
(***************************************************************************)

\* Before 4.3, and the baseline of the thread: a plug in do_writepages.
PlugPerInode == [plug |-> "inode", finish |-> "dropped", resched |-> "stays", sleep |-> "flushes"]

\* d353d7587d02 (4.3-rc1).
FinishUnderLock == [PlugPerInode EXCEPT !.plug = "loop", !.finish = "locked"]

\* The first repair, which the thread is named after: the lock is dropped for it.
DropRetake == [PlugPerInode EXCEPT !.plug = "loop"]

\* The second (0ba13fd19d39, 505a666ee3fc): around the whole pass.
PlugOutside == [PlugPerInode EXCEPT !.plug = "outside"]

\* The third, of today (590dca3a7187).
FlushBeforeResched == [PlugOutside EXCEPT !.resched = "flushes"]

\* Controls: the scheduler forgets the plug of a task that sleeps; and nobody
\* finishes it.
SleepKeepsPlug == [FlushBeforeResched EXCEPT !.sleep = "stays"]
NeverFinished  == [FlushBeforeResched EXCEPT !.finish = "never"]
=============================================================================
