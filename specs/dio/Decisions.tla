----------------------------- MODULE Decisions -----------------------------
(***************************************************************************)
(* What a request for direct I/O is, what there is of its file when it is  *)
(* looked at, and the decisions about it: which lock, whether to drain, to *)
(* zero, to wait.  Module UnalignedDioPolicies says how each design        *)
(* decides, and UnalignedDio what is done then, where two more choices     *)
(* stand: to look again (Check) and to try again (Retry).                  *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, UnalignedDioPolicies

CONSTANTS
    Policy,     \* the design: one of the records of module UnalignedDioPolicies
    Calls,      \* the requests: name -> [kind, from, to: the first and last sector,
                \*    async, nowait, cached: the page cache cannot be invalidated
                \*    (of writes without nowait), fails: its I/O may fail]
    Extents,    \* block -> its state at the start, see TypeOK
    Length,     \* i_size at the start, in sectors
    PerBlock    \* sectors in a block

Request == DOMAIN Calls
Block   == DOMAIN Extents
Sector  == 0 .. PerBlock * Cardinality(Block) - 1

VARIABLES
    \* the file
    extent,     \* block -> "hole", "unwritten", "written"
    disk,       \* sector -> what the device holds there
    size,       \* i_size, in sectors
    dio,        \* i_dio_count
    cache,      \* the dirty pages of the page cache: sector -> content
    \* the requests
    pc,         \* what each request's caller is doing, see TypeOK
    held,       \* how it holds i_rwsem: "none", "shared", "exclusive"
    ahead,      \* who asked for the lock before it, and waits too (if Fifo)
    plan,       \* how it wants the lock, and what it will do under it
    next,       \* the next block to be mapped
    bios,       \* its I/Os in flight
    convert,    \* blocks to be made written when all its I/Os are done
    io,         \* "none", "flying", "converted", "ended": see EndIo, DioEnd
    failed,     \* one of its I/Os has failed
    buffer,     \* what a read has read: sector -> content
    retries,    \* how often it was stopped by the flag
    result,     \* what the caller got: "none" (yet), "ok", "EAGAIN", "EIO"
    \* history, for the oracle
    current,    \* sector -> the requests whose value it may have
    older,      \* request -> those acknowledged before it was called
    may         \* read -> sector -> the requests whose value it may return

-----------------------------------------------------------------------------
(* Requests and blocks.                                                    *)

\* The requests that may be made again.
\* @type: Set(Str);
Repeats      == {}

Kind(r)      == Calls[r].kind         \* "write", "buffered", "read", "punch", "truncate"
Async(r)     == Calls[r].async
Nowait(r)    == Calls[r].nowait
Writes       == {r \in Request : Kind(r) \in {"write", "buffered"}}
Reads        == {r \in Request : Kind(r) = "read"}

BlockOf(s)   == s \div PerBlock
FirstBlock(r) == BlockOf(Calls[r].from)
LastBlock(r) == BlockOf(Calls[r].to)
Blocks(r)    == {b \in Block : FirstBlock(r) <= b /\ b <= LastBlock(r)}
Range(r)     == {s \in Sector : Calls[r].from <= s /\ s <= Calls[r].to}
End(r)       == Calls[r].to + 1       \* the position behind the last sector
In(b)        == {s \in Sector : BlockOf(s) = b}

\* A truncate makes `from` the size, and empties all from there on.
Puts(r) == CASE Kind(r) = "truncate" -> {s \in Sector : s >= Calls[r].from}
             [] Kind(r) = "read"     -> {}
             [] OTHER                -> Range(r)

Grows(r)      == End(r) > size
ReachesEof(r) == End(r) >= size
BeginsBehind(r) == Calls[r].from > size

\* ext4_unaligned_io, of the position on disk.
Unaligned(r) ==
    /\ Calls[r].from % PerBlock # 0 \/ End(r) % PerBlock # 0
    /\ ~(Policy.eof /\ Calls[r].from >= size)

\* ext4_extending_io.  A write that ends exactly at EOF does not grow the file,
\* but zeroes the rest of its block.
Extends(r) == Grows(r) \/ (Policy.reaching /\ Unaligned(r) /\ ReachesEof(r))

\* The blocks that r covers in part.
Partial(r) == {b \in Blocks(r) : ~(In(b) \subseteq Range(r))}

\* The sectors of an I/O: a pad is the rest of its block, before the first or
\* behind the last sector of the request.
\* @type: (Str, { part: Str, block: Int }) => Set(Int);
Covers(r, bio) ==
    CASE bio.part = "head" -> {s \in In(bio.block) : s < Calls[r].from}
      [] bio.part = "tail" -> {s \in In(bio.block) : s > Calls[r].to}
      [] OTHER             -> In(bio.block) \cap Range(r)

\* @type: ({ part: Str, block: Int }) => Bool;
Pad(bio) == bio.part \in {"head", "tail"}

-----------------------------------------------------------------------------
(* The decisions in which the designs differ.                              *)

\* XFS will have to zero where a write, direct or not, begins behind EOF: it takes
\* the lock exclusively, and calls inode_dio_wait (xfs_file_write_zero_eof).
DrainsToZero(r) == Policy.grow \in {"drained", "seen-drained"} /\ BeginsBehind(r)

\* 0. FALLBACK: how a buffered write, or a fallback to one, holds the lock, and
\* whether it calls inode_dio_wait then.
BufferedMode == IF Policy.fallback = "drain-shared" THEN "shared" ELSE "exclusive"
BufferedDrains(r) == Policy.fallback # "no-drain" \/ DrainsToZero(r)

\* 1. FIRST: the lock that a request asks for when it is called, after a look
\* at i_size without any lock.
WriteFirst(r) ==
    LET exclusively ==
        CASE Policy.first = "extending" -> Extends(r)
          [] Policy.first = "extending-or-unaligned" -> Extends(r) \/ Unaligned(r)
          [] Policy.first = "unaligned-reaching-eof" -> Unaligned(r) /\ ReachesEof(r)
    IN IF exclusively THEN "exclusive" ELSE "shared"
First(r) ==
    CASE Kind(r) = "write" -> WriteFirst(r)
      [] Kind(r) = "read"  -> "shared"
      [] Kind(r) = "buffered" -> BufferedMode
      [] OTHER -> IF Policy.free = "shared" THEN "shared" ELSE "exclusive"

\* 2. OVERWRITE: ext4_overwrite_io, ext4_dio_needs_zeroing.  The first two look
\* up one extent, so that all blocks must be in one state.
Overwrite(r) ==
    /\ ~Extends(r)
    /\ CASE Policy.overwrite = "mapped" ->
              \A b \in Blocks(r) : extent[b] = "written"
         [] Policy.overwrite = "allocated" ->
              \E state \in {"unwritten", "written"} :
                  \A b \in Blocks(r) : extent[b] = state
         [] Policy.overwrite = "partial-mapped" ->
              \A b \in Partial(r) : extent[b] = "written"

\* A block that the write covers in part will have to be zeroed.
Zeroes(r) == Unaligned(r) /\ \E b \in Blocks(r) : extent[b] = "unwritten"

\* The same where only partial blocks matter, as 7.3 asks it of a write that has
\* the exclusive lock.
NeedsZeroing(r) == Unaligned(r) /\ ~Overwrite(r)

\* 3. SHARE: may r go on under the shared lock?
MayShare(r) ==
    CASE Policy.share = "always" -> ~DrainsToZero(r)
      [] Policy.share = "overwrite" -> Overwrite(r)
      [] Policy.share = "overwrite-no-zeroing" -> Overwrite(r) /\ ~Zeroes(r)

\* 4. DRAIN: does r, which will hold the lock as mode says, call inode_dio_wait?
Drains(r, mode) ==
    LET exclusively == mode = "exclusive"
    IN CASE exclusively /\ DrainsToZero(r) -> TRUE
         [] Policy.drain = "never" -> FALSE
         [] Policy.drain = "unaligned" -> exclusively /\ Unaligned(r)
         [] Policy.drain = "unaligned-even-shared" -> Unaligned(r)
         [] Policy.drain = "zeroing" ->
              exclusively /\ Unaligned(r) /\ (~Overwrite(r) \/ Zeroes(r))
         [] Policy.drain = "needs-zeroing" -> exclusively /\ NeedsZeroing(r)

\* 5. WAIT: does r wait for its own I/O, though it is asynchronous?
\* (IOMAP_DIO_FORCE_WAIT)
Waits(r, mode) ==
    /\ mode = "exclusive"
    /\ CASE Policy.wait = "unaligned-or-extending" -> Unaligned(r) \/ Extends(r)
         [] Policy.wait = "unaligned" -> Unaligned(r)
         [] Policy.wait = "extending" -> Extends(r)
         [] Policy.wait = "needs-zeroing-or-extending" -> NeedsZeroing(r) \/ Extends(r)

\* 6. NOWAIT: is r, if it must not wait, refused even though it has the lock?
\* From 5.8 to 6.4 every unaligned or extending write is, since 6.5 the exclusive
\* ones.
Refuses(r, mode) ==
    /\ Unaligned(r) \/ Extends(r)
    /\ Policy.nowait = "all" \/ (Policy.nowait = "exclusive" /\ mode = "exclusive")

\* 7. FLAG: IOMAP_DIO_OVERWRITE_ONLY, where it is heeded, stops an unaligned
\* write under the shared lock if what is left of it, from block b on, is no
\* overwrite.
Stops(r, b) ==
    /\ Policy.flag = "heeded"
    /\ Kind(r) = "write" /\ held[r] = "shared" /\ Unaligned(r)
    /\ Extends(r) \/ \E c \in Blocks(r) : c >= b /\ extent[c] # "written"

\* 8. ALLOC: what a block is as soon as a write has mapped it.  ext4_iomap_alloc
\* makes a block at or behind EOF written at once: nobody can read it before
\* i_size grows.  Any other is unwritten until its data are there.
Behind(b) == b * PerBlock >= size
Allocated(b) ==
    CASE Policy.alloc = "by-size" /\ Behind(b)               -> "written"
      [] Policy.alloc = "written" /\ extent[b] = "hole"      -> "written"
      [] OTHER -> IF extent[b] = "hole" THEN "unwritten" ELSE extent[b]

\* 9. TAIL: does r zero the rest of the block that it ends in, though the block is
\* not new?  iomap_dio_bio_iter does where the write reaches EOF, `pos >= i_size`:
\* what lies behind EOF is to be zero, for mmap's sake.
TailPad(r) == IF Policy.tail = "behind-eof" THEN Grows(r) ELSE ReachesEof(r)

\* 10. GROW: what do a truncate behind i_size and a buffered write that begins
\* there do to the rest of the block that EOF lies in?  With c7fc0366c656 (of
\* 2024) ext4_setattr and ->write_end (since 3f60efd65412 ext4_write_checks) zero it,
\* as a truncate to the same size always has: in the page cache, which reads the block
\* as it is on the disk, and without inode_dio_wait.  In "truncate-drained" the
\* truncate waits, in "drained" both do.  A direct write that begins there zeroes it
\* in XFS, and in the cure "page-always".  In "seen-drained", which is XFS, a truncate
\* looks at i_size before it waits, and then zeroes all from there to its new end
\* (xfs_setattr_size).
Frees(r) == Kind(r) = "punch" \/ (Kind(r) = "truncate" /\ Calls[r].from < size)
EofWithin == size % PerBlock # 0
ZeroesEof(r) ==
    /\ EofWithin
    /\ \/ /\ BeginsBehind(r)
          /\ CASE Kind(r) = "read"  -> FALSE
               [] Kind(r) = "write" -> Policy.grow \in {"page-always", "drained", "seen-drained"}
               [] OTHER             -> Policy.grow # "size"
       \/ Kind(r) = "truncate" /\ Calls[r].from = size

\* What a truncate of this kind sees behind the end, when it has the lock.
SeesBehind(r) ==
    IF Kind(r) = "truncate" /\ Policy.grow = "seen-drained"
    THEN {s \in Sector : size <= s /\ s < Calls[r].from} ELSE {}

\* How truncate and punch exclude direct I/O.
FreeDrains(r) ==
    CASE Frees(r)                       -> Policy.free = "exclusive-drained"
      [] Policy.grow \in {"drained", "seen-drained"} -> TRUE
      [] OTHER                          -> Policy.grow = "truncate-drained" /\ EofWithin

\* 11. TRIM: does r, whose I/O has failed, free the blocks behind EOF?
\* (ext4_truncate_failed_write)
Trims(r) == Policy.trim /\ failed[r] /\ held[r] = "exclusive" /\ Grows(r)
=============================================================================
