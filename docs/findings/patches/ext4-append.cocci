// ext4: zero what lies behind EOF before a direct write that begins there
//
// mmap may leave something behind EOF in the page of the last block. Who
// grows the file past it has to zero it: a truncate, fallocate and a
// buffered write do. A direct write that begins behind EOF does not, and
// what was left is in the file as soon as i_size grows:
//
//   the size is 512
//   mmap: byte 1000 of the page = 'M'      behind EOF
//   O_DIRECT [4096,8192)                   returns, i_size is 8192
//   read of byte 1000                      'M'; after fsync on the disk too
//
// A file that grows has zeroes where nothing was written to it.
//
// Zero the rest of the last block there too. The lock is held alone, as
// the write extends the file.
//
// Fixes: c7fc0366c656 ("ext4: partial zero eof block on unaligned inode size extension")

@zeroes_eof@
@@
 ext4_block_zero_eof(...)

// Where it is there: in 7.3, not in 6.12.
@depends on zeroes_eof@
symbol inode, offset, ret, handle, extend, out;
@@
 ext4_dio_write_iter(...)
 {
 <...
 if (extend) {
+ 	if (offset > i_size_read(inode)) {
+ 		ret = ext4_block_zero_eof(inode, i_size_read(inode), offset);
+ 		if (ret)
+ 			goto out;
+ 	}
 	handle = ext4_journal_start(...);
 	...
 }
 ...>
 }

// Where it is not.
@depends on !zeroes_eof@
symbol inode, offset, ret, handle, extend, out;
@@
 ext4_dio_write_iter(...)
 {
 <...
+ if (offset > i_size_read(inode)) {
+ 	ret = ext4_zero_partial_blocks(handle, inode, i_size_read(inode),
+ 				       offset - i_size_read(inode));
+ 	if (ret) {
+ 		ext4_journal_stop(handle);
+ 		goto out;
+ 	}
+ }
 ret = ext4_orphan_add(handle, inode);
 ...>
 }
