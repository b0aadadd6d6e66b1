----------------------------- MODULE APWbLists -----------------------------
(***************************************************************************)
(* WbLists for Apalache: what its lists keep, for up to five inodes of any *)
(* kind and for all variants at once, by induction.                        *)
(*                                                                         *)
(* SHOWN.  Which inodes there are, how many pages each has, which have     *)
(* timestamps of their own and which are written by themselves is left to  *)
(* the solver; Again, AtOnce and the decisions of a Policy too.            *)
(* - ListsInv: an inode is on at most one list, none is lost, and no dirty *)
(*   page is hidden on b_dirty_time, whatever the variant decides, as long *)
(*   as an inode that moves leaves its last list (moves), one that is      *)
(*   still dirty gets on a list again (requeue), and writeback_single_inode*)
(*   requeues (fsync).                                                     *)
(* - SyncInv: a sync that queues inodes before it does anything else       *)
(*   (first), and waits for I_SYNC (isync), writes all that was dirty,     *)
(*   where __mark_inode_dirty leaves a queued inode alone (queued).        *)
(*                                                                         *)
(* ASSUMED.  What WbLists assumes.  Pages are one or two to an inode.      *)
(*                                                                         *)
(* THE IDEA of SyncInv.  From the start of its work to the end, the sync   *)
(* has an inode that it owes on b_io or b_more_io, and nobody but it takes *)
(* one from there.  Before, the inode is on some list, for the work to     *)
(* find.                                                                   *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, WbListsPolicies

CONSTANTS
    \* @type: Set(INODE);
    One,
    \* @type: Set(INODE);
    Two,
    \* @type: Set(INODE);
    Stamped,
    \* @type: Set(INODE);
    Synced,
    \* @type: Bool;
    Again,
    \* @type: Bool;
    AtOnce,
    \* @type: { queued: Bool, fsync: Str, isync: Str, first: Str, stamp: Str, tags: Bool, slice: Bool, yields: Bool, moves: Bool, requeue: Bool };
    Policy

VARIABLES
    \* @type: Str -> Str;
    pc,
    \* @type: Str -> Set(INODE);
    list,
    \* @type: Str -> Set(INODE);
    inode,
    \* @type: Str -> Set(<<INODE, Int>>);
    towrite,
    \* @type: Set(<<INODE, Int>>);
    dirty,
    \* @type: Set(<<INODE, Int>>);
    marking,
    \* @type: Set(INODE);
    i_dirty_pages,
    \* @type: Set(INODE);
    i_dirty_time,
    \* @type: Set(INODE);
    fresh,
    \* @type: Set(<<INODE, Int>>);
    promised_pages,
    \* @type: Set(INODE);
    promised_times

INSTANCE WbLists

-----------------------------------------------------------------------------
(* The constants.                                                          *)

Five == {"a_OF_INODE", "b_OF_INODE", "c_OF_INODE", "d_OF_INODE", "e_OF_INODE"}

\* Up to five inodes, each with one page or with two, any of them stamped or
\* written by themselves.
AnyInodes ==
    /\ One \in SUBSET Five
    /\ Two \in SUBSET Five
    /\ One \cap Two = {}
    /\ Stamped \in SUBSET Five
    /\ Stamped \subseteq One \cup Two
    /\ Synced \in SUBSET Five
    /\ Synced \subseteq One \cup Two
    /\ Again \in BOOLEAN
    /\ AtOnce \in BOOLEAN

\* For ListsInv, and for SyncInv.
AnyLists ==
    /\ AnyInodes
    /\ Policy \in [queued : BOOLEAN, fsync : {"requeues"}, isync : {"waits", "skips", "first"},
                   first : {"if-empty", "at-once"}, stamp : {"never", "marked", "tagged"}, tags : BOOLEAN,
                   slice : BOOLEAN, yields : BOOLEAN, moves : {TRUE}, requeue : {TRUE}]

AnySync ==
    /\ AnyInodes
    /\ Policy \in [queued : {TRUE}, fsync : {"requeues"}, isync : {"waits", "first"},
                   first : {"at-once"}, stamp : {"never", "marked", "tagged"}, tags : BOOLEAN,
                   slice : BOOLEAN, yields : BOOLEAN, moves : {TRUE}, requeue : {TRUE}]

\* Faulty variants, with any inodes.
AnyTwoLists       == AnyInodes /\ Policy = TwoLists
AnyDropsDirty     == AnyInodes /\ Policy = DropsDirty
AnyNoFsyncRequeue == AnyInodes /\ Policy = NoFsyncRequeue
AnyUpstream       == AnyInodes /\ Policy = Upstream
AnySkipISync      == AnyInodes /\ Policy = SkipISyncOnSync
AnyNoSyncQueued   == AnyInodes /\ Policy = NoSyncQueued

\* Sizes of models.toml.
A == One = {"a_OF_INODE"} /\ Two = {}
P == One = {} /\ Two = {"p_OF_INODE"} /\ Stamped = {} /\ AtOnce = TRUE
Ts == Stamped = {"a_OF_INODE"}
Fs == Synced = {"a_OF_INODE"} /\ Again = TRUE
NoF == Synced = {} /\ Again = FALSE

TwoListsATF          == A /\ Ts /\ Fs /\ AtOnce = TRUE /\ Policy = TwoLists
NoFsyncRequeueATFtag == A /\ Ts /\ Fs /\ AtOnce = FALSE /\ Policy = NoFsyncRequeue
NoSyncQueuedAT       == A /\ Ts /\ NoF /\ AtOnce = TRUE /\ Policy = NoSyncQueued
DropsDirtyP          == P /\ NoF /\ Policy = DropsDirty
SkipISyncPF          == P /\ Synced = {"p_OF_INODE"} /\ Again = TRUE /\ Policy = SkipISyncOnSync
UpstreamPF           == P /\ Synced = {"p_OF_INODE"} /\ Again = TRUE /\ Policy = Upstream

-----------------------------------------------------------------------------
(* The lists.                                                              *)

\* A writer is at one inode.
OneAt == \A w \in Writer : \A i, j \in inode[w] : i = j

ListsInv ==
    /\ OneAt
    /\ OneList
    /\ NoInodeLost
    /\ NoPagesHidden

\* Control: an inode may be on two lists.
WeakInv ==
    /\ OneAt
    /\ NoInodeLost
    /\ NoPagesHidden

-----------------------------------------------------------------------------
(* What a sync writes.                                                     *)

\* Inodes of which the sync has something to write.
Owing == promised_times \cup {p[1] : p \in promised_pages}

\* Two writers are never at one inode: I_SYNC.
Exclusive == \A i \in inode["flusher"] \cap inode["fsyncer"] : ~(Writes("flusher") /\ Writes("fsyncer"))

\* An inode that is written by itself stays on its list.
FsyncerListed ==
    Writes("fsyncer") => \A i \in inode["fsyncer"] : \E l \in ListName : i \in list[l]

\* What is owed is still dirty, and its inode marked.
OwedDirty == promised_pages \subseteq dirty \ marking /\ promised_times \subseteq i_dirty_time

\* One page at a time is tagged with its inode not marked.
OneMarking == \A p, q \in marking : p = q

\* The inode of any other dirty page is marked.
TaggedMarked == \A p \in dirty \ marking : p[1] \in i_dirty_pages

\* A sync writes an inode to its end.
NoSpent == Syncing => pc["flusher"] # "spent"

\* What the sync owes, it has queued.
OwingQueued == Syncing => \A i \in Owing : Queued(i)

\* Of the inode that it writes, it has what it owes still before it ...
OwedLeft ==
    Syncing /\ pc["flusher"] = "write" =>
        \A p \in promised_pages : p[1] \in inode["flusher"] => p \in ToWrite("flusher")

\* ... or has written it.
OwingWritten == Syncing /\ pc["flusher"] = "requeue" => inode["flusher"] \cap Owing = {}

SyncInv ==
    /\ OneAt
    /\ NoInodeLost
    /\ Exclusive
    /\ FsyncerListed
    /\ OwedDirty
    /\ OneMarking
    /\ TaggedMarked
    /\ NoSpent
    /\ OwingQueued
    /\ OwedLeft
    /\ OwingWritten
    /\ SyncComplete

-----------------------------------------------------------------------------

TypeAssign ==
    /\ pc \in [{"flusher", "fsyncer", "caller"} ->
               {"idle", "pick", "wait", "write", "spent", "requeue", "done", "queued", "served",
                "returned"}]
    /\ pc["flusher"] \in {"idle", "pick", "wait", "write", "spent", "requeue"}
    /\ pc["fsyncer"] \in {"idle", "write", "requeue", "done"}
    /\ pc["caller"] \in {"idle", "queued", "served", "returned"}
    /\ list \in [ListName -> SUBSET Inode]
    /\ inode \in [Writer -> SUBSET Inode]
    /\ towrite \in [Writer -> SUBSET Page]
    /\ dirty \in SUBSET Page
    /\ marking \in SUBSET Page
    /\ i_dirty_pages \in SUBSET Inode
    /\ i_dirty_time \in SUBSET Stamped
    /\ fresh \in SUBSET Inode
    /\ promised_pages \in SUBSET Page
    /\ promised_times \in SUBSET Inode

ListsInit == TypeAssign /\ ListsInv
WeakInit  == TypeAssign /\ WeakInv
SyncInit  == TypeAssign /\ SyncInv
=============================================================================
