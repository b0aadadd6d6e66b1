------------------------------ MODULE Reflink ------------------------------
(***************************************************************************)
(* FICLONE on XFS: a clone shares the source's blocks one by one, and must *)
(* be the source at one moment.  Since Linux 6.7, 6.6.17 and 6.1.128 it    *)
(* holds i_rwsem shared meanwhile, so that reads go on ("xfs: allow read   *)
(* IO and FICLONE to run concurrently", 14a537983b22), and a flag,         *)
(* XFS_IREMAPPING, keeps those writes away that share the lock too.        *)
(*                                                                         *)
(* MODELLED.  xfs_file_remap_range of a whole file: the lock, the drain    *)
(* and the flush of generic_remap_file_range_prep, the flag, the demotion, *)
(* and xfs_reflink_remap_blocks.  Direct writes, asynchronous, with        *)
(* xfs_ilock_iocb_for_write, and -ENOTBLK where one covers part of a block *)
(* of a file that may share some; buffered writes, writeback, reads.  A    *)
(* write to a shared block goes to another place, which is put into the    *)
(* file when the write is done (xfs_reflink_end_cow).                      *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  i_rwsem is granted to anybody who conflicts with *)
(* no holder, in every order there could be; each call is made once.  A    *)
(* remapped extent is one block, looked up and shared in one step: the     *)
(* source's mapping may change in between only with a write beside the     *)
(* clone.  Writeback of a block is one step, as is what follows the last   *)
(* I/O of a direct write.  An I/O is atomic for each block.  A read is one *)
(* step.  No place is freed: the clones keep theirs.                       *)
(*                                                                         *)
(* OUT OF SCOPE.  mmap, and XFS_MMAPLOCK, which a clone demotes too, with  *)
(* a test of the flag in each write fault; blocks that are not written     *)
(* yet, and zeroing (UnalignedDio has both); i_size, NOWAIT, errors and    *)
(* crashes; the other file's lock, which stays exclusive; a clone of a     *)
(* file into itself, which is not demoted, of a range, and deduplication.  *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    Policy,     \* the design, see below
    Calls,      \* the requests: name -> [kind, from, to: the first and last sector]
    Blocks,     \* in the file
    PerBlock    \* sectors in a block

\* A design is a record of these decisions:
\*   demotes  a clone demotes its lock to shared before it remaps
\*   flag     when it sets the flag: "before" the demotion, "after", "never"
\*   clear    when it clears it: "before" it unlocks, "after", "never"
\*   look     when a write looks at it: "after" it has the shared lock, "before";
\*            "held": after, and it keeps that lock if it finds the flag
\*   drains   a clone calls inode_dio_wait
\*   flushes  a clone calls filemap_write_and_wait_range
\*   cow      where a write to a shared block goes: elsewhere, and that place is
\*            put in at its "end", or "never"; "in-place"
\*   fallback what a write to part of a block does: "buffered"; "drained", the
\*            same with inode_dio_wait; "none"

Request == DOMAIN Calls
Kind(r) == Calls[r].kind            \* "clone", "direct", "buffered", "read"
Clones  == {r \in Request : Kind(r) = "clone"}
Writes  == {r \in Request : Kind(r) \in {"direct", "buffered"}}
Reads   == {r \in Request : Kind(r) = "read"}

Block      == 0 .. Blocks - 1
Sector     == 0 .. Blocks * PerBlock - 1
BlockOf(s) == s \div PerBlock
In(b)      == {s \in Sector : BlockOf(s) = b}
Range(r)   == {s \in Sector : Calls[r].from <= s /\ s <= Calls[r].to}
Touched(r) == {b \in Block : In(b) \cap Range(r) # {}}
Last(r)    == BlockOf(Calls[r].to)
Partial(r) == \E b \in Touched(r) : ~(In(b) \subseteq Range(r))

\* Where a block can be: as many places as files that share it, and one more.
Nowhere == -1
Place   == 0 .. Cardinality(Clones)

VARIABLES
    \* the source and its clones
    disk,       \* sector -> place -> content
    home,       \* block -> its place: the source's data fork
    cow,        \* block -> where a write to it is staged: the CoW fork
    copy,       \* clone -> block -> its place in that file
    cache,      \* sector -> what its dirty page has, or "clean"
    remapping,  \* XFS_IREMAPPING
    \* the requests
    pc,         \* what each caller is doing, see TypeOK
    held,       \* how it holds i_rwsem: "none", "shared", "exclusive"
    next,       \* the next block to be mapped, or remapped
    io,         \* request -> block -> the place that its I/O in flight goes to
    got,        \* read -> sector -> what it has read
    \* history, for the oracle
    older,      \* request -> those that had returned before it was called
    seen        \* clone -> what the source was, as a whole, from call to return

file    == <<home, cow, cache>>
device  == <<disk, io>>
clone   == <<copy, remapping>>
work    == <<next, got>>
history == <<older, seen>>
vars    == <<file, device, clone, pc, held, work, history>>

Content == {"old", "stale"} \cup Writes

TypeOK ==
    /\ disk \in [Sector -> [Place -> Content]]
    /\ home \in [Block -> Place]
    /\ cow \in [Block -> Place \cup {Nowhere}]
    /\ copy \in [Clones -> [Block -> Place \cup {Nowhere}]]
    /\ cache \in [Sector -> Content \cup {"clean"}]
    /\ remapping \in BOOLEAN
    /\ pc \in [Request -> {"idle",      \* not called yet
                           "lock",      \* asks for i_rwsem
                           "look",      \* is to look at the flag
                           "relock",    \* has seen it: asks for the lock exclusively
                           "drain",     \* inode_dio_wait
                           "flush",     \* filemap_write_and_wait_range
                           "flag",      \* is to set XFS_IREMAPPING
                           "demote",    \* is to demote its lock
                           "remap",     \* shares block by block
                           "clear",     \* is to clear the flag
                           "begin",     \* is to begin its direct I/O
                           "map",       \* maps its blocks and submits I/Os
                           "submitted", \* is to unlock; its I/O is in flight
                           "queued",    \* -EIOCBQUEUED
                           "buffered",  \* asks for the lock exclusively
                           "fill",      \* is to put its data into pages
                           "read",      \* is to read
                           "unlock",    \* is to give up i_rwsem
                           "done"}]
    /\ held \in [Request -> {"none", "shared", "exclusive"}]
    /\ next \in [Request -> 0 .. Blocks]
    /\ io \in [Request -> [Block -> Place \cup {Nowhere}]]
    /\ got \in [Reads -> [Sector -> Content]]
    /\ older \in [Request -> SUBSET Request]
    /\ seen \in [Clones -> SUBSET [Sector -> Content]]

Init ==
    /\ disk = [s \in Sector |-> [p \in Place |-> IF p = 0 THEN "old" ELSE "stale"]]
    /\ home = [b \in Block |-> 0]
    /\ cow = [b \in Block |-> Nowhere]
    /\ copy = [c \in Clones |-> [b \in Block |-> Nowhere]]
    /\ cache = [s \in Sector |-> "clean"]
    /\ remapping = FALSE
    /\ pc = [r \in Request |-> "idle"]
    /\ held = [r \in Request |-> "none"]
    /\ next = [r \in Request |-> 0]
    /\ io = [r \in Request |-> [b \in Block |-> Nowhere]]
    /\ got = [r \in Reads |-> [s \in Sector |-> "old"]]
    /\ older = [r \in Request |-> {}]
    /\ seen = [c \in Clones |-> {}]

-----------------------------------------------------------------------------
(* Blocks and places.                                                      *)

\* What a read of the source finds; what a read of the clone c would.
View(s) == IF cache[s] # "clean" THEN cache[s] ELSE disk[s][home[BlockOf(s)]]
Image(c) == [s \in Sector |-> disk[s][copy[c][BlockOf(s)]]]

\* The block's place has a reference count of two or more.
Shared(b) == \E c \in Clones : copy[c][b] = home[b]

\* Where a write to the block goes.  xfs_reflink_allocate_cow: to a new place if it
\* is shared, the same for all until one of them puts it in.
Used(b) == {home[b]} \cup {copy[c][b] : c \in Clones}
Target(b) == IF Shared(b) /\ Policy.cow # "in-place"
             THEN CHOOSE p \in Place : p \notin Used(b) ELSE home[b]

\* xfs_is_cow_inode: the file may share blocks, since the clone's preparation.
MayShare == \E c \in Clones : pc[c] \in {"flag", "demote", "remap", "clear", "unlock", "done"}

\* Who is in i_dio_count, without those who hold the lock: who waits for it to be 0
\* holds it exclusively.
InFlight == {w \in Writes : pc[w] = "queued"}

\* xfs_reflink_end_cow of some blocks.
PutIn(blocks) ==
    IF Policy.cow = "never" THEN UNCHANGED <<home, cow>>
    ELSE /\ home' = [b \in Block |-> IF b \in blocks /\ cow[b] # Nowhere THEN cow[b] ELSE home[b]]
         /\ cow' = [b \in Block |-> IF b \in blocks THEN Nowhere ELSE cow[b]]

\* The dirty pages of some blocks go to the disk, those of shared ones to
\* another place, which is put in.
WriteBack(blocks) ==
    LET out == {b \in blocks : \E s \in In(b) : cache[s] # "clean"}
    IN /\ disk' = [s \in Sector |-> IF BlockOf(s) \in out
                                    THEN [disk[s] EXCEPT ![Target(BlockOf(s))] = cache[s]]
                                    ELSE disk[s]]
       /\ home' = [b \in Block |-> IF b \in out THEN Target(b) ELSE home[b]]
       /\ cow' = [b \in Block |-> IF b \in out THEN Nowhere ELSE cow[b]]
       /\ cache' = [s \in Sector |-> IF BlockOf(s) \in out THEN "clean" ELSE cache[s]]

\* History: who had returned when a request was called, and the source as it
\* was at each moment of a clone's call.
Remember ==
    /\ older' = [r \in Request |-> IF pc[r] = "idle" /\ pc'[r] # "idle"
                                   THEN {q \in Request : pc[q] = "done"} ELSE older[r]]
    /\ seen' = [c \in Clones |-> IF pc'[c] = "idle" \/ pc[c] = "done" THEN seen[c]
                                 ELSE seen[c] \cup {[s \in Sector |-> View(s)']}]

-----------------------------------------------------------------------------
(* Every request.                                                          *)

Call(r) ==
    /\ pc[r] = "idle"
    /\ pc' = [pc EXCEPT ![r] = CASE Kind(r) = "buffered" -> "buffered"
                                 [] Kind(r) = "direct" /\ Policy.look = "before" -> "look"
                                 [] OTHER -> "lock"]
    /\ UNCHANGED <<file, device, clone, held, work>>
    /\ Remember

\* xfs_ilock.  A direct write that has waited for the exclusive lock demotes it
\* at once (xfs_file_dio_write_aligned).
Lock(r) ==
    LET alone == Kind(r) = "clone" \/ pc[r] \in {"relock", "buffered"}
    IN /\ pc[r] \in {"lock", "relock", "buffered"}
       /\ \A q \in Request : IF alone THEN held[q] = "none" ELSE held[q] # "exclusive"
       /\ held' = [held EXCEPT ![r] = IF alone /\ pc[r] # "relock" THEN "exclusive" ELSE "shared"]
       /\ pc' = [pc EXCEPT ![r] =
             CASE Kind(r) = "clone"  -> IF Policy.drains THEN "drain" ELSE "flush"
               [] Kind(r) = "read"   -> "read"
               [] pc[r] = "buffered" -> IF Policy.fallback = "drained" THEN "drain" ELSE "fill"
               [] pc[r] = "lock" /\ Policy.look # "before" -> "look"
               [] OTHER              -> "begin"]
       /\ UNCHANGED <<file, device, clone, work>>
       /\ Remember

\* inode_dio_wait: of a clone, and of a fallback that would do so.
Drain(r) ==
    /\ pc[r] = "drain"
    /\ InFlight = {}
    /\ pc' = [pc EXCEPT ![r] = IF Kind(r) = "clone" THEN "flush" ELSE "fill"]
    /\ UNCHANGED <<file, device, clone, held, work>>
    /\ Remember

\* xfs_iunlock.  A direct write leaves its I/O in flight.
Unlock(r) ==
    /\ pc[r] \in {"unlock", "submitted"}
    /\ held' = [held EXCEPT ![r] = "none"]
    /\ pc' = [pc EXCEPT ![r] =
          CASE pc[r] = "submitted"                             -> "queued"
            [] Kind(r) = "clone" /\ Policy.clear = "after"     -> "clear"
            [] OTHER                                           -> "done"]
    /\ UNCHANGED <<file, device, clone, work>>
    /\ Remember

-----------------------------------------------------------------------------
(* The clone.                                                              *)

\* filemap_write_and_wait_range.
Flush(c) ==
    /\ pc[c] = "flush"
    /\ WriteBack(IF Policy.flushes THEN Block ELSE {})
    /\ pc' = [pc EXCEPT ![c] = CASE Policy.flag = "before" -> "flag"
                                 [] Policy.demotes         -> "demote"
                                 [] OTHER                  -> "remap"]
    /\ UNCHANGED <<io, clone, held, work>>
    /\ Remember

\* xfs_iflags_set(src, XFS_IREMAPPING).
SetFlag(c) ==
    /\ pc[c] = "flag"
    /\ remapping' = TRUE
    /\ pc' = [pc EXCEPT ![c] = IF Policy.flag = "before" THEN "demote" ELSE "remap"]
    /\ UNCHANGED <<file, device, copy, held, work>>
    /\ Remember

\* xfs_ilock_demote.
Demote(c) ==
    /\ pc[c] = "demote"
    /\ held' = [held EXCEPT ![c] = "shared"]
    /\ pc' = [pc EXCEPT ![c] = IF Policy.flag = "after" THEN "flag" ELSE "remap"]
    /\ UNCHANGED <<file, device, clone, work>>
    /\ Remember

\* One turn of xfs_reflink_remap_blocks.
Remap(c) ==
    /\ pc[c] = "remap"
    /\ copy' = [copy EXCEPT ![c][next[c]] = home[next[c]]]
    /\ next' = [next EXCEPT ![c] = @ + 1]
    /\ pc' = [pc EXCEPT ![c] = CASE next[c] < Blocks - 1    -> "remap"
                                 [] Policy.clear = "before" -> "clear"
                                 [] OTHER                   -> "unlock"]
    /\ UNCHANGED <<file, device, remapping, held, got>>
    /\ Remember

\* xfs_iunlock2_remapping clears the flag, and unlocks then.
Clear(c) ==
    /\ pc[c] = "clear"
    /\ remapping' = FALSE
    /\ pc' = [pc EXCEPT ![c] = IF held[c] = "none" THEN "done" ELSE "unlock"]
    /\ UNCHANGED <<file, device, copy, held, work>>
    /\ Remember

-----------------------------------------------------------------------------
(* Writes and reads.                                                       *)

\* xfs_ilock_iocb_for_write: who finds the flag gives the shared lock up and asks
\* for the exclusive one.
Look(w) ==
    /\ pc[w] = "look"
    /\ pc' = [pc EXCEPT ![w] = CASE remapping                -> "relock"
                                 [] Policy.look = "before"   -> "lock"
                                 [] OTHER                    -> "begin"]
    /\ held' = [held EXCEPT ![w] = IF remapping /\ Policy.look # "held" THEN "none" ELSE @]
    /\ UNCHANGED <<file, device, clone, work>>
    /\ Remember

FallsBack(w) == Partial(w) /\ MayShare /\ Policy.fallback # "none"

\* xfs_file_dio_write_unaligned: -ENOTBLK, and xfs_file_buffered_write.
FallBack(w) ==
    /\ pc[w] = "begin"
    /\ FallsBack(w)
    /\ held' = [held EXCEPT ![w] = "none"]
    /\ pc' = [pc EXCEPT ![w] = "buffered"]
    /\ UNCHANGED <<file, device, clone, work>>
    /\ Remember

\* __iomap_dio_rw: the pages are written back, then inode_dio_begin.
Begin(w) ==
    /\ pc[w] = "begin"
    /\ ~FallsBack(w)
    /\ WriteBack(Touched(w))
    /\ next' = [next EXCEPT ![w] = BlockOf(Calls[w].from)]
    /\ pc' = [pc EXCEPT ![w] = "map"]
    /\ UNCHANGED <<io, clone, held, got>>
    /\ Remember

\* xfs_direct_write_iomap_begin of one block, whose I/O is submitted.
Map(w) ==
    /\ pc[w] = "map"
    /\ LET b == next[w]
       IN /\ io' = [io EXCEPT ![w][b] = Target(b)]
          /\ cow' = [cow EXCEPT ![b] = IF Target(b) = home[b] THEN @ ELSE Target(b)]
          /\ next' = [next EXCEPT ![w] = b + 1]
          /\ pc' = [pc EXCEPT ![w] = IF b = Last(w) THEN "submitted" ELSE "map"]
    /\ UNCHANGED <<disk, home, cache, clone, held, got>>
    /\ Remember

\* The device has done the I/O of one block.
Complete(w, b) ==
    /\ io[w][b] # Nowhere
    /\ disk' = [s \in Sector |-> IF s \in Range(w) \cap In(b)
                                 THEN [disk[s] EXCEPT ![io[w][b]] = w] ELSE disk[s]]
    /\ io' = [io EXCEPT ![w][b] = Nowhere]
    /\ UNCHANGED <<file, clone, pc, held, work>>
    /\ Remember

\* xfs_dio_write_end_io, inode_dio_end, ki_complete.  While the lock is held
\* nobody waits for it, so that it may as well come after the unlock.
EndIo(w) ==
    /\ pc[w] = "queued"
    /\ \A b \in Block : io[w][b] = Nowhere
    /\ PutIn(Touched(w))
    /\ pc' = [pc EXCEPT ![w] = "done"]
    /\ UNCHANGED <<device, cache, clone, held, work>>
    /\ Remember

\* iomap_file_buffered_write: of a block that it covers in part, what else is
\* there is read.
Fill(w) ==
    /\ pc[w] = "fill"
    /\ cache' = [s \in Sector |-> CASE s \in Range(w)            -> w
                                    [] BlockOf(s) \in Touched(w) -> View(s)
                                    [] OTHER                     -> cache[s]]
    /\ pc' = [pc EXCEPT ![w] = "unlock"]
    /\ UNCHANGED <<home, cow, device, clone, held, work>>
    /\ Remember

\* Writeback, at any time, without i_rwsem.
Flusher(b) ==
    /\ \E s \in In(b) : cache[s] # "clean"
    /\ WriteBack({b})
    /\ UNCHANGED <<io, clone, pc, held, work>>
    /\ Remember

Read(r) ==
    /\ pc[r] = "read"
    /\ got' = [got EXCEPT ![r] = [s \in Sector |-> View(s)]]
    /\ pc' = [pc EXCEPT ![r] = "unlock"]
    /\ UNCHANGED <<file, device, clone, held, next>>
    /\ Remember

Next ==
    \/ \E r \in Request :
          \/ Call(r)
          \/ Lock(r)
          \/ Drain(r)
          \/ Unlock(r)
          \/ Flush(r)
          \/ SetFlag(r)
          \/ Demote(r)
          \/ Remap(r)
          \/ Clear(r)
          \/ Look(r)
          \/ FallBack(r)
          \/ Begin(r)
          \/ Map(r)
          \/ EndIo(r)
          \/ Fill(r)
          \/ Read(r)
          \/ \E b \in Block : Complete(r, b)
    \/ \E b \in Block : Flusher(b)

Spec == Init /\ [][Next]_vars

\* A caller goes on, and so does its I/O.  Nobody is obliged to call, nor the
\* flusher to run.
Proceed(r) ==
    Lock(r) \/ Drain(r) \/ Unlock(r) \/ Flush(r) \/ SetFlag(r) \/ Demote(r) \/ Remap(r)
    \/ Clear(r) \/ Look(r) \/ FallBack(r) \/ Begin(r) \/ Map(r) \/ EndIo(r) \/ Fill(r) \/ Read(r)

Callers == \A r \in Request : WF_vars(Proceed(r))

FairSpec == Spec /\ Callers /\ \A r \in Request : WF_vars(\E b \in Block : Complete(r, b))

\* Control: the device may keep an I/O for ever.
NoCompletionSpec == Spec /\ Callers

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

Done(kinds) == {r \in Request : Kind(r) \in kinds /\ pc[r] = "done"}

\* One of these writes had returned, and this is what was there before it.
Outdated(value, s, writes) ==
    \/ value = "stale"
    \/ \E w \in writes \cap Writes : s \in Range(w) /\ (value = "old" \/ value \in older[w])

\* 1. The clone is the source at one moment of the call, and stays it.
Snapshot == \A c \in Done({"clone"}) : Image(c) \in seen[c]

\* What was acknowledged before the call is in it.
HasAcknowledged ==
    \A c \in Done({"clone"}) : \A s \in Sector : ~Outdated(Image(c)[s], s, older[c])

\* 2. What is written after its return never shows in it.
NeverShows ==
    \A c \in Done({"clone"}) : \A s \in Sector :
        Image(c)[s] \in Writes => c \notin older[Image(c)[s]]

\* 3. No acknowledged write of the source is lost, and no read finds it so.
NoLostWrite == \A s \in Sector : ~Outdated(View(s), s, Done({"direct", "buffered"}))
ReadsAreCurrent ==
    \A r \in Done({"read"}) : \A s \in Range(r) : ~Outdated(got[r][s], s, older[r])

\* Whoever turns away at the flag has a clone to wait for.
FlagIsHeld == remapping => \E c \in Clones : held[c] # "none"

-----------------------------------------------------------------------------
(* Progress.                                                               *)

EveryCallReturns == \A r \in Request : pc[r] # "idle" ~> pc[r] = "done"
=============================================================================
