// ext4: wait for direct I/O before a truncate that does not shrink
//
// A truncate that grows the file, or leaves its size as it is, zeroes what
// is behind EOF in the last block, and reads that block into the page
// cache for it. It waits for direct I/O in flight only if it shrinks the
// file. The page that it reads may thus hold what the block held before a
// direct write that is in flight, and is written back over it:
//
//   A: O_DIRECT [0,512), i_size is 1024    io_submit returns
//   T: ftruncate(4096)                     reads the old block, dirties it
//   A's data reach the disk
//   fsync                                  writes the old block, returns 0
//   A's event: 512 bytes                   A's bytes are the old ones
//
// If the page is still dirty when A completes, the kernel logs "Page cache
// invalidation failure on direct I/O", and the next fsync fails; if it is
// under writeback, nobody is told.
//
// Wait there too, if EOF is not at the end of a block. The lock is held
// alone, so that no direct write begins behind the wait.
//
// Fixes: c7fc0366c656 ("ext4: partial zero eof block on unaligned inode size extension")

@@
symbol inode, shrink, oldsize, i_sb, s_blocksize, i_mapping;
@@
 ext4_setattr(...)
 {
 <...
+ if (!shrink && (oldsize & (inode->i_sb->s_blocksize - 1)))
+ 	inode_dio_wait(inode);
  filemap_invalidate_lock(inode->i_mapping);
 ...>
 }
