--------------------------- MODULE WbPlugPolicies ---------------------------
(***************************************************************************)
(* The variants of the flusher's plug that WbPlug can run, each a record   *)
(* of decisions, which are explained there.                                *)
(*                                                                         *)
(*   plug      where it begins: "inode", for each inode's I/O; "loop", in  *)
(*             writeback_sb_inodes, under list_lock; "outside", before it  *)
(*   finish    the lock, when it ends: "locked" or "dropped"; or "never"   *)
(*   resched   before a preemption it "stays" as it is, or it "flushes"    *)
(*   sleep     the same of the scheduler, before the task sleeps           *)
(*   next      the next inode is looked up on the "list", once the lock is *)
(*             taken again, or was "cached" before the lock was dropped    *)
(***************************************************************************)

\* Before 4.3, and the baseline of the thread: a plug in the ->writepages of each.
PlugPerInode ==
    [plug |-> "inode", finish |-> "dropped", resched |-> "stays", sleep |-> "flushes", next |-> "list"]

\* d353d7587d02, merged and reverted before 4.3-rc1.
FinishUnderLock == [PlugPerInode EXCEPT !.plug = "loop", !.finish = "locked"]

\* The first repair, which the thread is named after: the lock is dropped for it.
DropRetake == [PlugPerInode EXCEPT !.plug = "loop"]

\* The second (0ba13fd19d39, 505a666ee3fc): around the whole pass.
PlugOutside == [PlugPerInode EXCEPT !.plug = "outside"]

\* The third, of today (590dca3a7187).
FlushBeforeResched == [PlugOutside EXCEPT !.resched = "flushes"]

\* Controls: the next inode is kept across the drop of the lock
\* (list_for_each_entry_safe on b_io); the scheduler forgets the plug of a task that
\* sleeps; and nobody finishes it.
CachesNext     == [DropRetake EXCEPT !.next = "cached"]
SleepKeepsPlug == [FlushBeforeResched EXCEPT !.sleep = "stays"]
NeverFinished  == [FlushBeforeResched EXCEPT !.finish = "never"]
=============================================================================
