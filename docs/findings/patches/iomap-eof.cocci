// iomap: a direct write that ends at EOF is no pure overwrite
//
// XFS gives IOMAP_DIO_OVERWRITE_ONLY to an unaligned direct write under the
// shared lock, so that iomap refuses it if it needs more than to overwrite
// written blocks; it is tried again with the lock held alone. A write that
// ends exactly at EOF is not refused, though iomap zeroes the rest of its
// last block. XFS itself looks whether a write reaches EOF, but before it
// has the lock, and a truncate may come between:
//
//   T: ftruncate(512), of 8192, holds the lock
//   A: O_DIRECT [0,512): not at EOF, waits for the lock
//   T returns; A has the lock shared, submits, io_submit returns
//   B: O_DIRECT [0,4096), fsync            both return
//   A's data and zeroes reach the disk     B's [512,4096) is zero
//
// Nothing is logged, no call fails. Refuse a write that ends at EOF too.
//
// Fixes: ed1128c2d0c8 ("xfs: reduce exclusive locking on unaligned dio")

@@
symbol iomi, dio, pos, len, i_size;
@@
 __iomap_dio_rw(...)
 {
 <...
  iomi.pos >= dio->i_size ||
- iomi.pos + iomi.len > dio->i_size
+ iomi.pos + iomi.len >= dio->i_size
 ...>
 }
