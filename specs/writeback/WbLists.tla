------------------------------ MODULE WbLists ------------------------------
(***************************************************************************)
(* The lists of inodes under wb->list_lock: who moves an inode from list   *)
(* to list, and what sync(2) may rely on.                                  *)
(*                                                                         *)
(* MODELLED.  One bdi_writeback of Linux (fs/fs-writeback.c as read in     *)
(* 6.12.107, 1b23b9f8 of CachyOS and 7.3.4) with b_dirty, b_io,            *)
(* b_more_io and b_dirty_time; its flusher, which runs background work and *)
(* the work of a sync (wb_writeback, queue_io, writeback_sb_inodes,        *)
(* __writeback_single_inode, requeue_inode); one caller of sync(2); one    *)
(* thread that writes an inode by itself (writeback_single_inode); one     *)
(* thread that dirties pages, which tags a page first and then marks its   *)
(* inode (__mark_inode_dirty); and timestamps that are dirty alone         *)
(* (I_DIRTY_TIME).  dirtied_when is only compared with the start of a      *)
(* sync's work: an inode is `fresh` if it is later.                        *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  What list_lock and i_lock cover is one step.     *)
(* A sync's work begins and looks at b_io in one step.  Any inode of b_io  *)
(* may be the next.  The clock ticks between two steps.                    *)
(* Where a background pass leaves pages of an inode, it has used its slice *)
(* up, which is one page.  A writer without tags meets the pages in any    *)
(* order, and a page dirtied again stands for one that is appended.        *)
(*                                                                         *)
(* OUT OF SCOPE.  The order in a list, expiry and kupdate, skipped pages,  *)
(* other superblocks, inodes that are freed or change their wb, I/O        *)
(* itself: see docs/writeback.md.                                          *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets

CONSTANTS
    One, Two,   \* inodes with one page, and with two
    Stamped,    \* those whose timestamps may become dirty alone
    Synced,     \* those that are written by themselves
    Again,      \* TRUE: a thread that has written an inode may do so again
    AtOnce,     \* TRUE: a page is tagged and its inode marked in one step
    Policy      \* see WbListsPolicies

Inode    == One \cup Two
Page     == (One \X {1}) \cup (Two \X {1, 2})
Writer   == {"flusher", "fsyncer"}
ListName == {"dirty", "io", "more", "time"}

VARIABLES
    pc,              \* what each task is doing, see TypeOK
    list,            \* the inodes on each list
    inode,           \* the inode that each writer is at: {} or {i}
    towrite,         \* the pages that each writer has tagged and not written yet
    dirty,           \* the pages that are tagged dirty
    marking,         \* the page that is tagged, its inode not marked yet: {} or {p}
    i_dirty_pages,   \* inodes with I_DIRTY_PAGES
    i_dirty_time,    \* inodes with I_DIRTY_TIME
    fresh,           \* inodes dirtied after the work of the sync began
    promised_pages,  \* history: pages dirty when sync(2) was called, not written yet
    promised_times   \* history: inodes, the same of their timestamps

\* Where inodes are; the work that is done; what is dirty, by tag and by i_state; what
\* a sync is for.
lists   == <<list, fresh>>
work    == <<inode, towrite>>
\* @type: <<Set(<<INODE, Int>>), Set(<<INODE, Int>>)>>;
tags    == <<dirty, marking>>
\* @type: <<Set(INODE), Set(INODE)>>;
i_dirty == <<i_dirty_pages, i_dirty_time>>
marks   == <<tags, i_dirty>>
promise == <<promised_pages, promised_times>>

vars == <<pc, lists, work, marks, promise>>

Pages(i) == {p \in Page : p[1] = i}

TypeOK ==
    /\ pc["flusher"] \in {
            "idle",
            "pick",     \* has work: at the top of a loop, under list_lock
            "wait",     \* inode_sleep_on_writeback
            "write",    \* has I_SYNC; do_writepages
            "spent",    \* the same, its slice is used up
            "requeue"}  \* the same, the inode is written
    /\ pc["fsyncer"] \in {"idle", "write", "requeue", "done"}
    /\ pc["caller"] \in {
            "idle",
            "queued",   \* waits, its work is queued
            "served",   \* waits, the flusher is at it
            "returned"} \* sync(2) has returned
    /\ list \in [ListName -> SUBSET Inode]
    /\ inode \in [Writer -> SUBSET Inode]
    /\ \A w \in Writer : Cardinality(inode[w]) <= 1
    /\ towrite \in [Writer -> SUBSET Page]
    /\ dirty \subseteq Page
    /\ marking \subseteq Page /\ Cardinality(marking) <= 1
    /\ i_dirty_pages \subseteq Inode
    /\ i_dirty_time \subseteq Stamped
    /\ fresh \subseteq Inode
    /\ promised_pages \subseteq Page
    /\ promised_times \subseteq Inode

Init ==
    /\ pc = [t \in {"flusher", "fsyncer", "caller"} |-> "idle"]
    /\ list = [l \in ListName |-> {}]
    /\ inode = [w \in Writer |-> {}]
    /\ towrite = [w \in Writer |-> {}]
    /\ dirty = {}
    /\ marking = {}
    /\ i_dirty_pages = {}
    /\ i_dirty_time = {}
    /\ fresh = {}
    /\ promised_pages = {}
    /\ promised_times = {}

Syncing    == pc["caller"] = "served"
Queued(i)  == i \in list["io"] \cup list["more"]
Writes(w)  == pc[w] \in {"write", "spent", "requeue"}
ISync(i)   == \E w \in Writer : Writes(w) /\ i \in inode[w]
Integrity(w) == w = "fsyncer" \/ Syncing      \* WB_SYNC_ALL

\* inode_io_list_move_locked, and off all lists.
Removed(i)  == [l \in ListName |-> list[l] \ {i}]
Moved(i, l) == [(IF Policy.moves THEN Removed(i) ELSE list) EXCEPT ![l] = @ \cup {i}]

\* dirtied_when = jiffies.
StampNow(i) == IF Syncing THEN fresh \cup {i} ELSE fresh

\* redirty_tail: what `fresh` may be once i is put on b_dirty, where nothing is later
\* than what comes behind it.  (Between two that were marked before the work of the
\* sync there is no order here, and none is stamped: MCWbLists has it otherwise.)
TailStamps(i, stamps) ==
    {IF list["dirty"] \cap stamps # {} THEN stamps \cup {i} ELSE stamps}

-----------------------------------------------------------------------------
(* Dirtiers.                                                               *)

\* Does __mark_inode_dirty move an inode without I_DIRTY?
MarkMoves(i) == IF Policy.queued THEN ~Queued(i) ELSE ~ISync(i)

MarkPages(i) ==
    /\ i_dirty_pages' = i_dirty_pages \cup {i}
    /\ IF i \notin i_dirty_pages /\ MarkMoves(i)
       THEN list' = Moved(i, "dirty") /\ fresh' = StampNow(i)
       ELSE UNCHANGED lists

\* A page is written to: its tag, and with AtOnce the rest too.
Dirty(p) ==
    /\ p \in Page \ dirty
    /\ marking = {}
    /\ dirty' = dirty \cup {p}
    /\ IF AtOnce
       THEN MarkPages(p[1]) /\ UNCHANGED marking
       ELSE marking' = {p} /\ UNCHANGED <<lists, i_dirty_pages>>
    /\ UNCHANGED <<pc, work, i_dirty_time, promise>>

\* __mark_inode_dirty(I_DIRTY_PAGES).
Mark(p) ==
    /\ p \in marking
    /\ marking' = {}
    /\ MarkPages(p[1])
    /\ UNCHANGED <<pc, work, dirty, i_dirty_time, promise>>

\* __mark_inode_dirty(I_DIRTY_TIME).
DirtyTime(i) ==
    /\ i \in Stamped \ i_dirty_time
    /\ i_dirty_time' = i_dirty_time \cup {i}
    /\ IF i \notin i_dirty_pages /\ MarkMoves(i)
       THEN list' = Moved(i, "time") /\ fresh' = StampNow(i)
       ELSE UNCHANGED lists
    /\ UNCHANGED <<pc, work, tags, i_dirty_pages, promise>>

-----------------------------------------------------------------------------
(* Writing an inode: __writeback_single_inode.                             *)

\* What w has still to write: the pages that it has tagged, or any at all.
Tagging(w) == Policy.tags /\ Integrity(w)
ToWrite(w) == IF Tagging(w) THEN towrite[w] \cap dirty
           ELSE {p \in dirty : p[1] \in inode[w]}

\* I_SYNC is set, and the pages tagged.
Begin(w, i) ==
    /\ pc' = [pc EXCEPT ![w] = "write"]
    /\ inode' = [inode EXCEPT ![w] = {i}]
    /\ towrite' = [towrite EXCEPT ![w] = IF Tagging(w) THEN dirty \cap Pages(i) ELSE {}]

WritePage(w, p) ==
    /\ pc[w] = "write"
    /\ p \in ToWrite(w)
    /\ dirty' = dirty \ {p}
    /\ towrite' = [towrite EXCEPT ![w] = @ \ {p}]
    /\ promised_pages' = promised_pages \ {p}
    /\ pc' = IF Integrity(w) \/ ~Policy.slice THEN pc ELSE [pc EXCEPT ![w] = "spent"]
    /\ UNCHANGED <<lists, inode, marking, i_dirty, promised_times>>

\* The pages are done with.  For WB_SYNC_ALL mark_inode_dirty_sync makes dirty
\* timestamps part of the inode, which is written.
WriteInode(w) ==
    /\ pc[w] = "spent" \/ (pc[w] = "write" /\ ToWrite(w) = {})
    /\ pc' = [pc EXCEPT ![w] = "requeue"]
    /\ towrite' = [towrite EXCEPT ![w] = {}]
    /\ i_dirty_pages' = IF \E p \in dirty : p[1] \in inode[w]
                        THEN i_dirty_pages \cup inode[w] ELSE i_dirty_pages \ inode[w]
    /\ i_dirty_time' = IF Integrity(w) THEN i_dirty_time \ inode[w] ELSE i_dirty_time
    /\ promised_times' = promised_times \ (i_dirty_time \ i_dirty_time')
    /\ \E i \in inode[w] :
          IF /\ i \in i_dirty_time \ i_dirty_pages
             /\ Integrity(w) /\ ~Queued(i) /\ Policy.fsync = "requeues"
          THEN list' = Moved(i, "dirty") /\ fresh' = StampNow(i)
          ELSE UNCHANGED lists
    /\ UNCHANGED <<inode, dirty, marking, promised_pages>>

-----------------------------------------------------------------------------
(* The flusher: wb_writeback.                                              *)

StartBackground ==
    /\ pc["flusher"] = "idle"
    /\ pc["caller"] # "queued"
    /\ list["dirty"] \cup list["io"] \cup list["more"] # {}
    /\ pc' = [pc EXCEPT !["flusher"] = "pick"]
    /\ UNCHANGED <<lists, work, marks, promise>>

\* What queue_io takes from a list; `late` is what was dirtied too late.
Expired(late) == (list["dirty"] \cup IF Syncing THEN list["time"] ELSE {}) \ late

Queue(S) ==
    list' = [list EXCEPT !["io"]    = @ \cup list["more"] \cup S,
                         !["more"]  = {},
                         !["dirty"] = @ \ S,
                         !["time"]  = @ \ S]

\* The work of the sync begins: dirtied_before = jiffies, and queue_io if b_io is
\* empty, or in any case.
StartSync ==
    /\ pc["flusher"] = "idle"
    /\ pc["caller"] = "queued"
    /\ pc' = [pc EXCEPT !["flusher"] = "pick", !["caller"] = "served"]
    /\ IF list["io"] = {} \/ Policy.first = "at-once"
       THEN Queue(list["dirty"] \cup list["time"]) ELSE UNCHANGED list
    /\ UNCHANGED <<work, marks, fresh, promise>>

\* Other work waits, for which background work stops.
MustYield == ~Syncing /\ pc["caller"] = "queued" /\ Policy.yields

\* queue_io, where b_io is empty and anything is to be had.
QueueIo ==
    /\ pc["flusher"] = "pick"
    /\ list["io"] = {}
    /\ list["more"] \cup Expired(fresh) # {}
    /\ ~MustYield
    /\ Queue(Expired(fresh))
    /\ UNCHANGED <<pc, work, marks, fresh, promise>>

\* writeback_sb_inodes: the next inode of b_io, which nobody writes.
Pick(i) ==
    /\ pc["flusher"] = "pick"
    /\ i \in list["io"]
    /\ ~ISync(i)
    /\ Begin("flusher", i)
    /\ UNCHANGED <<lists, marks, promise>>

\* The same, of one that somebody writes: background work has it wait on
\* b_more_io, a sync sleeps until I_SYNC is gone.
PickBusy(i) ==
    /\ pc["flusher"] = "pick"
    /\ i \in list["io"]
    /\ ISync(i)
    /\ IF Syncing /\ Policy.isync # "skips"
       THEN /\ pc' = [pc EXCEPT !["flusher"] = "wait"]
            /\ inode' = [inode EXCEPT !["flusher"] = {i}]
            /\ UNCHANGED lists
       ELSE /\ list' = Moved(i, IF Syncing THEN "dirty" ELSE "more")
            /\ fresh' = StampNow(i)
            /\ UNCHANGED <<pc, inode>>
    /\ UNCHANGED <<towrite, marks, promise>>

\* requeue_inode, and I_SYNC is cleared.
Requeue(i) ==
    /\ pc["flusher"] = "requeue"
    /\ i \in inode["flusher"]
    /\ LET full   == dirty \cap Pages(i) # {}
           again  == i \in i_dirty_pages \/ (full /\ Policy.stamp = "tagged")
           stamps == IF Policy.stamp # "never" /\ Syncing /\ again THEN StampNow(i) ELSE fresh
       IN IF full /\ ~Policy.requeue THEN list' = Removed(i) /\ fresh' = stamps
          ELSE IF full /\ ~Syncing THEN list' = Moved(i, "more") /\ fresh' = stamps
          ELSE IF full \/ i \in i_dirty_pages
               THEN list' = Moved(i, "dirty") /\ fresh' \in TailStamps(i, stamps)
          ELSE IF i \in i_dirty_time THEN list' = Moved(i, "time") /\ fresh' = StampNow(i)
          ELSE list' = Removed(i) /\ fresh' = stamps
    /\ pc' = [pc EXCEPT !["flusher"] = "pick"]
    /\ inode' = [inode EXCEPT !["flusher"] = {}]
    /\ UNCHANGED <<towrite, marks, promise>>

\* Background work stops for the sync.
Yield ==
    /\ pc["flusher"] = "pick"
    /\ MustYield
    /\ pc' = [pc EXCEPT !["flusher"] = "idle"]
    /\ UNCHANGED <<lists, work, marks, promise>>

\* There is nothing left for this work.
FinishWork ==
    /\ pc["flusher"] = "pick"
    /\ list["io"] \cup list["more"] \cup Expired(fresh) = {}
    /\ pc' = [pc EXCEPT !["flusher"] = "idle",
                        !["caller"] = IF Syncing THEN "returned" ELSE @]
    /\ fresh' = {}
    /\ UNCHANGED <<list, work, marks, promise>>

-----------------------------------------------------------------------------
(* sync(2).                                                                *)

Sync ==
    /\ pc["caller"] = "idle"
    /\ pc' = [pc EXCEPT !["caller"] = "queued"]
    /\ promised_pages' = dirty \ marking
    /\ promised_times' = i_dirty_time
    /\ UNCHANGED <<lists, work, marks>>

Return ==
    /\ pc["caller"] = "returned"
    /\ pc' = [pc EXCEPT !["caller"] = "idle"]
    /\ promised_pages' = {}
    /\ promised_times' = {}
    /\ UNCHANGED <<lists, work, marks>>

-----------------------------------------------------------------------------
(* writeback_single_inode, of a thread that wants one inode on disk.       *)

Fsync(i) ==
    /\ pc["fsyncer"] = "idle"
    /\ i \in Synced \cap (i_dirty_pages \cup i_dirty_time)
    /\ ~ISync(i)
    /\ ~(Policy.isync = "first" /\ Syncing /\ i \in list["io"])
    /\ Begin("fsyncer", i)
    /\ UNCHANGED <<lists, marks, promise>>

\* The end: a clean inode is on no list, and one that the flusher has not queued
\* on the list that it belongs to.  A flusher that sleeps goes on, to look anew.
FsyncEnd(i) ==
    /\ pc["fsyncer"] = "requeue"
    /\ i \in inode["fsyncer"]
    /\ IF i \notin i_dirty_pages \cup i_dirty_time THEN list' = Removed(i) /\ UNCHANGED fresh
       ELSE IF Queued(i) \/ Policy.fsync = "leaves" THEN UNCHANGED lists
       ELSE IF i \in i_dirty_pages THEN list' = Moved(i, "dirty") /\ fresh' \in TailStamps(i, fresh)
       ELSE list' = Moved(i, "time") /\ fresh' = StampNow(i)
    /\ pc' = [pc EXCEPT !["fsyncer"] = IF Again THEN "idle" ELSE "done",
                        !["flusher"] = IF @ = "wait" /\ inode["flusher"] = {i} THEN "pick" ELSE @]
    /\ inode' = [w \in Writer |->
                    IF w = "fsyncer" \/ pc[w] = "wait" THEN inode[w] \ {i} ELSE inode[w]]
    /\ UNCHANGED <<towrite, marks, promise>>

