-------------------------- MODULE MCObservedLists --------------------------
(***************************************************************************)
(* All that ObservedLists accepts of a few inodes, whatever kernel would   *)
(* do it: the states and steps are counted, so that a guard that is not    *)
(* there is seen, which makes it accept more.                              *)
(*                                                                         *)
(* An inode that was dirty before, one that was not, and one of another    *)
(* superblock, or two of these, or two that are never seen; work of the    *)
(* flusher's own, and of a sync.                                           *)
(* An action may be taken with arguments that its guards refuse.           *)
(***************************************************************************)
EXTENDS ObservedLists, TLC

CONSTANT Steps

Older  == <<1, 3>>
Oldest == <<3>>
Unseen == <<0, 0>>

Own  == <<"background", "0:0", "NONE", 1>>
Sync == <<"sync", "8:0", "ALL", 1>>
Asked == {Own, Sync}
Syncs == {Sync}

Inode == {1, 2}
Time  == 0 .. 1

Tried(action) ==
    CASE action = "Synced"                     -> {<<>>}
      [] action \in {"Dirty", "Pick"}          -> Inode \X Time
      [] action \in {"Queue", "Exec", "Start"} -> Asked \X {0}
      [] action = "QueueIo"                    -> Time \X (0 .. 3)
      [] action = "PickBusy"                   -> Foreign \X {0}
      [] action = "WriteInode"                 -> Inode \X (0 .. 1) \X BOOLEAN \X BOOLEAN
      [] action = "EndPass"                    -> Works \X BOOLEAN
      [] action = "FinishWork"                 -> {1} \X {0}

\* The same of no inode that becomes dirty, and of few arguments that are refused: longer
\* traces, in which a pass leaves what the next work finds.
Few(action) ==
    CASE action = "Dirty"                      -> Foreign \X {0}
      [] action = "QueueIo"                    -> {0} \X (0 .. 2)
      [] action = "WriteInode"                 -> {<<1, 1, FALSE, FALSE>>}
      [] OTHER                                 -> Tried(action)

\* The same, and no work is queued: where it is, what is queued later stands for what is
\* lost.  In the place of Init, three works wait.
Given(action) == IF action = "Queue" THEN {<<<<>>>>} ELSE Few(action)

Waiting ==
    /\ pc = "idle"
    /\ dirty = <<>> /\ io = <<>> /\ more = <<>> /\ writing = <<>>
    /\ works = <<Sync, Own, Sync>>
    /\ work = <<>>
    /\ pass = [queued |-> FALSE, progress |-> FALSE]
    /\ unfinished = FALSE
    /\ done = 0
    /\ sum = 0
    /\ older = Lowest

\* Traces of so many steps.
Short == TLCGet("level") <= Steps

\* A fault to be found, in the place of Goes: the work itself is counted as a page.
GoesCounted(w) ==
    /\ work' = <<w>>
    /\ done' = Len(work')
=============================================================================
