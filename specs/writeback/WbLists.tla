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
(* itself: see README.md.                                                  *)
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
    pc,         \* what each task is doing, see TypeOK
    list,       \* the inodes on each list
    at,         \* the inode that each writer is at: {} or {i}
    todo,       \* the pages that each writer has tagged and not written yet
    dirty,      \* the pages that are tagged dirty
    marking,    \* the page that is tagged, its inode not marked yet: {} or {p}
    flag,       \* inodes with I_DIRTY_PAGES
    lazy,       \* inodes with I_DIRTY_TIME
    fresh,      \* inodes dirtied after the work of the sync began
    owed,       \* history: pages dirty when sync(2) was called, not written yet
    owes        \* history: inodes, the same of their timestamps

\* Where inodes are; the work that is done; what is dirty; what a sync is for.
lists   == <<list, fresh>>
work    == <<at, todo>>
marks   == <<dirty, marking, flag, lazy>>
promise == <<owed, owes>>

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
    /\ at \in [Writer -> SUBSET Inode]
    /\ \A w \in Writer : Cardinality(at[w]) <= 1
    /\ todo \in [Writer -> SUBSET Page]
    /\ dirty \subseteq Page
    /\ marking \subseteq Page /\ Cardinality(marking) <= 1
    /\ flag \subseteq Inode
    /\ lazy \subseteq Stamped
    /\ fresh \subseteq Inode
    /\ owed \subseteq Page
    /\ owes \subseteq Inode

Init ==
    /\ pc = [t \in {"flusher", "fsyncer", "caller"} |-> "idle"]
    /\ list = [l \in ListName |-> {}]
    /\ at = [w \in Writer |-> {}]
    /\ todo = [w \in Writer |-> {}]
    /\ dirty = {}
    /\ marking = {}
    /\ flag = {}
    /\ lazy = {}
    /\ fresh = {}
    /\ owed = {}
    /\ owes = {}

Syncing    == pc["caller"] = "served"
Queued(i)  == i \in list["io"] \cup list["more"]
Writes(w)  == pc[w] \in {"write", "spent", "requeue"}
ISync(i)   == \E w \in Writer : Writes(w) /\ i \in at[w]
Integrity(w) == w = "fsyncer" \/ Syncing      \* WB_SYNC_ALL

\* inode_io_list_move_locked, and off all lists.
Off(i)   == [l \in ListName |-> list[l] \ {i}]
To(i, l) == [(IF Policy.moves THEN Off(i) ELSE list) EXCEPT ![l] = @ \cup {i}]

\* dirtied_when = jiffies.
Now(i) == IF Syncing THEN fresh \cup {i} ELSE fresh

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
    /\ flag' = flag \cup {i}
    /\ IF i \notin flag /\ MarkMoves(i)
       THEN list' = To(i, "dirty") /\ fresh' = Now(i)
       ELSE UNCHANGED lists

\* A page is written to: its tag, and with AtOnce the rest too.
Dirty(p) ==
    /\ p \in Page \ dirty
    /\ marking = {}
    /\ dirty' = dirty \cup {p}
    /\ IF AtOnce
       THEN MarkPages(p[1]) /\ UNCHANGED marking
       ELSE marking' = {p} /\ UNCHANGED <<lists, flag>>
    /\ UNCHANGED <<pc, work, lazy, promise>>

\* __mark_inode_dirty(I_DIRTY_PAGES).
Mark(p) ==
    /\ p \in marking
    /\ marking' = {}
    /\ MarkPages(p[1])
    /\ UNCHANGED <<pc, work, dirty, lazy, promise>>

\* __mark_inode_dirty(I_DIRTY_TIME).
DirtyTime(i) ==
    /\ i \in Stamped \ lazy
    /\ lazy' = lazy \cup {i}
    /\ IF i \notin flag /\ MarkMoves(i)
       THEN list' = To(i, "time") /\ fresh' = Now(i)
       ELSE UNCHANGED lists
    /\ UNCHANGED <<pc, work, dirty, marking, flag, promise>>

-----------------------------------------------------------------------------
(* Writing an inode: __writeback_single_inode.                             *)

\* What w has still to write: the pages that it has tagged, or any at all.
Tagging(w) == Policy.tags /\ Integrity(w)
Left(w) == IF Tagging(w) THEN todo[w] \cap dirty
           ELSE {p \in dirty : p[1] \in at[w]}

\* I_SYNC is set, and the pages tagged.
Begin(w, i) ==
    /\ pc' = [pc EXCEPT ![w] = "write"]
    /\ at' = [at EXCEPT ![w] = {i}]
    /\ todo' = [todo EXCEPT ![w] = IF Tagging(w) THEN dirty \cap Pages(i) ELSE {}]

WritePage(w, p) ==
    /\ pc[w] = "write"
    /\ p \in Left(w)
    /\ dirty' = dirty \ {p}
    /\ todo' = [todo EXCEPT ![w] = @ \ {p}]
    /\ owed' = owed \ {p}
    /\ pc' = IF Integrity(w) \/ ~Policy.slice THEN pc ELSE [pc EXCEPT ![w] = "spent"]
    /\ UNCHANGED <<lists, at, marking, flag, lazy, owes>>

