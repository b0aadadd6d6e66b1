---------------------------- MODULE CountThieves ----------------------------
(***************************************************************************)
(* The waker of 5.2 that never comes out of its loop: __rwsem_mark_wake    *)
(* tries anew for the reader at the head when the writer that stole the    *)
(* lock has left (BackOut), with wait_lock held and interrupts off.  Two   *)
(* writers that steal it in turns are enough: each sees the other spin,    *)
(* finds wait_lock taken, and leaves the queue to it (SkipWake).           *)
(*                                                                         *)
(* A part of RwsemCount's fair runs, so that what is violated here is      *)
(* violated there.                                                         *)
(***************************************************************************)
EXTENDS MCRwsemCount

\* No writer queues, and no reader gets in.
OnlyThieves ==
    /\ \A w \in Writers : pc[w] # "block"
    /\ \A r \in Readers : pc[r] # "hold"

Step == Next /\ OnlyThieves'

ThievesSpec == Init /\ [][Step]_vars /\ TasksProceed
=============================================================================
