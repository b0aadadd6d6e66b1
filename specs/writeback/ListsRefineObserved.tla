------------------------- MODULE ListsRefineObserved -------------------------
(***************************************************************************)
(* What WbLists does, as ObservedLists sees it: each step shows the events *)
(* that a kernel's trace has of it, and ObservedLists takes them, one      *)
(* after the other, before the next step.  One that it refuses is a        *)
(* deadlock; and when it has taken all, the inodes are on the same lists.  *)
(*                                                                         *)
(* MODELLED.  The pages that are dirtied are Most at most, so that times   *)
(* and numbers of pages are bounded; the clock ticks at each dirtied_when. *)
(*                                                                         *)
(* What WbLists leaves open is as in the kernel here: the next inode is    *)
(* the first of b_io, background work that is in a pass stops only when    *)
(* b_io is empty or it has made progress, and b_dirty has its order.       *)
(*                                                                         *)
(* OUT OF SCOPE.  What ObservedLists leaves out: timestamps that are dirty *)
(* alone; and a thread that writes an inode of b_dirty by itself, or takes *)
(* one that it has written off the lists.                                  *)
(***************************************************************************)
EXTENDS WbLists, WbListsPolicies, Sequences

CONSTANT Most   \* so many pages are dirtied

VARIABLES
    events,         \* what the last step shows and ObservedLists has not taken yet
    clock,          \* the last dirtied_when
    dirtied_when,   \* of each inode, 0 for never
    dirtied_before, \* of the work of a sync
    dirtied,        \* so many pages have been dirtied
    written,        \* so many the flusher has written of its inode

    \* The variables of ObservedLists.
    wb, b_dirty, b_io, b_more_io, writing, works, job, pass, unfinished, done, sum, older

times  == <<clock, dirtied_when, dirtied_before>>
counts == <<dirtied, written>>
seen   == <<wb, b_dirty, b_io, b_more_io, writing, works, job, pass, unfinished, done, sum, older>>

Background == <<"background", "0:0", 0, "all">>
OfSync     == <<"sync", "7:0", 1, "all">>

\* The actions are taken with what is shown.
None(action) == {}

Observed == INSTANCE ObservedLists WITH
    Before <- <<>>, Foreign <- {}, Works <- {Background, OfSync}, Args <- None,
    pc <- wb, dirty <- b_dirty, io <- b_io, more <- b_more_io, work <- job

ShowInit ==
    /\ Init
    /\ Observed!Init
    /\ events = <<>>
    /\ clock = 0
    /\ dirtied_when = [i \in Inode |-> 0]
    /\ dirtied_before = 0
    /\ dirtied = 0
    /\ written = 0

-----------------------------------------------------------------------------
(* What each step of WbLists shows.                                        *)

Shows(e) ==
    /\ events = <<>>
    /\ events' = e
    /\ UNCHANGED seen

Silent == Shows(<<>>) /\ UNCHANGED times

Stamp(i) ==
    /\ clock' = clock + 1
    /\ dirtied_when' = [dirtied_when EXCEPT ![i] = clock + 1]
    /\ UNCHANGED dirtied_before

\* In the place of TailStamps: of what is on b_dirty it is known when it was dirtied.
InOrderStamps(i, stamps) ==
    {IF Syncing /\ \E j \in list["dirty"] : dirtied_when[j] > dirtied_when[i]
     THEN stamps \cup {i} ELSE stamps}

\* An inode becomes dirty, if it does not stay where it is.
ShowMark(i) ==
    IF i \notin i_dirty_pages /\ MarkMoves(i)
    THEN Shows(<<<<"Dirty", i, clock + 1>>>>) /\ Stamp(i)
    ELSE Silent

OfWork == IF Syncing THEN OfSync ELSE Background
Limit  == IF Syncing THEN dirtied_before ELSE clock

\* A pass begins, if none is on; and one more, after the last.
Enter == IF wb = "idle" THEN <<<<"Start", OfWork>>>> ELSE <<>>
Leave == IF wb = "pass" THEN <<<<"EndPass", OfWork>>>> ELSE <<>>

Fill(limit) ==
    <<<<"QueueIo", limit, Cardinality({k \in DOMAIN b_dirty : dirtied_when[b_dirty[k].ino] <= limit})>>>>

DirtyShown(p) ==
    /\ dirtied < Most
    /\ Dirty(p)
    /\ IF AtOnce THEN ShowMark(p[1]) ELSE Silent
    /\ dirtied' = dirtied + 1
    /\ UNCHANGED written

MarkShown(p) ==
    /\ Mark(p)
    /\ ShowMark(p[1])
    /\ UNCHANGED counts

SyncShown ==
    /\ Sync
    /\ Shows(<<<<"Queue", OfSync>>>>)
    /\ UNCHANGED <<times, counts>>

StartSyncShown ==
    /\ StartSync
    /\ Shows(<<<<"Exec", OfSync>>, <<"Start", OfSync>>>>
             \o IF list["io"] = {} \/ Policy.first = "at-once" THEN Fill(clock) ELSE <<>>)
    /\ dirtied_before' = clock
    /\ UNCHANGED <<clock, dirtied_when, counts>>

QueueIoShown ==
    /\ QueueIo
    /\ Shows(Leave \o <<<<"Start", OfWork>>>> \o Fill(Limit))
    /\ UNCHANGED <<times, counts>>

PickShown(i) ==
    /\ Pick(i)
    /\ b_io # <<>> /\ b_io[1].ino = i
    /\ Shows(Enter \o <<<<"Pick", i, dirtied_when[i]>>>>)
    /\ UNCHANGED <<times, counts>>

PickBusyShown(i) ==
    /\ PickBusy(i)
    /\ b_io # <<>> /\ b_io[1].ino = i
    /\ IF list' = list THEN Shows(<<>>) ELSE Shows(Enter \o <<<<"PickBusy", i>>>>)
    /\ UNCHANGED <<times, counts>>

\* dirtied_when is jiffies in a sync, or where it would be before the last of b_dirty.
RequeueShown(i) ==
    /\ Requeue(i)
    /\ LET full == dirty \cap Pages(i) # {}
       IN Shows(<<<<"WriteInode", i, written, full \/ i \in i_dirty_pages, full /\ ~Syncing>>>>)
    /\ IF i \in list'["dirty"] /\ (i \in fresh' \/ \E k \in DOMAIN b_dirty :
                                                      dirtied_when[b_dirty[k].ino] > dirtied_when[i])
       THEN Stamp(i) ELSE UNCHANGED times
    /\ written' = 0
    /\ UNCHANGED dirtied

