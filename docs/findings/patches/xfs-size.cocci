// xfs: a truncate looks at the size once direct I/O in flight has ended
//
// xfs_setattr_size() (xfs_vn_setattr_size() in 7.3) reads i_size, waits for
// direct I/O, and then zeroes from the size that it has read to the new one. An asynchronous direct write that
// makes the file longer does so when it ends, without the iolock. So what it
// has written and acknowledged is zeroed:
//
//   A: O_DIRECT [4096,8192) of a file of 4096 bytes, io_submit returns
//   T: ftruncate(8192): reads 4096, waits for A
//   A ends: i_size is 8192, the write is acknowledged
//   T zeroes [4096,8192), returns
//
// Nothing is logged, no call fails. Read i_size again after the wait, as
// xfs_file_fallocate() does since 249bd9087a52 ("xfs: properly serialise
// fallocate against AIO+DIO").
//
// Fixes: 9862f62faba8 ("xfs: allow appending aio writes")

@@
identifier function =~ "setattr_size$";
symbol inode, oldsize;
@@
 function(...)
 {
 <...
 inode_dio_wait(inode);
+/* Direct I/O that has ended meanwhile may have made the file longer. */
+oldsize = inode->i_size;
 ...>
 }
