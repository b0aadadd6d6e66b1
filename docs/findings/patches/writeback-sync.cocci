// writeback: queue what is dirty before a sync writes anything
//
// A sync writes the inodes that were dirty when its work began: those that
// queue_io moves to b_io, by dirtied_when. But queue_io is called only when
// b_io is empty. What background writeback has left there is written first,
// which may take long, and until then an inode can get a dirtied_when that
// is later than the sync's: at the end of an fsync that does not write all
// of its pages (redirty_tail_locked), or when it leaves b_dirty_time. The
// sync passes it over, and returns 0:
//
//   background work leaves inodes on b_io
//   page 1 of T is written to              T is dirty
//   syncfs: its work begins, and writes what is on b_io
//   an fsync of T, begun before, ends      T is stamped anew
//   queue_io: T is younger than the sync, and stays
//   syncfs returns 0                       page 1 of T is not on the disk
//
// Queue at once what is dirty when the work of a sync begins; an inode that
// is queued (I_SYNC_QUEUED) keeps its place.
//
// Fixes: 846a3351ddfe ("writeback: Avoid skipping inode writeback")

@@
symbol wb, work, plug, dirtied_before;
@@
 wb_writeback(...)
 {
 ...
 blk_start_plug(&plug);
+ if (work->for_sync) {
+ 	spin_lock(&wb->list_lock);
+ 	queue_io(wb, work, dirtied_before);
+ 	spin_unlock(&wb->list_lock);
+ }
 ...
 }
