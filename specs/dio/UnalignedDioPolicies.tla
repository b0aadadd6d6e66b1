------------------------ MODULE UnalignedDioPolicies ------------------------
(***************************************************************************)
(* The designs of direct writes that UnalignedDio can run, each a record   *)
(* of decisions.  What each value means is said in UnalignedDio, under     *)
(* "The decisions".                                                        *)
(*                                                                         *)
(*   first      who asks for the lock exclusively at once                  *)
(*   overwrite  what the check of the mapping calls an overwrite           *)
(*   share      who keeps the shared lock after that check                 *)
(*   recheck    the check is repeated after an upgrade of the lock         *)
(*   drain      which exclusive writers wait for i_dio_count to reach 0    *)
(*   wait       which exclusive writers wait for their own I/O             *)
(*   nowait     which NOWAIT writes are refused though they hold the lock  *)
(*   flag       IOMAP_DIO_OVERWRITE_ONLY on unaligned shared writes        *)
(*   retry      what follows when the flag has stopped a write             *)
(*   reaching   an unaligned write that ends at EOF counts as extending    *)
(*   eof        a write that begins at or beyond EOF is as good as aligned *)
(*   alloc      the state of a block that a write has just allocated       *)
(*   trim       a failed write frees the blocks behind EOF                 *)
(*   fallback   whether a buffered write, or a fallback to it, drains      *)
(*   tail       which writes zero the rest of a block that is not new      *)
(*   grow       what happens to EOF's block when the file grows past it    *)
(*   free       how truncate and punch exclude direct I/O                  *)
(***************************************************************************)

\* ext4 from Linux 6.5 (310ee0902b8d) up to c7fc0366c656; the flag was gone in 6.6
\* (194505b55dd7).  Shared first; the check decides all, and is repeated; a
\* buffered write waits for nobody.
Final65 ==
    [first |-> "extending", overwrite |-> "allocated", share |-> "overwrite-no-zeroing",
     recheck |-> TRUE, drain |-> "zeroing", wait |-> "unaligned-or-extending",
     nowait |-> "exclusive", flag |-> "none", retry |-> "never",
     reaching |-> FALSE, eof |-> FALSE,
     alloc |-> "by-size", trim |-> TRUE, fallback |-> "no-drain", free |-> "exclusive-drained",
     tail |-> "at-eof", grow |-> "size"]

\* The same with IOMAP_DIO_OVERWRITE_ONLY, in a file system that heeds it.
Final65Flag == [Final65 EXCEPT !.flag = "heeded"]

\* ext4 from Linux 5.6 to 6.2: an unaligned write is exclusive from the start.  (It
\* refuses NOWAIT from 5.8 on, 6e014c621e72; stable ones drain in the fallback since
\* they took 15cdefd0c052, as 6.1.188 has.)
Pre61 == [Final65 EXCEPT !.first = "extending-or-unaligned", !.overwrite = "mapped",
                         !.share = "overwrite", !.drain = "unaligned",
                         !.nowait = "all"]

\* ext4 in 6.3 and 6.4 (240930fb7e6b): the same lock, but an overwrite means
\* allocated blocks, unwritten included.
Allocated63 == [Pre61 EXCEPT !.overwrite = "allocated"]

\* The RFC of the thread, on 6.2 and on 6.3.  ext4 does not look at its flag, and
\* iomap compares with i_size alone.
RfcOn62 == [Pre61 EXCEPT !.first = "extending", !.flag = "ignored"]
RfcOn63 == [Allocated63 EXCEPT !.first = "extending", !.flag = "ignored"]

\* ext4 with c7fc0366c656 (6.13, 6.12.5, 6.6.70): a truncate up, and a buffered write
\* that begins behind EOF, zero the rest of EOF's block in the page cache.
Final612 == [Final65 EXCEPT !.grow = "page"]

\* ext4 in stable 7.2.13, 6.18.52, 6.12.110 and 6.6.157, with 15cdefd0c052 of 7.3:
\* ext4_buffered_write_iter drains.
Drained72 == [Final612 EXCEPT !.fallback = "drain"]

\* ext4 in 7.3 (07961ebb09c9, 63b314a7795e): only partial blocks matter, also to
\* who has the exclusive lock: one that need not zero any more neither drains
\* nor waits for its own I/O.
Zeroing73 == [Drained72 EXCEPT !.overwrite = "partial-mapped", !.share = "overwrite",
                               !.drain = "needs-zeroing",
                               !.wait = "needs-zeroing-or-extending"]

\* XFS since 5.12 (ed1128c2d0c8): shared and optimistic; the flag makes
\* xfs_direct_write_iomap_begin stop a write that is no overwrite, and the
\* write is tried again, exclusively.  Direct writes allocate unwritten blocks
\* everywhere; what a failed one has allocated stays, unwritten.  A truncate looks at
\* i_size before inode_dio_wait, in all of the rack's kernels.
XfsOptimistic ==
    [Final65 EXCEPT !.first = "unaligned-reaching-eof", !.share = "always",
                    !.drain = "unaligned", !.wait = "unaligned",
                    !.flag = "heeded", !.retry = "exclusive",
                    !.alloc = "unwritten", !.trim = FALSE, !.grow = "seen-drained"]

-----------------------------------------------------------------------------
(* Controls: each leaves one thing out.                                    *)

AlwaysShared         == [Final65 EXCEPT !.share = "always"]
SharedDrain          == [Final65 EXCEPT !.share = "always", !.drain = "unaligned-even-shared"]
ExclNoDioWait        == [Final65 EXCEPT !.drain = "never"]
NoForceWait          == [Final65 EXCEPT !.wait = "extending"]
Zeroing73NoDioWait   == [Zeroing73 EXCEPT !.drain = "never"]
XfsRetryNoDioWait    == [XfsOptimistic EXCEPT !.drain = "never"]
XfsNoRetry           == [XfsOptimistic EXCEPT !.retry = "never"]
XfsRetryShared       == [XfsOptimistic EXCEPT !.retry = "shared"]
IgnoreOverwriteOnly  == [XfsOptimistic EXCEPT !.flag = "ignored"]

\* What the first check saw is carried over the gap between the two locks, the
\* mapping included.
NoRecheckAfterUpgrade == [Final65 EXCEPT !.recheck = FALSE]

\* Without the wait of 57a0da28ced8 (5.2), and without the serialisation of a
\* write beyond EOF of 372a03e01853 (5.1) as well.
SkipBeyondEOF == [NoForceWait EXCEPT !.eof = TRUE]

\* A truncate or a punch that does not wait for direct I/O in flight; and one
\* that changes the mapping under the shared lock, with the flag and without.
PunchNoDioWait     == [Final65 EXCEPT !.free = "exclusive"]
PunchShared        == [Final65 EXCEPT !.free = "shared"]
PunchSharedFlag    == [Final65Flag EXCEPT !.free = "shared"]

\* A NOWAIT write is not refused where it has to drain.
NowaitDrains == [Final65 EXCEPT !.nowait = "none"]

\* Blocks are allocated as written, before their data are there.
AllocWritten == [Final65 EXCEPT !.alloc = "written"]

\* What a failed write has allocated behind EOF, as written, stays there.
NoTrim == [Final65 EXCEPT !.trim = FALSE]

\* The cure for what Final65, Zeroing73 and XfsOptimistic admit at the end of
\* the file: a write that ends exactly there, and so zeroes the rest of its
\* block, counts as extending, and is looked for under the lock.
Final65Eof   == [Final65 EXCEPT !.reaching = TRUE]
Zeroing73Eof == [Zeroing73 EXCEPT !.reaching = TRUE]
XfsEof       == [XfsOptimistic EXCEPT !.reaching = TRUE]

\* The cure for what XfsOptimistic does to an append beside a truncate: the truncate
\* looks at i_size once it has waited.  And both cures.
XfsLooksLate == [XfsOptimistic EXCEPT !.grow = "drained"]
XfsCured     == [XfsEof EXCEPT !.grow = "drained"]

\* What was tried on 6.12.107, alone and together: that cure; iomap's test of the
\* tail with `>` for `>=`; and inode_dio_wait in a truncate that does not shrink,
\* where EOF lies within a block.
Final612Eof   == [Final612 EXCEPT !.reaching = TRUE]
Final612Tail  == [Final612 EXCEPT !.tail = "behind-eof"]
Final612Grow  == [Final612 EXCEPT !.grow = "truncate-drained"]
Final612Cured == [Final612Eof EXCEPT !.grow = "truncate-drained"]

\* A fallback that drains without keeping others out.
FallbackDrainsShared == [Drained72 EXCEPT !.fallback = "drain-shared"]

\* The same where a buffered write drains, as in 6.12.110 and 7.2.13.
Drained72Eof   == [Drained72 EXCEPT !.reaching = TRUE]
Drained72Grow  == [Drained72 EXCEPT !.grow = "truncate-drained"]
Drained72Cured == [Drained72Eof EXCEPT !.grow = "truncate-drained"]

\* And of 7.3.
Zeroing73Grow  == [Zeroing73 EXCEPT !.grow = "truncate-drained"]
Zeroing73Cured == [Zeroing73Eof EXCEPT !.grow = "truncate-drained"]

\* A direct write that begins behind EOF zeroes the rest of EOF's block, as others do.
Drained72Append == [Drained72 EXCEPT !.grow = "page-always"]
Zeroing73Append == [Zeroing73 EXCEPT !.grow = "page-always"]
=============================================================================
