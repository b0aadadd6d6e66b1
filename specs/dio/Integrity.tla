----------------------------- MODULE Integrity -----------------------------
(***************************************************************************)
(* What direct I/O must keep, judged from what requests returned and what  *)
(* is on the disk.  UnalignedDio remembers, for each sector, the requests  *)
(* whose value it may have: the history oracle.  A check of the final      *)
(* state would not do: a later write may cover what was lost.              *)
(***************************************************************************)
EXTENDS UnalignedDio

\* What a read of s would return, were it alone; before the first call; and
\* what request q makes of s.
View(s)     == IF s < size THEN Page(s) ELSE "zero"
FirstView(s) == IF s < Length /\ Extents[BlockOf(s)] = "written" THEN "old" ELSE "zero"
Value(q, s) == IF q = "init" THEN FirstView(s)
               ELSE IF q \in Writes THEN q ELSE "zero"

\* A sector has the value of the last write to it, or of one that overlapped
\* that write in time: it never goes back to zero or to an older one.
Keeps(s)    == View(s) \in {Value(q, s) : q \in current[s]}
NoLostWrite == \A s \in Sector : Keeps(s)

\* Who writes up to EOF leaves zeroes behind it, whatever was there.
TailIsZero ==
    \A r \in Writes : result[r] = "ok" /\ End(r) = size =>
        \A s \in In(LastBlock(r)) : s >= size => disk[s] = "zero"

\* A read returns, sector by sector, what was there at some time between its
\* call and its return.
ReadsAreCurrent ==
    \A r \in Reads : result[r] = "ok" =>
        /\ DOMAIN buffer[r] = Range(r)
        /\ \A s \in Range(r) : buffer[r][s] \in {Value(q, s) : q \in may[r][s]}

\* A read never returns what the disk held before the block was written.
NoStaleRead ==
    \A r \in Reads : \A s \in DOMAIN buffer[r] : buffer[r][s] # "stale"

\* The argument for the shared lock: without the exclusive one, and while any
\* direct I/O is under way, a written block stays written.
WrittenStable ==
    [][\A b \in Block : extent[b] = "written" /\ extent'[b] # "written" =>
          dio = 0 /\ \E r \in Request : held[r] = "exclusive"]_vars

\* Who has called inode_dio_wait is alone until it unlocks: i_dio_count is its
\* own.
Drained(r) ==
    \/ plan[r].drain /\ pc[r] \in {"begin", "map", "io"}
    \/ pc[r] = "fill" /\ BufferedDrains(r)
    \/ pc[r] = "free" /\ FreeDrains(r)
AloneAfterDrain ==
    \A r \in Request :
        Drained(r) => dio = (IF io[r] \in {"flying", "converted"} THEN 1 ELSE 0)

\* While a pad is in flight, nobody else has I/O in flight on its block.
ZeroingExcludesIo ==
    \A r \in Request : \A q \in Request \ {r} :
        \A pad \in {bio \in bios[r] : Pad(bio)} : \A bio \in bios[q] : bio.block # pad.block

\* I/O in flight is for blocks that belong to the file.
NoMisplacedIo ==
    \A r \in Request : \A bio \in bios[r] : extent[bio.block] # "hole"

\* A NOWAIT request waits for nothing but its own I/O.
NowaitNeverBlocks ==
    \A r \in Request :
        Nowait(r) /\ pc[r] \notin {"idle", "done", "queued"} => ENABLED (Proceed(r) \/ Ends(r))

\* Only who has asked for it gets -EAGAIN.
EagainOnlyWithNowait == \A r \in Request : result[r] = "EAGAIN" => Nowait(r)

RetriesOnce == \A r \in Request : retries[r] <= 1

-----------------------------------------------------------------------------
(* Progress.                                                               *)

EveryCallReturns == \A r \in Request : pc[r] # "idle" ~> result[r] # "none"
=============================================================================