Next ==
    \/ StartBackground
    \/ StartSync
    \/ QueueIo
    \/ Yield
    \/ FinishWork
    \/ Sync
    \/ Return
    \/ \E i \in Inode :
          \/ DirtyTime(i)
          \/ Pick(i)
          \/ PickBusy(i)
          \/ Requeue(i)
          \/ Fsync(i)
          \/ FsyncEnd(i)
    \/ \E p \in Page :
          \/ Dirty(p)
          \/ Mark(p)
    \/ \E w \in Writer :
          \/ WriteInode(w)
          \/ \E p \in Page : WritePage(w, p)

Spec == Init /\ [][Next]_vars

FlusherStep ==
    \/ StartSync \/ QueueIo \/ Yield \/ FinishWork
    \/ \E i \in Inode : Pick(i) \/ PickBusy(i) \/ Requeue(i)
    \/ WriteInode("flusher") \/ \E p \in Page : WritePage("flusher", p)

FsyncerStep ==
    \/ \E i \in Inode : FsyncEnd(i)
    \/ WriteInode("fsyncer") \/ \E p \in Page : WritePage("fsyncer", p)

\* The flusher runs, a thread that has I_SYNC goes on, and so does one that has
\* tagged a page.  Nobody is obliged to dirty anything, to call sync(2) or fsync,
\* or to let the flusher have I_SYNC first.
FairSpec ==
    /\ Spec
    /\ WF_vars(FlusherStep)
    /\ WF_vars(FsyncerStep)
    /\ WF_vars(\E p \in Page : Mark(p))

