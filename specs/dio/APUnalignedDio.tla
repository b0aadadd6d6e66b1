--------------------------- MODULE APUnalignedDio ---------------------------
(***************************************************************************)
(* UnalignedDio for Apalache: no acknowledged sector is lost, whatever     *)
(* writes there are and however long they run.                             *)
(*                                                                         *)
(* SHOWN.  NoLostWrite as it is written, AloneAfterDrain,                  *)
(* ZeroingExcludesIo, NoMisplacedIo, EagainOnlyWithNowait and RetriesOnce, *)
(* by an inductive invariant, so for runs of every length.  Left open, for *)
(* the solver to choose: the first and the last sector of each write; which*)
(* of them are asynchronous, which NOWAIT, which I/O may fail; the state of*)
(* each of two blocks; i_size; and the design, one of the four of Merged.  *)
(* Here there are two writes and blocks of three sectors: enough for a     *)
(* head pad, data and a tail pad.  In APUnalignedDioThree there are three  *)
(* writes and blocks of four sectors.                                      *)
(*                                                                         *)
(* ASSUMED.  All requests are writes, and the page cache is never in their *)
(* way.  Final65 and Zeroing73 keep away from EOF, that is, the file goes  *)
(* on behind the two blocks: at EOF they do lose data (Final65AtEof).      *)
(* With the cure, Final65Eof and Zeroing73Eof, the file may end anywhere   *)
(* in the last block, and the writes may extend it up to the block's end.  *)
(* No block lies behind EOF, so none is allocated as written, or trimmed.  *)
(*                                                                         *)
(* THE IDEA.  A write that has to zero is alone: it holds the lock, it has *)
(* drained, and it waits for its own I/O.  Whoever is not alone covers in  *)
(* part only blocks that are written (Decided), and blocks stay written.   *)
(* So a pad finds nobody's data: its block cannot be read before the one   *)
(* who zeroes it has converted it, or the pad lies behind EOF.             *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    \* @type: { first: Str, overwrite: Str, share: Str, recheck: Bool, drain: Str, wait: Str, nowait: Str, flag: Str, retry: Str, reaching: Bool, eof: Bool, alloc: Str, trim: Bool, fallback: Str, free: Str, tail: Str, grow: Str };
    Policy,
    \* @type: Str -> { kind: Str, from: Int, to: Int, async: Bool, nowait: Bool, cached: Bool, fails: Bool };
    Calls,
    \* @type: Int -> Str;
    Extents,
    \* @type: Int;
    Length

VARIABLES
    \* @type: Int -> Str;
    extent,
    \* @type: Int -> Str;
    disk,
    \* @type: Int;
    size,
    \* @type: Int;
    dio,
    \* @type: Int -> Str;
    cache,
    \* @type: Str -> Str;
    pc,
    \* @type: Str -> Str;
    held,
    \* @type: Str -> Set(Str);
    ahead,
    \* @type: Str -> { mode: Str, drain: Bool, wait: Bool, saw: Int -> Str, buffered: Bool };
    plan,
    \* @type: Str -> Int;
    next,
    \* @type: Str -> Set({ part: Str, block: Int });
    bios,
    \* @type: Str -> Set(Int);
    convert,
    \* @type: Str -> Str;
    io,
    \* @type: Str -> Bool;
    failed,
    \* @type: Str -> (Int -> Str);
    buffer,
    \* @type: Str -> Int;
    retries,
    \* @type: Str -> Str;
    result,
    \* @type: Int -> Set(Str);
    current,
    \* @type: Str -> Set(Str);
    older,
    \* @type: Str -> (Int -> Set(Str));
    may

\* The size.  APUnalignedDioThree and APUnalignedDioSmall have others.
PerBlock == 3           \* so that a write can lie within a block
Writers  == {"u", "v"}

INSTANCE Integrity

\* What definitions of UnalignedDio come to for these requests and blocks.
\* Apalache wants to see that such sets do not change.
OVERRIDE_Request == Writers             \* DOMAIN Calls
OVERRIDE_Block   == {0, 1}              \* DOMAIN Extents
OVERRIDE_Kind(r) == "write"             \* Calls[r].kind
OVERRIDE_Writes  == Writers
OVERRIDE_Reads   == {}
OVERRIDE_Bio     == [part : {"head", "data", "tail"}, block : {0, 1}]  \* see Typed

-----------------------------------------------------------------------------
(* What is left open.                                                      *)

\* Any writes to the two blocks.
AnyWrites ==
    \E from \in [Writers -> Sector], to \in [Writers -> Sector],
       async \in [Writers -> BOOLEAN], nowait \in [Writers -> BOOLEAN],
       fails \in [Writers -> BOOLEAN] :
        /\ \A r \in Writers : from[r] <= to[r]
        /\ Calls = [r \in Writers |->
              [kind |-> "write", from |-> from[r], to |-> to[r], async |-> async[r],
               nowait |-> nowait[r], cached |-> FALSE, fails |-> fails[r]]]

AnyExtents == Extents \in [Block -> {"hole", "unwritten", "written"}]

\* The file goes on behind the two blocks.
BeforeEof == AnyWrites /\ AnyExtents /\ Length = 2 * PerBlock + 1

\* The merged designs before EOF, and cured anywhere.
Merged ==
    /\ AnyWrites
    /\ AnyExtents
    /\ Policy \in {Final65, Zeroing73, Final65Eof, Zeroing73Eof}
    /\ Length \in PerBlock + 1 .. 2 * PerBlock + 1
    /\ Policy.reaching \/ Length = 2 * PerBlock + 1

\* The shortest writes and the smallest file are left open, and a design that keeps
\* away from EOF.
NotTheSmallest == \E r \in Writers : Calls[r].to - Calls[r].from + Length > PerBlock + 1
AlwaysReaching == Policy.reaching

\* For the controls: what must fail.
NoForceWaitAny   == Policy = NoForceWait /\ BeforeEof
ExclNoDioWaitAny == Policy = ExclNoDioWait /\ BeforeEof
NoRecheckAny     == Policy = NoRecheckAfterUpgrade /\ BeforeEof
RfcOn63Any       == Policy = RfcOn63 /\ BeforeEof
Final65AtEof     == Policy = Final65 /\ AnyWrites /\ AnyExtents /\ Length \in PerBlock + 1 .. 2 * PerBlock + 1

-----------------------------------------------------------------------------
(* States.                                                                 *)

Holding == {"check", "drain", "begin", "map", "io", "unlock"}
Pcs == {"idle", "lock", "queued", "done"} \cup Holding
Remembered == Writers \cup {"init"}

\* Any state at all, of writes.
TypeAssign ==
    /\ extent \in [Block -> {"hole", "unwritten", "written"}]
    /\ disk \in [Sector -> {"zero", "stale", "old"} \cup Writers]
    /\ size \in Int
    /\ dio \in Int
    /\ cache = Nothing
    /\ pc \in [Writers -> Pcs]
    /\ held \in [Writers -> {"none", "shared", "exclusive"}]
    /\ ahead = [r \in Writers |-> {}]
    /\ \E mode \in [Writers -> {"shared", "exclusive"}],
          drain \in [Writers -> BOOLEAN], wait \in [Writers -> BOOLEAN] :
          plan = [r \in Writers |-> [mode |-> mode[r], drain |-> drain[r], wait |-> wait[r],
                                     saw |-> Nothing, buffered |-> FALSE]]
    /\ next \in [Writers -> Int]
    /\ bios \in [Writers -> SUBSET Bio]
    /\ convert \in [Writers -> SUBSET Block]
    /\ io \in [Writers -> {"none", "flying", "converted", "ended"}]
    /\ failed \in [Writers -> BOOLEAN]
    /\ buffer = [r \in Writers |-> Nothing]
    /\ retries = [r \in Writers |-> 0]
    /\ result \in [Writers -> {"none", "ok", "EAGAIN", "EIO"}]
    /\ current \in [Sector -> SUBSET Remembered]
    /\ older \in [Writers -> SUBSET Remembered]
    /\ may = [r \in Reads |-> [s \in Sector |-> {}]]

Flying(r)   == io[r] = "flying"
UnderWay(r) == io[r] \in {"flying", "converted"}

\* r covers block b in part.
Partly(r, b) ==
    /\ b \in Blocks(r)
    /\ Calls[r].from > PerBlock * b \/ Calls[r].to < PerBlock * b + PerBlock - 1

\* r keeps all others out: those to come by the lock, those before by the
\* drain; and it stays until its I/O has ended.
Alone(r) == held[r] = "exclusive" /\ plan[r].drain /\ plan[r].wait

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

\* What TypeAssign takes for granted: nobody reads, falls back, retries or
\* carries over what it saw; no page is dirty; and nobody queues, since the lock
\* is granted in any order.
Typed == cache = Nothing /\
    \A r \in Writers :
        /\ pc[r] \in Pcs
        /\ ahead[r] = {}
        /\ plan[r].saw = Nothing
        /\ ~plan[r].buffered
        /\ buffer[r] = Nothing
        /\ retries[r] = 0
        /\ \A bio \in bios[r] : bio.part # "read"

\* What is left of TypeAssign: its sets, which every step keeps too.
InTypes ==
    /\ \A b \in Block : extent[b] \in {"hole", "unwritten", "written"}
    /\ \A s \in Sector : /\ disk[s] \in {"zero", "stale", "old"} \cup Writers
                         /\ current[s] \subseteq Remembered
    /\ \A r \in Writers :
        /\ held[r] \in {"none", "shared", "exclusive"}
        /\ plan[r].mode \in {"shared", "exclusive"}
        /\ bios[r] \subseteq Bio
        /\ convert[r] \subseteq Block
        /\ io[r] \in {"none", "flying", "converted", "ended"}
        /\ result[r] \in {"none", "ok", "EAGAIN", "EIO"}
        /\ older[r] \subseteq Remembered

\* The lock: who is between Lock and Unlock holds it; a writer of it, alone.
Locked ==
    \A r \in Writers :
        /\ (held[r] # "none") = (pc[r] \in Holding)
        /\ held[r] = "exclusive" => \A q \in Writers \ {r} : held[q] = "none"

\* i_dio_count counts the requests with I/O under way.
Counted == dio = Cardinality({r \in Writers : UnderWay(r)})

\* Where the caller is, and how far its I/O and its result are.
Phases ==
    \A r \in Writers :
        /\ pc[r] \in {"idle", "lock", "check", "drain", "begin"} =>
              io[r] = "none" /\ result[r] = "none"
        /\ pc[r] = "map" => io[r] = "flying"
        /\ pc[r] = "io" => io[r] # "none"
        /\ pc[r] = "queued" => UnderWay(r)
        /\ pc[r] = "done" => io[r] \in {"none", "ended"}
        /\ pc[r] \in {"unlock", "done"} /\ io[r] = "none" => result[r] = "EAGAIN"
        /\ UnderWay(r) => result[r] = "none"
        /\ io[r] = "ended" => (result[r] = "none") = (pc[r] = "io")

\* Who has drained holds the lock exclusively and will wait; who unlocks with
\* I/O in flight was not to wait.
Planned ==
    \A r \in Writers :
        /\ pc[r] \in {"drain", "begin", "map", "io"} /\ plan[r].drain =>
              held[r] = "exclusive" /\ plan[r].wait
        /\ pc[r] = "unlock" /\ io[r] # "none" => ~plan[r].wait

\* The heart: who goes on without being alone will zero nothing.  What it
\* covers in part is written, and it does not end at EOF.
Decided ==
    \A r \in Writers :
        (pc[r] \in {"drain", "begin"} \/ Flying(r)) /\ ~Alone(r) =>
            /\ \A b \in Block : Partly(r, b) => extent[b] = "written"
            /\ Unaligned(r) => End(r) < size

\* A request maps its blocks in order, and submits nothing after the last.
Mapping ==
    \A r \in Writers :
        Flying(r) => IF pc[r] = "map" THEN next[r] \in Blocks(r) ELSE next[r] > LastBlock(r)

\* I/O in flight is for blocks that are mapped; a pad is one's who is alone,
\* on a block that it is to convert, or behind EOF.
InFlight ==
    \A r \in Writers : \A bio \in bios[r] :
        /\ Flying(r)
        /\ bio.block \in Blocks(r)
        /\ bio.block < next[r]
        /\ Pad(bio) => /\ Alone(r)
                       /\ \/ bio.block \in convert[r]
                          \/ bio.part = "tail" /\ End(r) >= size

\* A mapped block is allocated, and written unless it is to be converted.
Mapped ==
    \A r \in Writers : \A b \in Block :
        Flying(r) /\ b \in Blocks(r) /\ b < next[r] =>
            /\ extent[b] # "hole"
            /\ b \in convert[r] \/ extent[b] = "written"

\* Who converts a block that it covers in part is alone, and until then nobody
\* can read the block.
Converting ==
    \A r \in Writers : \A b \in convert[r] :
        /\ Flying(r)
        /\ b \in Blocks(r)
        /\ b < next[r]
        /\ Partly(r, b) => Alone(r) /\ extent[b] # "written"

\* A pad that is done has left zeroes, and they are there until the conversion.
Zeroed ==
    \A r \in Writers : \A b \in convert[r] :
        ~failed[r] => \A s \in Sector :
            /\ (/\ BlockOf(s) = b /\ s < Calls[r].from
                /\ [part |-> "head", block |-> b] \notin bios[r]) => disk[s] = "zero"
            /\ (/\ BlockOf(s) = b /\ s > Calls[r].to
                /\ [part |-> "tail", block |-> b] \notin bios[r]) => disk[s] = "zero"

\* Data that are on the disk and not acknowledged yet have been replaced, if at
\* all, by those of a write that is not older.
Landed ==
    \A r \in Writers : \A s \in Sector :
        /\ s \in Range(r)
        /\ io[r] # "none" /\ result[r] = "none" /\ ~failed[r]
        /\ Flying(r) => BlockOf(s) < next[r]
        /\ [part |-> "data", block |-> BlockOf(s)] \notin bios[r]
        => disk[s] \in current[s] \ older[r]

\* Older than a write is what was acknowledged before its call.
OlderAcked == \A r \in Writers : \A q \in older[r] : q # "init" => result[q] = "ok"

\* A write that has not returned may show in each of its sectors.
Pending ==
    \A r \in Writers : pc[r] # "idle" /\ result[r] = "none" =>
        \A s \in Range(r) : r \in current[s]

\* Who has not begun has written nothing.
NoData == \A r \in Writers : io[r] = "none" => \A s \in Sector : disk[s] # r

\* NoLostWrite of the sectors of written blocks, those behind EOF too.
Current ==
    \A s \in Sector : extent[BlockOf(s)] = "written" =>
        disk[s] \in {Value(q, s) : q \in current[s]}

\* NoLostWrite of the others: they read as zero, as at the start.
Invisible ==
    \A s \in Sector : ~(s < size /\ extent[BlockOf(s)] = "written") =>
        "init" \in current[s] /\ FirstView(s) = "zero"

\* What a write without an error has converted, and how far the file has grown.
Ended ==
    \A r \in Writers : io[r] \in {"converted", "ended"} /\ ~failed[r] =>
        /\ \A b \in Blocks(r) : extent[b] = "written"
        /\ End(r) <= size

\* The file does not shrink.
Grown == size >= Length

\* All but the heart.
WeakInv ==
    /\ Typed
    /\ Locked
    /\ Counted
    /\ Phases
    /\ Planned
    /\ AloneAfterDrain
    /\ Mapping
    /\ InFlight
    /\ Mapped
    /\ Converting
    /\ Zeroed
    /\ Landed
    /\ OlderAcked
    /\ Pending
    /\ NoData
    /\ Current
    /\ Invisible
    /\ Ended
    /\ Grown
    /\ EagainOnlyWithNowait

IndInv == WeakInv /\ Decided

IndInit == TypeAssign /\ IndInv

-----------------------------------------------------------------------------
(* Next in three parts, so that a step check ends in time, and those of    *)
(* one write, u: neither the invariant nor Next nor what is left open tells*)
(* the writes apart, so that u's steps stand for those of all.             *)

Calling    == Call("u")
Proceeding == Proceed("u")
Ending     == Ends("u")

\* For the faulty designs, where they decide; for the control, where it zeroes.
Checking == Check("u")
Zeroing  == Map("u")

-----------------------------------------------------------------------------
(* Control: without Decided the rest is not inductive; somebody maps a     *)
(* block that is not written, and zeroes its rest, in company.             *)

WeakInit == TypeAssign /\ WeakInv
=============================================================================
