// ext4: take the lock alone for an unaligned direct write that ends at EOF
//
// An unaligned direct write of written blocks shares i_rwsem, and gives it
// back when its I/O is submitted. If it ends exactly at i_size, iomap
// zeroes the rest of the last block too, as mmap may have left something
// behind EOF. These zeroes are in flight when the lock is given back.
// Whoever grows the file then (an aligned direct write, truncate) does not
// wait for them, and the write that follows finds its block written and
// inside the file, so that it shares the lock as well:
//
//   A: O_DIRECT [0,512), i_size is 512     io_submit returns
//   X: O_DIRECT [4096,8192)                returns, i_size is 8192
//   B: O_DIRECT [512,4096), fsync          both return
//   A's data and zeroes reach the disk     B's bytes are zero
//
// No two of these writes have a byte in common, all of them and fsync
// succeed, and nothing is logged.
//
// Take a write that ends at EOF for one that zeroes: it has the lock
// alone, and waits for its I/O. io_submit of such a write waits, as it did
// before 6.5; io_uring submits it from a worker.
//
// Fixes: 310ee0902b8d ("ext4: allow concurrent unaligned dio overwrites")

// Up to 7.2. The wait for its I/O follows, as it is unaligned; no drain is
// needed: what is in flight under the shared lock ends below i_size, which
// comes nearer only after a wait.
@@
symbol inode, offset, count, unaligned_io, unwritten;
@@
 ext4_dio_write_checks(...)
 {
 <...
- unaligned_io && *unwritten
+ unaligned_io && (*unwritten || offset + count >= i_size_read(inode))
 ...>
 }

// From 7.3 on.
@@
symbol inode, pos, len;
@@
 ext4_dio_needs_zeroing(...)
 {
 <...
- pos + len > i_size_read(inode)
+ pos + len >= i_size_read(inode)
 ...>
 }
