----------------------- MODULE FileAtomicityPolicies -----------------------
(***************************************************************************)
(* The choices of locks that FileAtomicity can run, each a record: what an *)
(* operation of each kind takes.                                           *)
(*                                                                         *)
(*   inode     the inode's lock: "none", "shared", "excl", or one of the   *)
(*             two states "buffered" and "direct", each shared with itself *)
(*   folio     folio locks: "none", "each" while it is copied, or "all" of *)
(*             the range before the first is copied                        *)
(*   range     a range lock: "none", "shared", "excl"                      *)
(*   segments  the bits of the segments: "none", "excl"                    *)
(*                                                                         *)
(* An operation is a "read" or a "write" through the page cache, a "dread" *)
(* or a "dwrite" past it, or one that takes "space" away: truncate or a    *)
(* punched hole.                                                           *)
(***************************************************************************)

Kind == {"read", "write", "dread", "dwrite", "space"}
Each(mode) == [k \in Kind |-> mode]
Lock(r, w, dr, dw, sp) ==
    [k \in Kind |->
        CASE k = "read" -> r [] k = "write" -> w [] k = "dread" -> dr [] k = "dwrite" -> dw
          [] k = "space" -> sp]

\* Nothing at all.
NoLock ==
    [inode |-> Each("none"), folio |-> Each("none"), range |-> Each("none"),
     segments |-> Each("none")]

\* ext4 of 6.18: filemap_read copies from a folio that is up to date without its lock;
\* direct writes that overwrite hold i_rwsem shared.
Ext4 ==
    [NoLock EXCEPT !.inode = Lock("none", "excl", "shared", "shared", "excl"),
                   !.folio = Lock("none", "each", "none", "none", "each")]

\* btrfs of 6.15 and later: buffered reads and writes as in ext4.  A direct read holds i_rwsem
\* shared until it meets what a buffered write has not finished (btrfs_dio_iomap_begin:
\* an ordered extent, ENOTBLK); the rest of it is filemap_read's, without a lock.  Direct
\* writes that overlap wait for each other's ordered extents, which is not modelled.
Btrfs == [Ext4 EXCEPT !.inode = Lock("none", "excl", "none", "shared", "excl")]

\* ext4, if a read took each folio's lock while it copies.
FolioLocks == [Ext4 EXCEPT !.folio = Lock("each", "each", "none", "none", "each")]

\* Folio batches: the locks of all folios of the range at once, and i_rwsem shared
\* (Chi Zhiling's request for comments of April 2025, for one block; Kent Overstreet 2019).
FolioBatch ==
    [NoLock EXCEPT !.inode = Lock("shared", "shared", "shared", "shared", "excl"),
                   !.folio = Lock("all", "all", "none", "none", "all")]

\* XFS of 6.18: xfs_file_buffered_read has IOLOCK_SHARED, xfs_file_buffered_write
\* IOLOCK_EXCL, direct I/O IOLOCK_SHARED.
Xfs ==
    [NoLock EXCEPT !.inode = Lock("shared", "excl", "shared", "shared", "excl"),
                   !.folio = Lock("none", "each", "none", "none", "each")]

\* The two-state lock of the same threads, with folio batches.
TwoState == [FolioBatch EXCEPT !.inode = Lock("buffered", "buffered", "direct", "direct", "excl")]

\* A range lock in the place of i_rwsem.
RangeLock ==
    [NoLock EXCEPT !.range = Lock("shared", "excl", "shared", "excl", "excl"),
                   !.folio = Lock("none", "each", "none", "none", "each")]

\* The segments' bits under i_rwsem shared, after Dave Chinner, January 2025, whose reads
\* and direct I/O may come to take them.
SegmentBits ==
    [NoLock EXCEPT !.inode = Lock("shared", "shared", "shared", "shared", "excl"),
                   !.segments = Lock("excl", "excl", "excl", "excl", "none"),
                   !.folio = Lock("none", "each", "none", "none", "each")]
=============================================================================