\* And background work comes, every dirty_writeback_interval.
PeriodicSpec == FairSpec /\ WF_vars(StartBackground)

\* Control: a thread with I_SYNC may stop for ever.
NoFsyncerSpec == Spec /\ WF_vars(FlusherStep) /\ WF_vars(\E p \in Page : Mark(p))

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* An inode is on at most one list.
OneList == \A i \in Inode : Cardinality({l \in ListName : i \in list[l]}) <= 1

\* A dirty inode is on a list, or somebody writes it.
NoInodeLost ==
    \A i \in i_dirty_pages \cup i_dirty_time : ISync(i) \/ \E l \in ListName : i \in list[l]

\* One with dirty pages is where background work looks.
NoPagesHidden == \A i \in i_dirty_pages : ISync(i) \/ i \notin list["time"]

\* When sync(2) returns, all that was dirty when it was called is written.
SyncComplete == pc["caller"] = "returned" => promised_pages = {} /\ promised_times = {}

-----------------------------------------------------------------------------
(* Progress.                                                               *)

\* sync(2) returns, although a dirtier runs for ever.
SyncEnds == pc["caller"] \in {"queued", "served"} ~> pc["caller"] = "returned"

\* Background work makes way for it.
BackgroundYields == pc["caller"] = "queued" ~> pc["caller"] = "served"

\* Somebody begins to write an inode with dirty pages.
DirtyIsWritten == \A i \in Inode : i \in i_dirty_pages ~> ISync(i)
=============================================================================