YieldShown ==
    /\ Yield
    /\ wb = "pass" => b_io = <<>> \/ pass.progress
    /\ Shows(Leave \o <<<<"FinishWork", sum>>>>)
    /\ UNCHANGED <<times, counts>>

\* The last pass has looked at the lists, and found nothing.
FinishWorkShown ==
    /\ FinishWork
    /\ LET looked == wb = "pass" /\ pass.queued /\ ~pass.progress
       IN Shows(Leave \o (IF looked THEN <<>>
                          ELSE <<<<"Start", OfWork>>>> \o Fill(Limit) \o <<<<"EndPass", OfWork>>>>)
                \o (IF Syncing THEN <<<<"Synced">>>> ELSE <<>>) \o <<<<"FinishWork", sum>>>>)
    /\ UNCHANGED <<times, counts>>

WritePageShown(w, p) ==
    /\ WritePage(w, p)
    /\ Silent
    /\ written' = IF w = "flusher" THEN written + 1 ELSE written
    /\ UNCHANGED dirtied

\* What shows nothing, and moves no inode; a thread writes by itself one that is queued.
Unseen ==
    /\ \/ StartBackground
       \/ Return
       \/ \E i \in Inode : (Fsync(i) /\ Queued(i)) \/ FsyncEnd(i)
       \/ \E w \in Writer : WriteInode(w)
    /\ list' = list /\ fresh' = fresh
    /\ Silent
    /\ UNCHANGED counts