\* The pages are done with.  For WB_SYNC_ALL mark_inode_dirty_sync makes dirty
\* timestamps part of the inode, which is written.
WriteInode(w) ==
    /\ pc[w] = "spent" \/ (pc[w] = "write" /\ Left(w) = {})
    /\ pc' = [pc EXCEPT ![w] = "requeue"]
    /\ todo' = [todo EXCEPT ![w] = {}]
    /\ flag' = IF \E p \in dirty : p[1] \in at[w] THEN flag \cup at[w] ELSE flag \ at[w]
    /\ lazy' = IF Integrity(w) THEN lazy \ at[w] ELSE lazy
    /\ owes' = owes \ (lazy \ lazy')
    /\ \E i \in at[w] :
          IF i \in lazy \ flag /\ Integrity(w) /\ ~Queued(i) /\ Policy.fsync = "requeues"
          THEN list' = To(i, "dirty") /\ fresh' = Now(i)
          ELSE UNCHANGED lists
    /\ UNCHANGED <<at, dirty, marking, owed>>

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
            /\ at' = [at EXCEPT !["flusher"] = {i}]
            /\ UNCHANGED lists
       ELSE /\ list' = To(i, IF Syncing THEN "dirty" ELSE "more")
            /\ fresh' = Now(i)
            /\ UNCHANGED <<pc, at>>
    /\ UNCHANGED <<todo, marks, promise>>

\* requeue_inode, and I_SYNC is cleared.
Requeue(i) ==
    /\ pc["flusher"] = "requeue"
    /\ i \in at["flusher"]
    /\ LET full   == dirty \cap Pages(i) # {}
           again  == i \in flag \/ (full /\ Policy.stamp = "tagged")
           stamps == IF Policy.stamp # "never" /\ Syncing /\ again THEN Now(i) ELSE fresh
       IN IF full /\ ~Policy.requeue THEN list' = Off(i) /\ fresh' = stamps
          ELSE IF full /\ ~Syncing THEN list' = To(i, "more") /\ fresh' = stamps
          ELSE IF full \/ i \in flag
               THEN list' = To(i, "dirty") /\ fresh' \in TailStamps(i, stamps)
          ELSE IF i \in lazy THEN list' = To(i, "time") /\ fresh' = Now(i)
          ELSE list' = Off(i) /\ fresh' = stamps
    /\ pc' = [pc EXCEPT !["flusher"] = "pick"]
    /\ at' = [at EXCEPT !["flusher"] = {}]
    /\ UNCHANGED <<todo, marks, promise>>

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
    /\ owed' = dirty \ marking
    /\ owes' = lazy
    /\ UNCHANGED <<lists, work, marks>>

Return ==
    /\ pc["caller"] = "returned"
    /\ pc' = [pc EXCEPT !["caller"] = "idle"]
    /\ owed' = {}
    /\ owes' = {}
    /\ UNCHANGED <<lists, work, marks>>

-----------------------------------------------------------------------------
(* writeback_single_inode, of a thread that wants one inode on disk.       *)

Fsync(i) ==
    /\ pc["fsyncer"] = "idle"
    /\ i \in Synced \cap (flag \cup lazy)
    /\ ~ISync(i)
    /\ ~(Policy.isync = "first" /\ Syncing /\ i \in list["io"])
    /\ Begin("fsyncer", i)
    /\ UNCHANGED <<lists, marks, promise>>

\* The end: a clean inode is on no list, and one that the flusher has not queued
\* on the list that it belongs to.  A flusher that sleeps goes on, to look anew.
FsyncEnd(i) ==
    /\ pc["fsyncer"] = "requeue"
    /\ i \in at["fsyncer"]
    /\ IF i \notin flag \cup lazy THEN list' = Off(i) /\ UNCHANGED fresh
       ELSE IF Queued(i) \/ Policy.fsync = "leaves" THEN UNCHANGED lists
       ELSE IF i \in flag THEN list' = To(i, "dirty") /\ fresh' \in TailStamps(i, fresh)
       ELSE list' = To(i, "time") /\ fresh' = Now(i)
    /\ pc' = [pc EXCEPT !["fsyncer"] = IF Again THEN "idle" ELSE "done",
                        !["flusher"] = IF @ = "wait" /\ at["flusher"] = {i} THEN "pick" ELSE @]
    /\ at' = [w \in Writer |-> IF w = "fsyncer" \/ pc[w] = "wait" THEN at[w] \ {i} ELSE at[w]]
    /\ UNCHANGED <<todo, marks, promise>>

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
    \A i \in flag \cup lazy : ISync(i) \/ \E l \in ListName : i \in list[l]

\* One with dirty pages is where background work looks.
NoPagesHidden == \A i \in flag : ISync(i) \/ i \notin list["time"]

\* When sync(2) returns, all that was dirty when it was called is written.
SyncComplete == pc["caller"] = "returned" => owed = {} /\ owes = {}

-----------------------------------------------------------------------------
(* Progress.                                                               *)

\* sync(2) returns, although a dirtier runs for ever.
SyncEnds == pc["caller"] \in {"queued", "served"} ~> pc["caller"] = "returned"

\* Background work makes way for it.
BackgroundYields == pc["caller"] = "queued" ~> pc["caller"] = "served"

\* Somebody begins to write an inode with dirty pages.
DirtyIsWritten == \A i \in Inode : i \in flag ~> ISync(i)
=============================================================================
