-------------------------- MODULE MCCommitInterval --------------------------
(***************************************************************************)
(* Jbd2Credits, where a transaction is committed that has dirtied nothing, *)
(* which Jbd2Credits leaves out: kjournald2 commits whatever has expired,  *)
(* and sync whatever runs.  A start that has to wait leaves such a         *)
(* transaction behind, and its commit takes space in the log of which no   *)
(* test makes sure.                                                        *)
(***************************************************************************)
EXTENDS MCJbd2Credits

\* kjournald2 after the commit interval; jbd2_journal_start_commit.
AskEmpty ==
    /\ Writable
    /\ running.state = "RUNNING"
    /\ ~running.asked
    /\ running.log = 0
    /\ running' = [running EXCEPT !.asked = TRUE]
    /\ UNCHANGED <<committing, log, rsv, mutex, tasks, aborted>>

IntervalNext == Next \/ AskEmpty
IntervalSpec == Init /\ [][IntervalNext]_vars
=============================================================================
