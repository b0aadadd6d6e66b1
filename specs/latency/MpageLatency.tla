---------------------------- MODULE MpageLatency ----------------------------
(***************************************************************************)
(* The loop of delayed allocation that could not be preempted: how long a  *)
(* real-time task waits for a processor on which a flusher writes pages,   *)
(* and what a flusher that gives it up has with it.                        *)
(*                                                                         *)
(* MODELLED.  One flusher in ext4's writepages; a real-time task that      *)
(* wakes up on its processor; a jbd2 commit, on another, that waits for    *)
(* the flusher's handle.  A step of the flusher is a page collected, a     *)
(* page submitted, or one call of the journal, the allocator or the block  *)
(* layer.  Preemption says where the kernel has preemption points:         *)
(*   "none"       at cond_resched (CONFIG_PREEMPT_NONE)                    *)
(*   "voluntary"  there, and at might_sleep (CONFIG_PREEMPT_VOLUNTARY)     *)
(*   "full"       behind each step (CONFIG_PREEMPT).  PREEMPT_LAZY is the  *)
(*                same to a real-time task: it is the fair class alone     *)
(*                that asks for the processor with TIF_NEED_RESCHED_LAZY.  *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  The pages are one run, and the allocator maps    *)
(* what it is asked for, without a search of the block groups, which has a *)
(* cond_resched.  No page is mapped by a process, no bio is full before    *)
(* its extent ends, and i_disksize need not grow: each is one more         *)
(* might_sleep.  Two preemption points without a step between them are     *)
(* one.  With full preemption a step is what a spinlock protects, or less. *)
(* A step never sleeps but where a handle starts while a commit waits, and *)
(* in the stop of a synchronous handle: the processor is free then.  A     *)
(* commit begins while the handle is open; it waits for the handle and for *)
(* the data (data=ordered) in one step, and no handle starts before its    *)
(* end: Jbd2Credits has it all.  I/O that is sent completes.               *)
(*                                                                         *)
(* OUT OF SCOPE.  The length of a step in time, and where in it a spinlock *)
(* is held: see docs/latency.md.                                           *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
    Pages,      \* N: how many pages are dirty
    Mapped,     \* how many of them, the first ones, have blocks already
    Batch,      \* pages in a pagevec
    Extent,     \* E: pages that one handle is for, if it is for an extent
    Policy,     \* a record of decisions: see MpageLatencyPolicies
    Preemption, \* where there are preemption points: see above
    MaxStretch, \* bound: steps between two preemption points
    MaxHeld     \* bound: how often the flusher is off while a commit waits

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    next,       \* pages that are submitted
    locked,     \* pages that are collected, hence locked
    bio,        \* pages under writeback in a bio that is not sent
    handle,     \* the flusher has a handle
    point,      \* the flusher is at a preemption point
    stretch,    \* history: its steps since the last one
    held        \* history: how often it went off under this handle while a
                \* commit waits for it

\* @type: <<Int, Int>>;
pages   == <<next, locked>>
\* What the flusher has when it goes off its processor.
\* @type: <<<<Int, Int>>, Int, Bool>>;
work    == <<pages, bio, handle>>
\* @type: <<Int, Int>>;
history == <<stretch, held>>

vars == <<pc, work, point, history>>

TypeOK ==
    /\ pc.flusher \in {
            "idle",     \* has nothing to write
            "start",    \* first pass without a handle, then jbd2__journal_start
            "collect",  \* locks pages
            "map",      \* maps them
            "submit",   \* submits them
            "stop",     \* jbd2_journal_stop
            "sync",     \* the same, waits for the commit
            "send"}     \* ext4_io_submit
    /\ pc.realtime \in {
            "sleep",    \* wants nothing
            "wants",    \* is awake: need_resched
            "runs"}     \* has the processor, the flusher has not
    /\ pc.commit \in {
            "idle",     \* no commit waits
            "wait"}     \* for the handle, and for its data
    /\ DOMAIN pc = {"flusher", "realtime", "commit"}
    /\ next \in 0 .. Pages
    /\ locked \in 0 .. Pages
    /\ bio \in 0 .. Extent
    /\ handle \in BOOLEAN
    /\ point \in BOOLEAN
    /\ stretch \in 0 .. MaxStretch + 1
    /\ held \in 0 .. MaxHeld + 1

Init ==
    /\ pc = [flusher |-> "idle", realtime |-> "sleep", commit |-> "idle"]
    /\ next = 0
    /\ locked = 0
    /\ bio = 0
    /\ handle = FALSE
    /\ point = FALSE
    /\ stretch = 0
    /\ held = 0

\* One more than n, and no more than one above the bound.
Count(n, max) == IF n <= max THEN n + 1 ELSE n

-----------------------------------------------------------------------------
(* The decisions in which the variants differ.                             *)

IsPerExtent == Policy.handle = "extent"

\* Has the handle as many pages as it is for, with one more?
IsFull == next + locked + 1 = Pages \/ (IsPerExtent /\ locked + 1 = Extent)

\* What the flusher does when all pages of a handle are submitted, when the
\* handle is stopped, and when its commit is over.
Again       == IF next = Pages THEN "idle" ELSE "start"
AfterStop   == IF IsPerExtent /\ Policy.stop = "early" THEN "send" ELSE Again
AfterSend   == IF Policy.stop = "late" THEN "stop" ELSE Again
AfterSubmit == IF IsPerExtent /\ Policy.stop = "late" THEN "send" ELSE "stop"

\* Does a step after which the flusher is to do `then` end at a cond_resched?
\* There is one in its caller's loop (writeback_sb_inodes).
IsBetween(then) == then = "idle" \/ (then = "start" /\ "stop" \in Policy.points)

-----------------------------------------------------------------------------
(* Preemption points.                                                      *)

\* Does what the flusher does next begin with a might_sleep, behind a step of
\* `from`?  ext4_journal_check_start; lock_page and folio_lock, in the first
\* pass too; down_read in ext4_map_blocks; submit_bio; and bio_alloc, for each
\* page (submit_bh of 2.6.34), or once for the bio of an extent.
MightSleep(from, then) ==
    \/ then \in {"start", "collect", "map", "send"}
    \/ then = "submit" /\ (IsPerExtent => from = "map")

\* Is there a preemption point between the two?
IsPoint(from, then, resched) ==
    CASE Preemption = "none"      -> resched
      [] Preemption = "voluntary" -> resched \/ MightSleep(from, then)
      [] Preemption = "full"      -> TRUE

-----------------------------------------------------------------------------
(* The flusher.                                                            *)

\* It has the processor, and is not at a preemption point.
IsRunning == pc.realtime # "runs" /\ ~point

\* The real-time task, when the flusher leaves the processor.
GivenWay == IF pc.realtime = "wants" THEN "runs" ELSE "sleep"

\* One step from `from` to `then`, with a cond_resched at its end or without.
Goes(from, then, resched) ==
    /\ pc.flusher = from
    /\ IsRunning
    /\ pc' = [pc EXCEPT !.flusher = then]
    /\ point' = IsPoint(from, then, resched)
    /\ stretch' = Count(stretch, MaxStretch)
    /\ UNCHANGED held

\* ext4_writepages is called: there are dirty pages.
Begin ==
    /\ pc.flusher = "idle"
    /\ IsRunning
    /\ pc' = [pc EXCEPT !.flusher = "start"]
    /\ next' = 0
    /\ UNCHANGED <<locked, bio, handle, point, history>>

\* mpage_prepare_extent_to_map with do_map = 0: a page that has its blocks is
\* submitted without a handle.
FirstPass ==
    /\ IsPerExtent
    /\ next < Mapped
    /\ Goes("start", "start", "collect" \in Policy.points /\ (next + 1) % Batch = 0)
    /\ next' = next + 1
    /\ UNCHANGED <<locked, bio, handle>>

\* ext4_journal_start, which waits for a commit that waits for handles.
StartHandle ==
    /\ IsPerExtent => next >= Mapped
    /\ pc.commit = "idle"
    /\ Goes("start", "collect", FALSE)
    /\ handle' = TRUE
    /\ UNCHANGED <<pages, bio>>

\* write_cache_pages, mpage_prepare_extent_to_map: one page more is locked.
Collect ==
    /\ Goes("collect", IF IsFull THEN "map" ELSE "collect",
            /\ "collect" \in Policy.points
            /\ (locked + 1) % Batch = 0 \/ next + locked + 1 = Pages)
    /\ locked' = locked + 1
    /\ UNCHANGED <<next, bio, handle>>

\* mpage_da_map_blocks, mpage_map_one_extent.
MapExtent ==
    /\ Goes("map", "submit", FALSE)
    /\ UNCHANGED work

\* mpage_da_submit_io, mpage_submit_folio: a page is unlocked, its I/O sent or
\* put into the bio.
SubmitPage ==
    /\ Goes("submit", IF locked = 1 THEN AfterSubmit ELSE "submit",
            /\ "submit" \in Policy.points
            /\ locked = 1 \/ ((IF IsPerExtent THEN bio ELSE next) + 1) % Batch = 0)
    /\ next' = next + 1
    /\ locked' = locked - 1
    /\ bio' = IF IsPerExtent THEN bio + 1 ELSE bio
    /\ UNCHANGED handle

\* jbd2_journal_stop.
StopHandle ==
    /\ ~Policy.sync
    /\ Goes("stop", AfterStop, IsBetween(AfterStop))
    /\ handle' = FALSE
    /\ UNCHANGED <<pages, bio>>

\* jbd2_journal_stop of a synchronous handle: it asks for the commit, and sleeps
\* in jbd2_log_wait_commit.  The real-time task has the processor, if it wants it.
StopSyncHandle ==
    /\ Policy.sync
    /\ pc.flusher = "stop"
    /\ IsRunning
    /\ pc' = [flusher |-> "sync", commit |-> "wait", realtime |-> GivenWay]
    /\ handle' = FALSE
    /\ stretch' = 0
    /\ UNCHANGED <<pages, bio, point, held>>

\* jbd2_log_wait_commit returns.
Synced ==
    /\ pc.commit = "idle"
    /\ Goes("sync", AfterStop, IsBetween(AfterStop))
    /\ UNCHANGED work

\* ext4_io_submit.
SendBio ==
    /\ Goes("send", AfterSend, IsBetween(AfterSend))
    /\ bio' = 0
    /\ UNCHANGED <<pages, handle>>

\* __cond_resched, or preempt_schedule: off the processor, if it is wanted.
Resched ==
    /\ point
    /\ pc.realtime # "runs"
    /\ point' = FALSE
    /\ stretch' = 0
    /\ pc' = [pc EXCEPT !.realtime = GivenWay]
    /\ held' = IF pc.realtime = "wants" /\ handle /\ pc.commit = "wait"
               THEN Count(held, MaxHeld) ELSE held
    /\ UNCHANGED work

-----------------------------------------------------------------------------
(* The real-time task.                                                     *)

\* On a processor that is busy.
Wake ==
    /\ pc.realtime = "sleep"
    /\ pc.flusher \notin {"idle", "sync"} \/ point
    /\ pc' = [pc EXCEPT !.realtime = "wants"]
    /\ UNCHANGED <<work, point, history>>

\* It sleeps again, and the flusher has the processor.
Resume ==
    /\ pc.realtime = "runs"
    /\ pc' = [pc EXCEPT !.realtime = "sleep"]
    /\ UNCHANGED <<work, point, history>>

-----------------------------------------------------------------------------
(* The commit.                                                             *)

\* jbd2_journal_commit_transaction: t_updates is not 0.
CommitWaits ==
    /\ pc.commit = "idle"
    /\ handle
    /\ pc' = [pc EXCEPT !.commit = "wait"]
    /\ UNCHANGED <<work, point, history>>

\* The handle is stopped, the data are on the disk.
CommitGoesOn ==
    /\ pc.commit = "wait"
    /\ ~handle
    /\ bio = 0
    /\ pc' = [pc EXCEPT !.commit = "idle"]
    /\ held' = 0
    /\ UNCHANGED <<work, point, stretch>>

Next ==
    \/ Begin
    \/ FirstPass
    \/ StartHandle
    \/ Collect
    \/ MapExtent
    \/ SubmitPage
    \/ StopHandle
    \/ StopSyncHandle
    \/ Synced
    \/ SendBio
    \/ Resched
    \/ Wake
    \/ Resume
    \/ CommitWaits
    \/ CommitGoesOn

Spec == Init /\ [][Next]_vars

Flusher ==
    FirstPass \/ StartHandle \/ Collect \/ MapExtent \/ SubmitPage \/ StopHandle \/ StopSyncHandle
    \/ Synced \/ SendBio \/ Resched

\* The flusher goes on where it can, the real-time task gives the processor
\* back, the commit goes on.  Nobody is obliged to dirty pages, to wake up or
\* to ask for a commit.
FairSpec == Spec /\ WF_vars(Flusher) /\ WF_vars(Resume) /\ WF_vars(CommitGoesOn)

\* A real-time task that may keep the processor for ever.
NoResumeSpec == Spec /\ WF_vars(Flusher) /\ WF_vars(CommitGoesOn)

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* The real-time task waits for so many steps of the flusher at most.
BoundedStretch == stretch <= MaxStretch

\* The flusher is never off its processor with pages locked under a handle.
NeverOffWithHandle == ~(pc.realtime = "runs" /\ handle /\ locked > 0)

\* A commit waits for the real-time task so often at most.
BoundedCommitWait == held <= MaxHeld

-----------------------------------------------------------------------------
(* How long a stretch may be, whatever the number of pages.  A stretch     *)
(* begins behind a preemption point and ends with the step that has the    *)
(* next.                                                                   *)

\* Pages behind the last whole pagevec, of an extent and of those that have
\* their blocks: the loop that collects ends with them, past its cond_resched.
Rest       == Extent % Batch
RestMapped == Mapped % Batch

Max(x, y) == IF x >= y THEN x ELSE y
Min(x, y) == IF x <= y THEN x ELSE y

-----------------------------------------------------------------------------
(* Without preemption, at cond_resched alone.  Where a handle is for an    *)
(* extent and the loop that collects has a point, an extent is a pagevec   *)
(* at least: a shorter one never comes to it.                              *)

\* A point in both loops of a handle for all pages: its start, and a pagevec.
PagevecStretch == 1 + Batch

\* A point in the loop that collects: the rest of one extent is collected, all
\* of it is mapped and submitted, the handle stopped and the bio sent; the next
\* handle starts, and a pagevec is collected for it.
ExtentStretch == Rest + (1 + Extent + 1 + 1) + (1 + Batch)

\* The stop waits for the commit, and comes last: the stretch ends with the bio.
\* Before the first handle, those that have blocks may be as many.
SyncStretch == Max(Rest + (1 + Extent + 1), RestMapped + (1 + Batch))

\* A point in the loop that submits too: map and the first pagevec, behind a
\* rest; or stop, send, and the start and the first pagevec of the next handle.
\* Before the first handle, the rest of those that have blocks may be longer than
\* stop and send.  A short extent has its first point at its end.
ExtentPagevecStretch ==
    IF Extent >= Batch THEN Max(Rest, Max(2, RestMapped)) + (1 + Batch)
    ELSE Max(2, RestMapped) + (1 + Extent + 1 + Extent)

\* A point between two handles alone: start, collect, map, submit, stop, send.
\* Those that have blocks come on top, and they are as many as they are.
HandleStretch == 1 + Extent + 1 + Extent + 1 + 1

StretchWithout ==
    CASE ~IsPerExtent                -> PagevecStretch
      [] "stop" \in Policy.points   -> HandleStretch
      [] "submit" \in Policy.points -> ExtentPagevecStretch
      [] Policy.sync                -> SyncStretch
      [] OTHER                      -> ExtentStretch

-----------------------------------------------------------------------------
(* With voluntary preemption: pages are submitted behind the bio_alloc of  *)
(* their bio, and no might_sleep is in a stop.                             *)

StretchVoluntary ==
    LET submits == IF IsPerExtent THEN Extent ELSE 1
    IN CASE "submit" \in Policy.points          -> Min(submits, Batch)
         [] IsPerExtent /\ Policy.stop = "late" -> submits
         [] OTHER                               -> submits + 1

-----------------------------------------------------------------------------

StretchBound ==
    CASE Preemption = "none"      -> StretchWithout
      [] Preemption = "voluntary" -> StretchVoluntary
      [] Preemption = "full"      -> 1

ConstantStretch == stretch <= StretchBound

\* No smaller bound will do: must be violated.
BelowStretchBound == stretch < StretchBound

\* How often a flusher is at a preemption point under a handle for an extent, at
\* most: for each pagevec in both loops; or behind the start, each page that it
\* collects and the map, and for each pagevec that it submits; or behind each
\* step from the start to the bio.
PointsOfHandle ==
    LET pagevecs == (Extent + Batch - 1) \div Batch
    IN CASE Preemption = "none"      -> 2 * pagevecs
         [] Preemption = "voluntary" -> 1 + Extent + 1 + pagevecs
         [] Preemption = "full"      -> 1 + Extent + 1 + Extent + 1

ConstantCommitWait == held <= PointsOfHandle

-----------------------------------------------------------------------------
(* Progress.                                                               *)

\* The pages are written.
ExtentWritten == pc.flusher = "start" ~> pc.flusher = "idle"

\* A commit that waits goes on.
CommitProgress == pc.commit = "wait" ~> pc.commit = "idle"
=============================================================================
