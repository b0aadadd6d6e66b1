--------------------------- MODULE ObservedLists ---------------------------
(***************************************************************************)
(* The lists of inodes as a running kernel's events show them: WbLists at  *)
(* the grain of a trace, and with the order in the lists.                  *)
(*                                                                         *)
(* MODELLED.  One bdi_writeback of Linux 6.1 to 6.18 with b_dirty, b_io    *)
(* and b_more_io, each a queue, and its flusher: wb_do_writeback,          *)
(* wb_writeback, queue_io, writeback_sb_inodes, requeue_inode.  Work is    *)
(* queued, or the flusher's own.  Each pass of it looks at b_io, fills it  *)
(* if it is empty with all that is old enough, and writes one inode after  *)
(* the other in that order.  Pages are counted.                            *)
(*                                                                         *)
(* AGAINST WbLists.  Dirty, QueueIo and Pick are its steps, of which any   *)
(* inode of b_io could be picked there; PickBusy is that of background     *)
(* work.  WriteInode is its WritePage, WriteInode and Requeue in one: a    *)
(* trace has one event of them.  Start and EndPass are in StartSync,       *)
(* StartBackground and FinishWork there.                                   *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  What list_lock covers is one step.  Of what was  *)
(* dirty before the trace began, it is known that it is the oldest; a      *)
(* dirtied_when that no event has shown is known within bounds.            *)
(*                                                                         *)
(* OUT OF SCOPE.  b_dirty_time, I_SYNC and who waits for it, inodes that   *)
(* are freed, skipped pages, more than one file system or cgroup.          *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    Before,     \* the inodes on b_dirty when the trace begins, the oldest first;
                \* 0: one that is never seen
    Foreign,    \* inodes of other superblocks, which the work of one leaves
    Works,      \* work: <<reason, superblock, mode, pages>>
    Args(_)     \* the arguments that an action may be taken with, by its name

VARIABLES
    pc,         \* what the flusher does, see TypeOK
    dirty,      \* b_dirty, the oldest first
    io,         \* b_io, the next one first
    more,       \* b_more_io, the first one first
    writing,    \* the inode that is written: <<>> or <<e>>
    works,      \* queued work
    work,       \* the work that the flusher is at: <<>> or <<w>>
    pass,       \* this pass has filled b_io, and has made progress
    unfinished, \* the work has to look again
    done,       \* pages that the work has written
    sum,        \* pages that the flusher has written since it woke up
    older       \* the limit of the last queue_io

\* What is to be done; what has come of it; what is remembered between works.
jobs   == <<works, work>>
result == <<unfinished, done>>
kept   == <<sum, older>>

vars == <<pc, dirty, io, more, writing, jobs, pass, result, kept>>

\* Times are jiffies since the first event; one that is not known is between these.
Lowest  == -1000000000
Highest == 1000000000

\* An inode on a list, with the bounds of its dirtied_when.
Entry(i, low, high) == [ino |-> i, low |-> low, high |-> high]

Inodes(s) == {s[k].ino : k \in DOMAIN s}
Last(s)   == s[Len(s)]
Max(a, b) == IF a > b THEN a ELSE b

\* Work that the flusher makes by itself is of no superblock: background, kupdate,
\* and what wakeup_flusher_threads asks for.
IsOwn(w) == w[2] = "0:0"

TypeOK ==
    /\ pc \in {"idle",      \* between two passes
               "queue",     \* b_io is empty: is to fill it
               "pass",      \* writeback_sb_inodes
               "write"}     \* __writeback_single_inode
    /\ \A s \in {dirty, io, more, writing} : \A k \in DOMAIN s : s[k].low <= s[k].high
    /\ Len(writing) = IF pc = "write" THEN 1 ELSE 0
    /\ \A k \in DOMAIN works : works[k] \in Works
    /\ work = <<>> \/ \E w \in Works : work = <<w>>
    /\ pass \in [queued : BOOLEAN, progress : BOOLEAN]
    /\ unfinished \in BOOLEAN
    /\ done \in Nat /\ sum \in Nat

Init ==
    /\ pc = "idle"
    /\ dirty = [k \in DOMAIN Before |-> Entry(Before[k], Lowest, 0)]
    /\ io = <<>>
    /\ more = <<>>
    /\ writing = <<>>
    /\ works = <<>>
    /\ work = <<>>
    /\ pass = [queued |-> FALSE, progress |-> FALSE]
    /\ unfinished = FALSE
    /\ done = 0
    /\ sum = 0
    /\ older = Lowest

-----------------------------------------------------------------------------
(* Everybody else.                                                         *)

\* __mark_inode_dirty: from clean to dirty, with dirtied_when = jiffies.  b_dirty is
\* in the order of these.  An inode may be there without I_DIRTY, if a page was tagged
\* just before requeue_inode: it is marked now.
Dirty(i, when) ==
    /\ i \notin Inodes(io) \cup Inodes(more) \cup Inodes(writing)
    /\ \A k \in DOMAIN dirty : dirty[k].ino = i => dirty[k].high = Highest
    /\ dirty # <<>> => Last(dirty).low <= when
    /\ dirty' = Append(SelectSeq(dirty, LAMBDA e : e.ino # i), Entry(i, when, when))
    /\ UNCHANGED <<pc, io, more, writing, jobs, pass, result, kept>>

\* wb_queue_work.
Queue(w) ==
    /\ w \in Works
    /\ works' = Append(works, w)
    /\ UNCHANGED <<pc, dirty, io, more, writing, work, pass, result, kept>>

\* sync(2) has returned: of what it was to write nothing is left.
Synced ==
    /\ pc = "idle"
    /\ works = <<>>
    /\ io \o more = <<>>
    /\ ~unfinished
    /\ \A k \in DOMAIN dirty : dirty[k].ino \in Foreign \/ dirty[k].high > older
    /\ UNCHANGED vars

-----------------------------------------------------------------------------
(* The flusher: wb_do_writeback and wb_writeback.                          *)

\* Work is over when a pass that has looked for more finds nothing to do, or when
\* its pages are written.  The flusher's own may stop at any time.
MayLeave == unfinished => IsOwn(work[1])

Goes(w) ==
    /\ work' = <<w>>
    /\ done' = 0

\* get_next_work_item.
Exec(w) ==
    /\ pc = "idle"
    /\ MayLeave
    /\ \E k \in DOMAIN works :
          /\ works[k] = w
          /\ \A j \in 1 .. k - 1 : works[j] # w
          /\ works' = SubSeq(works, 1, k - 1) \o SubSeq(works, k + 1, Len(works))
    /\ Goes(w)
    /\ unfinished' = FALSE
    /\ UNCHANGED <<pc, dirty, io, more, writing, pass, kept>>

\* A pass begins: of the work that the flusher is at, or of its own.
Start(w) ==
    /\ pc = "idle"
    /\ IF work = <<w>> THEN UNCHANGED <<work, done>>
       ELSE w \in Works /\ IsOwn(w) /\ MayLeave /\ Goes(w)
    /\ pc' = IF io = <<>> THEN "queue" ELSE "pass"
    /\ pass' = [queued |-> FALSE, progress |-> FALSE]
    /\ UNCHANGED <<dirty, io, more, writing, works, unfinished, kept>>

\* queue_io: all of b_more_io, and the n inodes that were not dirtied after the
\* limit.  The next to be written is at the head: in the kernel, at the tail.
QueueIo(limit, n) ==
    /\ pc = "queue"
    /\ n \in 0 .. Len(dirty)
    /\ \A k \in 1 .. n : dirty[k].low <= limit
    /\ n < Len(dirty) => dirty[n + 1].high > limit
    /\ io' = more \o SubSeq(dirty, 1, n)
    /\ more' = <<>>
    /\ dirty' = SubSeq(dirty, n + 1, Len(dirty))
    /\ pc' = "pass"
    /\ pass' = [pass EXCEPT !.queued = TRUE]
    /\ older' = limit
    /\ UNCHANGED <<writing, jobs, result, sum>>

\* The next inode, with the dirtied_when that it has.
Pick(i, when) ==
    /\ pc = "pass"
    /\ io # <<>>
    /\ Head(io).ino = i
    /\ when \in Head(io).low .. Head(io).high
    /\ writing' = <<Entry(i, when, when)>>
    /\ io' = Tail(io)
    /\ pc' = "write"
    /\ UNCHANGED <<dirty, more, jobs, pass, result, kept>>

\* The same, of one that somebody else writes: it waits for the next queue_io.
PickBusy(i) ==
    /\ pc = "pass"
    /\ io # <<>>
    /\ Head(io).ino = i
    /\ more' = Append(more, Head(io))
    /\ io' = Tail(io)
    /\ UNCHANGED <<pc, dirty, writing, jobs, pass, result, kept>>

\* redirty_tail: dirtied_when stays if b_dirty remains in order, and is jiffies if not.
\* Two that are never seen remain in the order that they had.
Redirtied(e) ==
    IF dirty = <<>> \/ e.low >= Last(dirty).high \/ e = Last(dirty) THEN e
    ELSE Entry(e.ino, Max(e.low, Last(dirty).low), Highest)

\* One of another superblock goes back to b_dirty, without an event.
Skip ==
    /\ pc = "pass"
    /\ io # <<>>
    /\ Head(io).ino \in Foreign
    /\ Head(io).ino = 0 \/ ~IsOwn(work[1])
    /\ dirty' = Append(dirty, Redirtied(Head(io)))
    /\ io' = Tail(io)
    /\ UNCHANGED <<pc, more, writing, jobs, pass, result, kept>>

\* The inode and n of its pages are written, and requeue_inode: a clean one leaves the
\* lists; one that is dirty again waits on b_more_io if its slice is used up, and
\* otherwise on b_dirty, with a dirtied_when that may be new.
WriteInode(i, n, again, spent) ==
    /\ pc = "write"
    /\ writing[1].ino = i
    /\ more' = IF again /\ spent THEN Append(more, writing[1]) ELSE more
    /\ dirty' = IF again /\ ~spent
                THEN Append(dirty, [Redirtied(writing[1]) EXCEPT !.high = Highest]) ELSE dirty
    /\ writing' = <<>>
    /\ pc' = "pass"
    /\ pass' = [pass EXCEPT !.progress = @ \/ n > 0 \/ ~again]
    /\ done' = done + n
    /\ sum' = sum + n
    /\ UNCHANGED <<io, jobs, unfinished, older>>

\* The pass ends, with b_io empty or for a while; `over`: the work's pages are written.
EndPass(w, over) ==
    /\ pc = "pass"
    /\ work = <<w>>
    /\ io = <<>> \/ pass.progress
    /\ pc' = "idle"
    /\ unfinished' = (~over /\ (pass.progress \/ ~pass.queued \/ more # <<>>))
    /\ UNCHANGED <<dirty, io, more, writing, jobs, pass, done, kept>>

\* wb_do_writeback is over.
FinishWork(n) ==
    /\ pc = "idle"
    /\ MayLeave
    /\ n = sum
    /\ work' = <<>>
    /\ unfinished' = FALSE
    /\ done' = 0
    /\ sum' = 0
    /\ UNCHANGED <<pc, dirty, io, more, writing, works, pass, older>>

Next ==
    \/ Skip
    \/ \E a \in Args("Synced") : Synced
    \/ \E a \in Args("Dirty") : Dirty(a[1], a[2])
    \/ \E a \in Args("Queue") : Queue(a[1])
    \/ \E a \in Args("Exec") : Exec(a[1])
    \/ \E a \in Args("Start") : Start(a[1])
    \/ \E a \in Args("QueueIo") : QueueIo(a[1], a[2])
    \/ \E a \in Args("Pick") : Pick(a[1], a[2])
    \/ \E a \in Args("PickBusy") : PickBusy(a[1])
    \/ \E a \in Args("WriteInode") : WriteInode(a[1], a[2], a[3], a[4])
    \/ \E a \in Args("EndPass") : EndPass(a[1], a[2])
    \/ \E a \in Args("FinishWork") : FinishWork(a[1])

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* What the work has written, the flusher has written since it woke up.
DoneIsOfSum == done <= sum
=============================================================================
