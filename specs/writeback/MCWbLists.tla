----------------------------- MODULE MCWbLists -----------------------------
(***************************************************************************)
(* WbLists for TLC: the variants, and probes.                              *)
(***************************************************************************)
EXTENDS WbLists, WbListsPolicies

\* In the place of TailStamps: of two that were marked before the work of the sync
\* either may be the later, and then the other is stamped.
AnyTailStamps(i, stamps) ==
    IF list["dirty"] \cap stamps # {} THEN {stamps \cup {i}}
    ELSE IF list["dirty"] \ {i} # {} /\ Syncing THEN {stamps, stamps \cup {i}}
    ELSE {stamps}

\* Probes, which must be violated: a sync is served, or queued while background
\* work runs; and it sleeps until somebody has written an inode.  An inode is
\* dirty; a page is.
NeverServed == pc["caller"] # "served"
NeverBehind == ~(pc["caller"] = "queued" /\ pc["flusher"] # "idle")
NeverWaits  == pc["flusher"] # "wait"
NeverDirty  == \A i \in Inode : i \notin i_dirty_pages
NeverTagged == \A p \in Page : p \notin dirty

\* A page is written, of an inode that has no other.
PageIsWritten == \A p \in Page : p \in dirty ~> p \notin dirty

\* 846a3351ddfe without 5afced3bf281: an inode that somebody writes stays where it is
\* when it is marked, for writeback_single_inode to move.
RequeuesOnly == [NoSyncQueued EXCEPT !.fsync = "requeues"]

\* The same for a state graph: without tasks that are idle, and what is empty.
Held(f) == [x \in {y \in DOMAIN f : f[y] # {}} |-> f[x]]
Busy(f) == [t \in {u \in DOMAIN f : f[u] # "idle"} |-> f[t]]

Changes == [pc |-> Busy(pc), list |-> Held(list), inode |-> Held(inode), towrite |-> Held(towrite),
            dirty |-> dirty, marking |-> marking,
            i_dirty_pages |-> i_dirty_pages, i_dirty_time |-> i_dirty_time, fresh |-> fresh,
            promised_pages |-> promised_pages, promised_times |-> promised_times]
=============================================================================
