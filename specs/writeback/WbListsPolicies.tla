--------------------------- MODULE WbListsPolicies --------------------------
(***************************************************************************)
(* The variants of writeback that WbLists can run, each a record of        *)
(* decisions, which are explained there.                                   *)
(*                                                                         *)
(*   queued   __mark_inode_dirty leaves an inode that the flusher has      *)
(*            queued where it is (I_SYNC_QUEUED)                           *)
(*   fsync    what writeback_single_inode does with a dirty inode's list   *)
(*   isync    what a sync does with an inode that somebody else writes: it *)
(*            "waits", or "skips" it; "first": as "waits", and nobody else *)
(*            begins with an inode that a sync has on b_io                 *)
(*   first    when the work of a sync queues inodes first                  *)
(*   stamp    when a sync gives an inode a new dirtied_when: "never"; if it*)
(*            is "marked" dirty again; or if a page is "tagged" too        *)
(*   tags     a sync tags the pages that it will write                     *)
(*   slice    background work writes so many pages of an inode and no more *)
(*   yields   background work stops when other work waits                  *)
(*   moves    an inode that gets on a list is taken off the last           *)
(*   requeue  an inode that is still dirty gets on a list again            *)
(***************************************************************************)

\* Linux; read: 6.12.107, 1b23b9f8 of CachyOS, 7.3.4.
Upstream == [queued |-> TRUE, fsync |-> "requeues", isync |-> "waits", first |-> "if-empty",
             stamp |-> "marked", tags |-> TRUE, slice |-> TRUE, yields |-> TRUE,
             moves |-> TRUE, requeue |-> TRUE]

\* The cure: the work of a sync queues inodes before it does anything else.
QueueAtOnce == [Upstream EXCEPT !.first = "at-once"]

\* And the cure of its end: a dirty page is enough for a new dirtied_when, and no
\* other writer comes before a sync at an inode that the sync has queued.
SyncFirst == [QueueAtOnce EXCEPT !.stamp = "tagged", !.isync = "first"]

\* Controls: half of it.
StampsTagged == [QueueAtOnce EXCEPT !.stamp = "tagged"]
ISyncFirst   == [QueueAtOnce EXCEPT !.isync = "first"]

\* Before May 2022 (846a3351ddfe), where dirty timestamps are written without
\* mark_inode_dirty_sync, as before 2021.
NoFsyncRequeue == [Upstream EXCEPT !.fsync = "leaves"]

\* Before 5.9 (5afced3bf281).
NoSyncQueued == [NoFsyncRequeue EXCEPT !.queued = FALSE]

\* Control of what 4f8ad655dbc8 keeps.
SkipISyncOnSync == [QueueAtOnce EXCEPT !.isync = "skips"]

\* Before 94c3dcbb0b0c (2011), which completes b9543dac5bbc.
NoDirtiedWhenUpdate == [QueueAtOnce EXCEPT !.stamp = "never"]

\* Before f446daaea9d4 (2010).
NoTaggedWritepages == [QueueAtOnce EXCEPT !.tags = FALSE]

\* Controls.
NoSlice     == [QueueAtOnce EXCEPT !.slice = FALSE]
NeverYields == [QueueAtOnce EXCEPT !.yields = FALSE]
TwoLists    == [QueueAtOnce EXCEPT !.moves = FALSE]
DropsDirty  == [QueueAtOnce EXCEPT !.requeue = FALSE]
=============================================================================
