--------------------------- MODULE MCSyncfsLists ---------------------------
(***************************************************************************)
(* WbLists where the caller is syncfs(2): sync_filesystem() has            *)
(* writeback_inodes_sb() queue work with WB_SYNC_NONE and wait for it, and *)
(* then sync_inodes_sb() the work with WB_SYNC_ALL.                        *)
(*                                                                         *)
(* MODELLED.  The first work tags pages as the second does; it ends when   *)
(* it finds nothing that was dirty before it began, or has written as many *)
(* pages as there were dirty pages and inodes when it was queued           *)
(* (get_nr_dirty_pages).  It takes no inode of b_dirty_time.  Between the  *)
(* two the flusher may do background work.                                 *)
(*                                                                         *)
(* OUT OF SCOPE.  Inodes with two pages, and the inodes and pages of other *)
(* backing devices, which that number has too.                             *)
(***************************************************************************)
EXTENDS MCWbLists

VARIABLES
    first,      \* the first work: "none", "queued", "served", "done"
    nr_pages    \* so many it may still write

First == first = "served"

\* Of WbLists, where the first work is as a sync's.
FirstStampNow(i) == IF Syncing \/ First THEN fresh \cup {i} ELSE fresh
FirstMustYield   == ~Syncing /\ ~First /\ Policy.yields /\ (pc["caller"] = "queued" \/ first = "queued")
FirstTagging(w)  == Policy.tags /\ (Integrity(w) \/ (w = "flusher" /\ First))

SyncfsInit == Init /\ first = "none" /\ nr_pages = 0

-----------------------------------------------------------------------------

\* writeback_inodes_sb; and what the caller relies on from here.
QueueFirst ==
    /\ pc["caller"] = "idle"
    /\ first = "none"
    /\ first' = "queued"
    /\ nr_pages' = Cardinality(dirty) + Cardinality(Inode)
    /\ promised_pages' = dirty \ marking
    /\ promised_times' = i_dirty_time
    /\ UNCHANGED <<pc, lists, work, marks>>

StartFirst ==
    /\ pc["flusher"] = "idle"
    /\ first = "queued"
    /\ first' = "served"
    /\ pc' = [pc EXCEPT !["flusher"] = "pick"]
    /\ IF list["io"] = {} THEN Queue(list["dirty"]) ELSE UNCHANGED list
    /\ UNCHANGED <<nr_pages, work, marks, fresh, promise>>

\* Its pages are written.
StopFirst ==
    /\ pc["flusher"] = "pick"
    /\ First
    /\ nr_pages = 0
    /\ first' = "done"
    /\ pc' = [pc EXCEPT !["flusher"] = "idle"]
    /\ fresh' = {}
    /\ UNCHANGED <<nr_pages, list, work, marks, promise>>

\* requeue_inode: no slice is used up, and what is dirty again has a new dirtied_when.
RequeueFirst(i) ==
    /\ pc["flusher"] = "requeue"
    /\ First
    /\ i \in inode["flusher"]
    /\ LET stamps == IF i \in i_dirty_pages THEN StampNow(i) ELSE fresh
       IN IF dirty \cap Pages(i) # {} \/ i \in i_dirty_pages
          THEN list' = Moved(i, "dirty") /\ fresh' \in TailStamps(i, stamps)
          ELSE IF i \in i_dirty_time THEN list' = Moved(i, "time") /\ fresh' = StampNow(i)
          ELSE list' = Removed(i) /\ fresh' = stamps
    /\ pc' = [pc EXCEPT !["flusher"] = "pick"]
    /\ inode' = [inode EXCEPT !["flusher"] = {}]
    /\ UNCHANGED <<first, nr_pages, towrite, marks, promise>>

FinishFirst ==
    /\ First
    /\ FinishWork
    /\ first' = "done"
    /\ UNCHANGED nr_pages

WriteFirst(p) ==
    /\ First
    /\ WritePage("flusher", p)
    /\ nr_pages' = IF nr_pages > 0 THEN nr_pages - 1 ELSE 0
    /\ UNCHANGED first

\* sync_inodes_sb.
QueueSecond ==
    /\ first = "done"
    /\ pc["caller"] = "idle"
    /\ pc' = [pc EXCEPT !["caller"] = "queued"]
    /\ UNCHANGED <<first, nr_pages, lists, work, marks, promise>>

ReturnFrom ==
    /\ Return
    /\ first' = "none"
    /\ nr_pages' = 0

\* What the flusher does in any work, and who else there is.
Flushes ==
    /\ First => nr_pages > 0
    /\ QueueIo \/ \E i \in Inode : Pick(i) \/ PickBusy(i)
    /\ UNCHANGED <<first, nr_pages>>

Others ==
    /\ \/ StartBackground /\ first # "queued"
       \/ StartSync
       \/ Yield
       \/ ~First /\ FinishWork
       \/ ~First /\ \E i \in Inode : Requeue(i)
       \/ \E i \in Inode : DirtyTime(i) \/ Fsync(i) \/ FsyncEnd(i)
       \/ \E p \in Page : Dirty(p) \/ Mark(p) \/ WritePage("fsyncer", p)
       \/ ~First /\ \E p \in Page : WritePage("flusher", p)
       \/ \E w \in Writer : WriteInode(w)
    /\ UNCHANGED <<first, nr_pages>>

SyncfsNext ==
    \/ QueueFirst
    \/ StartFirst
    \/ StopFirst
    \/ FinishFirst
    \/ QueueSecond
    \/ ReturnFrom
    \/ Flushes
    \/ Others
    \/ \E i \in Inode : RequeueFirst(i)
    \/ \E p \in Page : WriteFirst(p)

SyncfsSpec == SyncfsInit /\ [][SyncfsNext]_<<vars, first, nr_pages>>

\* A probe, which must be violated: no caller that has returned may call again.
NeverAgain == [][~(first = "done" /\ first' = "none")]_<<vars, first, nr_pages>>
=============================================================================
