---------------------------- MODULE UnalignedDio ----------------------------
(***************************************************************************)
(* Direct I/O to one file whose requests need not be aligned to the file   *)
(* system's blocks: the question of "ext4: allow concurrent unaligned dio  *)
(* overwrites" (2023), which of them may run under the shared lock.        *)
(* Module UnalignedDioPolicies says how each kernel decides.               *)
(*                                                                         *)
(* MODELLED.  ext4_dio_write_iter with ext4_dio_write_checks,              *)
(* xfs_file_dio_write_unaligned and _aligned, the direct reads of both,    *)
(* punch, truncate down, up and to the same size, buffered writes with     *)
(* their fsync, which ext4 falls back to, and iomap's part in them,        *)
(* fs/iomap/direct-io.c.  A block is a few sectors, the unit of            *)
(* I/O.  A write to a block that is not written yet zeroes the rest of it: *)
(* head pad, data and tail pad are I/Os of their own and complete in any   *)
(* order.  Which requests there are, and what they do, is the constant     *)
(* Calls.  Each is made once; those of Repeats may be made again when they *)
(* have returned, for ever, which nobody obliges them to.                  *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  i_rwsem is granted as Fifo says.  Unless it is,  *)
(* anyone gets it who conflicts with no holder, in every order there could *)
(* be: what holds of the data then holds with any lock.  If Fifo is, it is *)
(* granted in the order of asking, readers together: nobody passes a       *)
(* writer that waits, nor does a trylock.  Linux comes to that since 5.11, *)
(* when a waiter has demanded the lock; until then others may steal a free *)
(* lock (../rwsem, Handoff511).                                            *)
(* i_dio_count is an exact count.  A look-up of a block's mapping and the  *)
(* submission of its I/Os are one step: the block can still change before  *)
(* the I/Os complete.  A mapping is of one block.  An I/O is atomic for    *)
(* each sector.  Blocks freed are not used again by other files.           *)
(*                                                                         *)
(* The page cache has dirty pages only, one a block: who reads finds such  *)
(* a page, and direct I/O has those of its range written back first.  A    *)
(* page that has been written back is forgotten.  An fsync has only those  *)
(* of its own write's blocks written back: any other stays in the cache,   *)
(* and shows there what the disk would have of it.                         *)
(*                                                                         *)
(* OUT OF SCOPE.  The journal, i_disksize, crashes, mmap and clean pages,  *)
(* bios that are split, delayed allocation, shared blocks (see Reflink)    *)
(* and IS_NOSEC.  XFS's demotion of an aligned write that has zeroed from  *)
(* the exclusive lock to the shared one, before it submits.  fallocate,    *)
(* which drains in the versions that were read (ext4_fallocate, or what it *)
(* calls).                                                                 *)
(***************************************************************************)
EXTENDS Decisions

\* By what changes together: a step says of each group that it keeps.
\* @type: <<Int -> Str, Int -> Str>>;
bytes    == <<disk, cache>>
store    == <<extent, bytes>>           \* what a read finds
file     == <<store, size, dio>>
locking  == <<held, ahead, plan>>
answer   == <<retries, result>>
caller   == <<pc, locking, answer>>
mapping  == <<next, convert>>
transfer == <<bios, buffer>>            \* what the device is at
fate     == <<io, failed>>
ioState  == <<mapping, transfer, fate>>
requests == <<caller, ioState>>
history  == <<current, older, may>>
vars     == <<file, requests, history>>

-----------------------------------------------------------------------------
\* Of no block, or of no sector, anything.
\* @type: Int -> Str;
Nothing == [x \in {} |-> ""]

NoPlan == [mode |-> "shared", drain |-> FALSE, wait |-> FALSE, saw |-> Nothing, buffered |-> FALSE]

Bio == [part : {"head", "data", "tail", "read"}, block : Block]
Io(part, block) == [part |-> part, block |-> block]
Content == {"zero", "stale", "old"} \cup Writes

TypeOK ==
    /\ extent \in [Block -> {"hole",       \* reads as zero
                             "unwritten",  \* allocated, reads as zero
                             "written"}]   \* reads as what the disk holds
    /\ disk \in [Sector -> Content]
    /\ size \in 0 .. Cardinality(Sector)
    /\ dio \in 0 .. Cardinality(Request)
    /\ pc \in [Request -> {"idle",    \* not called yet
                           "lock",    \* asks for i_rwsem
                           "check",   \* holds it, is to look at the mapping
                           "drain",   \* inode_dio_wait
                           "begin",   \* is to begin its direct I/O
                           "map",     \* maps its blocks and submits I/Os
                           "io",      \* waits for its own I/O
                           "again",   \* stopped by the flag
                           "fill",    \* buffered: is to put its data into pages
                           "flush",   \* buffered: is to have them written back
                           "free",    \* truncate, punch: is to free blocks
                           "unlock",  \* is to give up i_rwsem
                           "queued",  \* -EIOCBQUEUED: I/O still in flight
                           "done"}]
    /\ held \in [Request -> {"none", "shared", "exclusive"}]
    /\ ahead \in [Request -> SUBSET Request]
    /\ DOMAIN cache \subseteq Sector
    /\ \A s \in DOMAIN cache : cache[s] \in Content /\ In(BlockOf(s)) \subseteq DOMAIN cache
    /\ \A r \in Request : bios[r] \subseteq Bio /\ convert[r] \subseteq Block
    /\ io \in [Request -> {"none", "flying", "converted", "ended"}]
    /\ failed \in [Request -> BOOLEAN]
    /\ retries \in [Request -> 0 .. 2]
    /\ result \in [Request -> {"none", "ok", "EAGAIN", "EIO"}]
    /\ \A s \in Sector : current[s] \subseteq Request \cup {"init"}
    /\ \A r \in Request : older[r] \subseteq Request \cup {"init"}

\* What the disk holds behind EOF, in a block that is written.
BehindEof == "zero"

Init ==
    /\ extent = Extents
    /\ disk = [s \in Sector |-> CASE extent[BlockOf(s)] # "written" -> "stale"
                                  [] s >= Length -> BehindEof
                                  [] OTHER -> "old"]
    /\ size = Length
    /\ dio = 0
    /\ cache = Nothing
    /\ pc = [r \in Request |-> "idle"]
    /\ held = [r \in Request |-> "none"]
    /\ ahead = [r \in Request |-> {}]
    /\ plan = [r \in Request |-> NoPlan]
    /\ next = [r \in Request |-> 0]
    /\ bios = [r \in Request |-> {}]
    /\ convert = [r \in Request |-> {}]
    /\ io = [r \in Request |-> "none"]
    /\ failed = [r \in Request |-> FALSE]
    /\ buffer = [r \in Request |-> Nothing]
    /\ retries = [r \in Request |-> 0]
    /\ result = [r \in Request |-> "none"]
    /\ current = [s \in Sector |-> {"init"}]
    /\ older = [r \in Request |-> {}]
    /\ may = [r \in Reads |-> [s \in Range(r) |-> {}]]

\* History.  Once a write is acknowledged, what was acknowledged before it was
\* called must not come back; a call of which it is not known yet whether it
\* has taken effect may show or not; one that got -EAGAIN must not show.  All
\* calls of one request write the same, so that the latest stands for them: it
\* is not older than anybody, and one that is refused may show by those before.
Remember ==
    LET called  == {r \in Request : pc[r] \in {"idle", "done"} /\ pc'[r] = "lock"}
        acked   == {r \in Request : result[r] = "none" /\ result'[r] = "ok"}
        refused == {r \in Request \ Repeats : result[r] = "none" /\ result'[r] = "EAGAIN"}
        gone(s) == refused \cup UNION {older[r] : r \in {q \in acked : s \in Puts(q)}}
        came(s) == {r \in called : s \in Puts(r)}
    IN /\ current' = [s \in Sector |-> (current[s] \cup came(s)) \ gone(s)]
       /\ older' = [r \in Request |->
              IF r \in called THEN {"init"} \cup {q \in Request \ called : result[q] = "ok"}
              ELSE IF result'[r] # "none" THEN {} ELSE older[r] \ called]
       /\ may' = [r \in Reads |-> [s \in Range(r) |->
              IF r \in called THEN current[s] \cup came(s)
              ELSE IF pc[r] # "idle" /\ result[r] = "none"
              THEN may[r][s] \cup current[s] \cup came(s) ELSE may[r][s]]]

-----------------------------------------------------------------------------
(* i_rwsem.                                                                *)

\* Whether it is granted in the order of asking.
Fifo == FALSE

LockIsFree(mode) ==
    IF mode = "exclusive" THEN \A q \in Request : held[q] = "none"
                          ELSE \A q \in Request : held[q] # "exclusive"

\* Who is to get it.  A trylock has no place among those who wait.
Waiting == {q \in Request : pc[q] = "lock" /\ ~Nowait(q)}

\* r asks for it: behind all who wait.
Asks(r) == ahead' = [ahead EXCEPT ![r] = IF Fifo /\ ~Nowait(r) THEN Waiting ELSE {}]

\* It is r's turn: nobody is ahead, or r and all who are want to share.
IsNext(r) ==
    Fifo => \A q \in (IF Nowait(r) THEN Waiting ELSE ahead[r]) :
                plan[q].mode = "shared" /\ plan[r].mode = "shared"
MayTake(r) == LockIsFree(plan[r].mode) /\ IsNext(r)

\* r waits no more.
Leaves(r) == ahead' = [q \in Request |-> IF q = r THEN {} ELSE ahead[q] \ {r}]

-----------------------------------------------------------------------------
(* The steps of a request's caller.                                        *)

\* The system call, the first or one more.
Call(r) ==
    /\ pc[r] = "idle" \/ (pc[r] = "done" /\ r \in Repeats)
    /\ pc' = [pc EXCEPT ![r] = "lock"]
    /\ plan' = [plan EXCEPT ![r].mode = First(r), ![r].buffered = Kind(r) = "buffered"]
    /\ Asks(r)
    /\ io' = [io EXCEPT ![r] = "none"]
    /\ failed' = [failed EXCEPT ![r] = FALSE]
    /\ buffer' = [buffer EXCEPT ![r] = Nothing]
    /\ retries' = [retries EXCEPT ![r] = 0]
    /\ result' = [result EXCEPT ![r] = "none"]
    /\ UNCHANGED <<file, held, mapping, bios>>
    /\ Remember

\* Where a request that holds the lock goes, once it knows what to do.
Then(r, drains) ==
    IF drains THEN "drain"
    ELSE CASE plan[r].buffered             -> "fill"
           [] Kind(r) \in {"write", "read"} -> "begin"
           [] OTHER                        -> "free"

\* inode_lock, inode_lock_shared; xfs_ilock.  An upgrade is an unlock and a
\* lock, so others get in between.
Lock(r) ==
    /\ pc[r] = "lock"
    /\ MayTake(r)
    /\ held' = [held EXCEPT ![r] = plan[r].mode]
    /\ Leaves(r)
    /\ pc' = [pc EXCEPT ![r] =
          CASE plan[r].buffered -> Then(r, BufferedDrains(r))
            [] Kind(r) \in {"punch", "truncate"} -> Then(r, FreeDrains(r))
            [] Kind(r) = "read" -> Then(r, FALSE)
            [] plan[r].saw # Nothing -> Then(r, plan[r].drain)
            [] OTHER -> "check"]
    /\ plan' = IF SeesBehind(r) = {} THEN plan
               ELSE [plan EXCEPT ![r].saw = [s \in SeesBehind(r) |-> "hole"]]
    /\ UNCHANGED <<file, ioState, answer>>
    /\ Remember

\* inode_trylock without success.
LockFails(r) ==
    /\ pc[r] = "lock"
    /\ Nowait(r)
    /\ ~MayTake(r)
    /\ pc' = [pc EXCEPT ![r] = "done"]
    /\ plan' = [plan EXCEPT ![r] = NoPlan]
    /\ result' = [result EXCEPT ![r] = "EAGAIN"]
    /\ UNCHANGED <<file, held, ahead, ioState, retries>>
    /\ Remember

\* ext4_dio_write_checks: stay with the lock there is, or release it and ask
\* for the exclusive one, which leads back here; NOWAIT is refused instead.
Check(r) ==
    /\ pc[r] = "check"
    /\ LET upgrades == held[r] = "shared" /\ ~MayShare(r)
           mode     == IF upgrades THEN "exclusive" ELSE held[r]
           refused  == /\ Nowait(r)
                       /\ upgrades \/ Refuses(r, mode)
           saw      == IF upgrades /\ ~Policy.recheck
                       THEN [b \in Blocks(r) |-> extent[b]] ELSE Nothing
           new      == [mode |-> mode, drain |-> Drains(r, mode), wait |-> Waits(r, mode),
                        saw |-> saw, buffered |-> FALSE]
       IN /\ plan' = [plan EXCEPT ![r] = IF refused THEN NoPlan ELSE new]
          /\ pc' = [pc EXCEPT ![r] = CASE refused  -> "unlock"
                                       [] upgrades -> "lock"
                                       [] OTHER    -> Then(r, new.drain)]
          /\ held' = [held EXCEPT ![r] = IF upgrades /\ ~refused THEN "none" ELSE @]
          /\ (IF upgrades /\ ~refused THEN Asks(r) ELSE UNCHANGED ahead)
          /\ result' = [result EXCEPT ![r] = IF refused THEN "EAGAIN" ELSE @]
    /\ UNCHANGED <<file, ioState, retries>>
    /\ Remember

\* inode_dio_wait.  A barrier only for who keeps others from beginning.
Drain(r) ==
    /\ pc[r] = "drain"
    /\ dio = 0
    /\ pc' = [pc EXCEPT ![r] = Then(r, FALSE)]
    /\ UNCHANGED <<file, locking, ioState, answer>>
    /\ Remember

-----------------------------------------------------------------------------
\* filemap_write_and_wait_range: of these pages, which are dirty, those of these
\* blocks go to the disk, and the blocks are written from then on.
\* @type: (Int -> Str, Set(Int)) => Bool;
WriteBackOf(pages, blocks) ==
    LET out == {s \in DOMAIN pages : BlockOf(s) \in blocks}
    IN /\ disk' = [s \in Sector |-> IF s \in out THEN pages[s] ELSE disk[s]]
       /\ extent' = [b \in Block |-> IF In(b) \cap out # {} THEN "written" ELSE extent[b]]
       /\ cache' = [s \in DOMAIN pages \ out |-> pages[s]]
WriteBack(blocks) == WriteBackOf(cache, blocks)

\* What the page of a block has: that of the cache, else what is read for it.
Page(s) ==
    CASE s \in DOMAIN cache               -> cache[s]
      [] extent[BlockOf(s)] = "written"   -> disk[s]
      [] OTHER                            -> "zero"

\* The page of the block that EOF lies in, if r zeroes the rest of it: a block that
\* is not written has one only if it is dirty.
EofPage(r) ==
    IF ZeroesEof(r) /\ (extent[BlockOf(size)] = "written" \/ size \in DOMAIN cache)
    THEN In(BlockOf(size)) ELSE {}

\* What a truncate has seen behind EOF, and the pages of that.
Seen(r) == IF Kind(r) = "truncate" THEN DOMAIN plan[r].saw ELSE {}
SeenPages(r) ==
    UNION {In(BlockOf(s)) : s \in {t \in Seen(r) :
               extent[BlockOf(t)] = "written" \/ t \in DOMAIN cache}}

\* What these pages have then; of the sectors before EOF, what the disk held.
PageOf(r, s) ==
    IF s \in Seen(r) \/ (s \in EofPage(r) /\ s >= size) THEN "zero" ELSE Page(s)

\* The dirty pages, and those.
EofZeroed(r) == [s \in DOMAIN cache \cup EofPage(r) \cup SeenPages(r) |-> PageOf(r, s)]

\* __iomap_dio_rw up to inode_dio_begin: the page cache is written back and
\* invalidated first.  Before that, who begins behind EOF may zero what is there.
Begin(r) ==
    /\ pc[r] = "begin"
    /\ ~Calls[r].cached
    /\ WriteBackOf(EofZeroed(r), Blocks(r))
    /\ dio' = dio + 1
    /\ io' = [io EXCEPT ![r] = "flying"]
    /\ next' = [next EXCEPT ![r] = FirstBlock(r)]
    /\ pc' = [pc EXCEPT ![r] = "map"]
    /\ UNCHANGED <<size, locking, convert, transfer, failed, answer>>
    /\ Remember

\* The same where the invalidation fails, -ENOTBLK: unlock, and on to
\* ext4_buffered_write_iter, which takes the lock anew.
FallBack(r) ==
    /\ pc[r] = "begin"
    /\ Calls[r].cached
    /\ held' = [held EXCEPT ![r] = "none"]
    /\ plan' = [plan EXCEPT ![r] = [NoPlan EXCEPT !.mode = BufferedMode, !.buffered = TRUE]]
    /\ pc' = [pc EXCEPT ![r] = "lock"]
    /\ Asks(r)
    /\ UNCHANGED <<file, ioState, answer>>
    /\ Remember

\* Where a request goes that has submitted all.
Submitted(r) == IF Async(r) /\ ~plan[r].wait THEN "unlock" ELSE "io"

\* iomap_iter and iomap_dio_bio_iter for one block of a write: iomap_begin looks
\* up the block, and allocates it if need be; then head pad, data and tail pad
\* are submitted.  The tail is zeroed also where the write reaches EOF.
MapWrite(r) ==
    LET b    == next[r]
        saw  == IF plan[r].saw # Nothing THEN plan[r].saw[b] ELSE extent[b]
        new  == saw # "written"
        made == extent[b] # "written" /\ Allocated(b) = "written"
        parts == {"data"} \cup (IF new THEN {"head"} ELSE {})
                          \cup (IF new \/ TailPad(r) THEN {"tail"} ELSE {})
    IN /\ extent' = [extent EXCEPT ![b] = Allocated(b)]
       /\ bios' = [bios EXCEPT ![r] = @ \cup {p \in {Io(q, b) : q \in parts} : Covers(r, p) # {}}]
       /\ convert' = [convert EXCEPT ![r] = IF new /\ ~made THEN @ \cup {b} ELSE @]
       /\ UNCHANGED buffer

\* The same of a read: what is not written reads as zero without any I/O, and
\* what lies beyond EOF too.
MapRead(r) ==
    LET b == next[r]
        inside == extent[b] = "written" /\ b * PerBlock < size
        empty  == [s \in Range(r) \cap In(b) |-> "zero"]
    IN /\ bios' = [bios EXCEPT ![r] = IF inside THEN @ \cup {[part |-> "read", block |-> b]} ELSE @]
       /\ buffer' = [buffer EXCEPT ![r] =
             [s \in DOMAIN @ \cup (IF inside THEN {} ELSE DOMAIN empty) |->
                  IF s \in DOMAIN @ THEN @[s] ELSE "zero"]]
       /\ UNCHANGED <<extent, convert>>

Map(r) ==
    /\ pc[r] = "map"
    /\ IF Stops(r, next[r])
       THEN /\ pc' = [pc EXCEPT ![r] = "again"]
            /\ UNCHANGED <<extent, bios, convert, buffer, next>>
       ELSE /\ (IF Kind(r) = "write" THEN MapWrite(r) ELSE MapRead(r))
            /\ next' = [next EXCEPT ![r] = @ + 1]
            /\ pc' = [pc EXCEPT ![r] = IF next[r] = LastBlock(r) THEN Submitted(r) ELSE "map"]
    /\ UNCHANGED <<bytes, size, dio, locking, fate, answer>>
    /\ Remember

\* Stopped by the flag: once what it had submitted has ended, inode_dio_end and
\* xfs_iunlock (one step: whoever waits for either needs the lock exclusively),
\* then retry_exclusive.  -EAGAIN is for the user only if there is no retry.
Retry(r) ==
    /\ pc[r] = "again"
    /\ bios[r] = {}
    /\ dio' = dio - 1
    /\ held' = [held EXCEPT ![r] = "none"]
    /\ io' = [io EXCEPT ![r] = "none"]
    /\ next' = [next EXCEPT ![r] = 0]
    /\ convert' = [convert EXCEPT ![r] = {}]
    /\ IF Policy.retry = "never" \/ Nowait(r)
       THEN /\ pc' = [pc EXCEPT ![r] = "done"]
            /\ plan' = [plan EXCEPT ![r] = NoPlan]
            /\ result' = [result EXCEPT ![r] = "EAGAIN"]
            /\ UNCHANGED <<ahead, retries>>
       ELSE /\ pc' = [pc EXCEPT ![r] = "lock"]
            /\ plan' = [plan EXCEPT ![r] = [NoPlan EXCEPT !.mode = Policy.retry]]
            /\ Asks(r)
            /\ retries' = [retries EXCEPT ![r] = IF @ < 2 THEN @ + 1 ELSE @]
            /\ UNCHANGED result
    /\ failed' = [failed EXCEPT ![r] = FALSE]
    /\ UNCHANGED <<store, size, transfer>>
    /\ Remember

\* What the caller gets when its I/O has ended.
Outcome(r) == IF failed[r] THEN "EIO" ELSE "ok"

\* inode_unlock, xfs_iunlock.  An asynchronous write leaves its I/O in flight, a
\* buffered one its pages dirty.
\* Before it, what a failed write has allocated behind EOF is freed: under the
\* exclusive lock, where nobody looks in between.
Unlock(r) ==
    /\ pc[r] = "unlock" \/ (pc[r] = "io" /\ io[r] = "ended")
    /\ LET queued == io[r] \in {"flying", "converted"}
       IN /\ pc' = [pc EXCEPT ![r] = CASE plan[r].buffered -> "flush"
                                       [] queued           -> "queued"
                                       [] OTHER            -> "done"]
          /\ result' = [result EXCEPT ![r] =
                IF queued \/ plan[r].buffered \/ @ # "none" THEN @ ELSE Outcome(r)]
    /\ LET freed == IF Trims(r) THEN {b \in Block : Behind(b)} ELSE {}
       IN /\ extent' = [b \in Block |-> IF b \in freed THEN "hole" ELSE extent[b]]
          /\ disk' = [s \in Sector |-> IF BlockOf(s) \in freed THEN "stale" ELSE disk[s]]
    /\ held' = [held EXCEPT ![r] = "none"]
    /\ plan' = [plan EXCEPT ![r] = NoPlan]
    /\ UNCHANGED <<size, dio, cache, ahead, ioState, retries>>
    /\ Remember

\* ext4_buffered_write_iter: pages of its blocks, with its data, become dirty; of
\* a block that it covers in part, what else is there is read.  If it begins behind
\* EOF, the page of EOF's block becomes dirty too.
Fill(r) ==
    /\ pc[r] = "fill"
    /\ LET pages == EofPage(r) \cup UNION {In(b) : b \in Blocks(r)}
       IN cache' = [s \in DOMAIN cache \cup pages |-> IF s \in Range(r) THEN r ELSE PageOf(r, s)]
    /\ size' = IF Grows(r) THEN End(r) ELSE size
    /\ pc' = [pc EXCEPT ![r] = "unlock"]
    /\ UNCHANGED <<extent, disk, dio, locking, ioState, answer>>
    /\ Remember

\* After the unlock: a fallback's filemap_write_and_wait_range, an ordinary
\* write's fsync.  Others may have had the pages written back before.
Flush(r) ==
    /\ pc[r] = "flush"
    /\ WriteBack(Blocks(r))
    /\ pc' = [pc EXCEPT ![r] = "done"]
    /\ result' = [result EXCEPT ![r] = "ok"]
    /\ UNCHANGED <<size, dio, locking, ioState, retries>>
    /\ Remember

\* Punch, and a truncate that shrinks: whole blocks become holes, the rest of a
\* block in part is zeroed.  What else is dirty is written back.
FreeBlocks(r) ==
    LET whole == {b \in Block : In(b) \subseteq Puts(r)}
        dirty == {BlockOf(s) : s \in DOMAIN cache}
    IN /\ extent' = [b \in Block |-> CASE b \in whole -> "hole"
                                       [] b \in dirty -> "written"
                                       [] OTHER       -> extent[b]]
       /\ disk' = [s \in Sector |->
             CASE BlockOf(s) \in whole -> "stale"
               [] s \in Puts(r) \cup Seen(r) /\ (extent[BlockOf(s)] = "written" \/ BlockOf(s) \in dirty) -> "zero"
               [] OTHER -> IF s \in DOMAIN cache THEN cache[s] ELSE disk[s]]
       /\ cache' = Nothing

\* A truncate that does not: the rest of the block that EOF lies in is zeroed in
\* its page.
Grow(r) ==
    /\ cache' = EofZeroed(r)
    /\ UNCHANGED <<extent, disk>>

\* ext4_setattr with ext4_truncate, ext4_punch_hole, xfs_free_file_space.
Free(r) ==
    /\ pc[r] = "free"
    /\ IF Frees(r) THEN FreeBlocks(r) ELSE Grow(r)
    /\ size' = IF Kind(r) = "truncate" THEN Calls[r].from ELSE size
    /\ pc' = [pc EXCEPT ![r] = "unlock"]
    /\ UNCHANGED <<dio, locking, ioState, answer>>
    /\ Remember

-----------------------------------------------------------------------------
(* The steps of a request's I/O.                                           *)

\* The device has done one I/O.  Where the block has been freed meanwhile, it
\* hits whatever that block is now.
Complete(r, part, block) ==
    /\ Io(part, block) \in bios[r]
    /\ bios' = [bios EXCEPT ![r] = @ \ {Io(part, block)}]
    /\ LET hits == Covers(r, Io(part, block))
           read == Kind(r) = "read"
       IN /\ disk' = [s \in Sector |->
                IF read \/ s \notin hits \/ extent[block] = "hole" THEN disk[s]
                ELSE IF Pad(Io(part, block)) THEN "zero" ELSE r]
          /\ buffer' = [buffer EXCEPT ![r] =
                IF read THEN [s \in DOMAIN @ \cup hits |-> IF s \in hits THEN disk[s] ELSE @[s]]
                ELSE @]
    /\ UNCHANGED <<extent, cache, size, dio, caller, mapping, fate>>
    /\ Remember

\* The device has failed to do it, and has changed nothing.
Fail(r, part, block) ==
    /\ Calls[r].fails
    /\ Io(part, block) \in bios[r]
    /\ bios' = [bios EXCEPT ![r] = @ \ {Io(part, block)}]
    /\ failed' = [failed EXCEPT ![r] = TRUE]
    /\ UNCHANGED <<file, caller, mapping, buffer, io>>
    /\ Remember

\* iomap_dio_complete, ->end_io: unwritten blocks become written, i_size grows.
\* Nothing of that after an error.  Blocks that were written from the start
\* need no conversion.
EndIo(r) ==
    /\ io[r] = "flying"
    /\ pc[r] \in {"io", "unlock", "queued"}
    /\ bios[r] = {}
    /\ io' = [io EXCEPT ![r] = "converted"]
    /\ extent' = [b \in Block |-> IF b \in convert[r] /\ ~failed[r] THEN "written" ELSE extent[b]]
    /\ size' = IF Kind(r) = "write" /\ Grows(r) /\ ~failed[r] THEN End(r) ELSE size
    /\ convert' = [convert EXCEPT ![r] = {}]
    /\ next' = [next EXCEPT ![r] = 0]
    /\ UNCHANGED <<bytes, dio, caller, transfer, failed>>
    /\ Remember

\* iomap_dio_complete goes on: inode_dio_end, and after it ki_complete.
DioEnd(r) ==
    /\ io[r] = "converted"
    /\ io' = [io EXCEPT ![r] = "ended"]
    /\ dio' = dio - 1
    /\ result' = [result EXCEPT ![r] = IF pc[r] = "io" THEN @ ELSE Outcome(r)]
    /\ pc' = [pc EXCEPT ![r] = IF @ = "queued" THEN "done" ELSE @]
    /\ UNCHANGED <<store, size, locking, mapping, transfer, failed, retries>>
    /\ Remember

Next ==
    \E r \in Request :
        \/ Call(r)
        \/ Lock(r)
        \/ LockFails(r)
        \/ Check(r)
        \/ Drain(r)
        \/ Begin(r)
        \/ FallBack(r)
        \/ Map(r)
        \/ Retry(r)
        \/ Unlock(r)
        \/ Fill(r)
        \/ Flush(r)
        \/ Free(r)
        \/ \E bio \in Bio : Complete(r, bio.part, bio.block)
        \/ \E bio \in Bio : Fail(r, bio.part, bio.block)
        \/ EndIo(r)
        \/ DioEnd(r)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Fairness.                                                               *)

\* What the caller does, and what its I/O does: the scheduler and the device
\* guarantee that each goes on.  Nobody is obliged to call.
Proceed(r) ==
    Lock(r) \/ LockFails(r) \/ Check(r) \/ Drain(r) \/ Begin(r) \/ FallBack(r) \/ Map(r)
    \/ Retry(r) \/ Unlock(r) \/ Fill(r) \/ Flush(r) \/ Free(r)
Ends(r) ==
    \/ \E bio \in Bio : Complete(r, bio.part, bio.block) \/ Fail(r, bio.part, bio.block)
    \/ EndIo(r)
    \/ DioEnd(r)

FairSpec == Spec /\ \A r \in Request : WF_vars(Proceed(r)) /\ WF_vars(Ends(r))

\* Control: the device may keep an I/O for ever.
NoCompletionSpec == Spec /\ \A r \in Request : WF_vars(Proceed(r))
=============================================================================
