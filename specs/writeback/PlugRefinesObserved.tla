------------------------- MODULE PlugRefinesObserved -------------------------
(***************************************************************************)
(* What WbPlug does, as ObservedPlug sees it: each step is one of those    *)
(* that a kernel's trace shows, or none.                                   *)
(*                                                                         *)
(* An inode is a sector, and the flusher the one task.  WbPlug calls       *)
(* submit_bio and does all of it in one step, so the bio of an inode is    *)
(* there from when the inode is picked.  Where there is no queue the       *)
(* requests that wait are the device's: it has them when they are handed   *)
(* over, and they are issued when they are done.                           *)
(***************************************************************************)
EXTENDS WbPlug, Sequences, Bags

CONSTANTS
    Judged,     \* the variant that ObservedPlug takes it for
    Holds       \* so many requests a plug holds there

-----------------------------------------------------------------------------
(* The variables of ObservedPlug.                                          *)

Least(r)  == CHOOSE i \in r : \A j \in r : i <= j
Sectors(r) == <<Least(r), Cardinality(r)>>

\* Requests in the order of the disk, in which the flusher submits.
InOrder(runs) ==
    [n \in 1 .. Cardinality(runs) |->
        Sectors(CHOOSE r \in runs : Cardinality({q \in runs : Least(q) <= Least(r)}) = n)]

InHand  == [t \in {"flusher"} |->
    IF pc.flusher \in {"write", "submit"} THEN <<<<next, 1>>>> ELSE <<>>]
Plugged == [t \in {"flusher"} |-> InOrder(Runs(plug))]
Waiting == SetToBag({Sectors(r) : r \in IF Queue = "none" THEN flying ELSE queue})

\* What an action may be taken with.
Tried(action) ==
    CASE action \in {"Bio", "BackMerge"} -> {<<"flusher", i, 1>> : i \in File}
      [] action = "Plug" -> {<<"flusher">>}
      [] action = "Unplug" -> {<<"flusher", n>> : n \in File}
      [] action = "Issue" -> File \X File
      [] OTHER -> {}

Observed == INSTANCE ObservedPlug WITH
    Policy <- Judged, Tasks <- {"flusher"}, Most <- Holds, Large <- Files + 1, Old <- {}, Args <- Tried,
    bio <- InHand, plug <- Plugged, queue <- Waiting

-----------------------------------------------------------------------------

Implements == [][Observed!Next]_<<InHand, Plugged, Waiting>>

\* A pass begins as a trace does, and where the plug must be empty there it is
\* empty here: behind an inode, and at the end of the pass.
Passes == Begin \/ GoOn \/ End
PassAlike ==
    [][Passes => \/ Begin /\ Observed!Init
                 \/ GoOn /\ Observed!EndInode("flusher")
                 \/ End /\ Observed!FinishWork("flusher")]_vars

-----------------------------------------------------------------------------
(* Probes, which must be violated: a pass goes on, a request is added      *)
(* behind another in the plug, I/O continues one that waits in the queue.  *)

NeverPasses == [][~Passes]_vars
NeverAdded  == [][~Observed!Add("flusher")]_vars
NeverMerged == [][\A i \in File : ~(Observed!BackMerge("flusher", i, 1) /\ UNCHANGED Plugged)]_vars

\* A fault to be found: what is handed over is lost.
Loses(new) == UNCHANGED <<queue, flying, requests>>

\* In the place of Waiting: a request waits that nobody has handed over.
Stale == SetToBag({Sectors(File)})
=============================================================================
