------------------------- MODULE TraceObservedLists -------------------------
(***************************************************************************)
(* A kernel's traces against ObservedLists: see Traces.                    *)
(***************************************************************************)
EXTENDS ObservedLists, Traces

TraceSpec == (Init /\ AtStart) /\ [][Next]_<<vars, which, at>>

\* An inode is on at most one list, and once.
OneList ==
    LET all == dirty \o io \o more \o writing
    IN \A j, k \in DOMAIN all : all[j].ino = all[k].ino /\ all[j].ino # 0 => j = k

\* b_dirty may be in the order of dirtied_when.
InOrder == \A j, k \in DOMAIN dirty : j < k => dirty[j].low <= dirty[k].high

\* The pages that the work has written.
ListsShow(name) == CASE name = "done" -> done
=============================================================================