-----------------------------------------------------------------------------
(* ObservedLists takes what is shown.                                      *)

Takes(action) ==
    /\ events # <<>>
    /\ Head(events)[1] = action
    /\ events' = Tail(events)
    /\ UNCHANGED <<vars, times, counts>>

Shown(n) == Head(events)[n]

TakeDirty      == Takes("Dirty") /\ Observed!Dirty(Shown(2), Shown(3))
TakeQueue      == Takes("Queue") /\ Observed!Queue(Shown(2))
TakeSynced     == Takes("Synced") /\ Observed!Synced
TakeExec       == Takes("Exec") /\ Observed!Exec(Shown(2))
TakeStart      == Takes("Start") /\ Observed!Start(Shown(2))
TakeQueueIo    == Takes("QueueIo") /\ Observed!QueueIo(Shown(2), Shown(3))
TakePick       == Takes("Pick") /\ Observed!Pick(Shown(2), Shown(3))
TakePickBusy   == Takes("PickBusy") /\ Observed!PickBusy(Shown(2))
TakeWriteInode == Takes("WriteInode") /\ Observed!WriteInode(Shown(2), Shown(3), Shown(4), Shown(5))
TakeEndPass    == Takes("EndPass") /\ Observed!EndPass(Shown(2), FALSE)
TakeFinishWork == Takes("FinishWork") /\ Observed!FinishWork(Shown(2))

\* Where no more pages are dirtied WbLists may have no step.
Rest ==
    /\ Silent
    /\ UNCHANGED <<vars, counts>>

ShowNext ==
    \/ Rest
    \/ SyncShown
    \/ StartSyncShown
    \/ QueueIoShown
    \/ YieldShown
    \/ FinishWorkShown
    \/ Unseen
    \/ \E i \in Inode : PickShown(i) \/ PickBusyShown(i) \/ RequeueShown(i)
    \/ \E p \in Page : DirtyShown(p) \/ MarkShown(p)
    \/ \E w \in Writer : \E p \in Page : WritePageShown(w, p)
    \/ TakeDirty
    \/ TakeQueue
    \/ TakeSynced
    \/ TakeExec
    \/ TakeStart
    \/ TakeQueueIo
    \/ TakePick
    \/ TakePickBusy
    \/ TakeWriteInode
    \/ TakeEndPass
    \/ TakeFinishWork

ShowSpec == ShowInit /\ [][ShowNext]_<<vars, events, times, counts, seen>>

-----------------------------------------------------------------------------

\* ObservedLists has an inode on the list that it is on.  One that is picked is on
\* b_io in WbLists until it is requeued.
Alike ==
    events = <<>> =>
        /\ Observed!Inodes(b_dirty) = list["dirty"]
        /\ Observed!Inodes(b_io) \cup Observed!Inodes(writing) = list["io"]
        /\ Observed!Inodes(b_more_io) = list["more"]

\* What the flusher has written since it woke up, and what is still dirty, has been
\* dirtied.
WritesDirtied == sum + written + Cardinality(dirty) <= dirtied

\* Longer runs, of few orders: two inodes are dirtied by turns, and sync(2) is not called
\* before the last turns.
ByTurns ==
    /\ \A p \in marking : (dirtied % 2 = 1) = (p[1] = CHOOSE i \in Inode : TRUE)
    /\ pc["caller"] = "idle" \/ dirtied >= Most - 1

-----------------------------------------------------------------------------
(* Faults to be found, in the places of Moved and of Queue: an inode is on *)
(* no list, where ObservedLists has it on b_dirty, or on b_io.             *)

MovedOff(i, l) == [Removed(i) EXCEPT ![l] = IF l = "dirty" THEN @ ELSE @ \cup {i}]

QueuedNowhere(S) ==
    list' = [list EXCEPT !["io"]    = @ \cup list["more"],
                         !["more"]  = {},
                         !["dirty"] = @ \ S,
                         !["time"]  = @ \ S]

\* In the place of ToWrite: pages that are clean are written, too.
WritesClean(w) == UNION {Pages(i) : i \in inode[w]}
=============================================================================
