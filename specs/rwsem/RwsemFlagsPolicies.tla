------------------------- MODULE RwsemFlagsPolicies -------------------------
(***************************************************************************)
(* kernel/locking/rwsem.c as it was released, for RwsemFlags: one record   *)
(* a release that decides differently, and the functions in which it does. *)
(*                                                                         *)
(*   spin     the kinds ("R", "W") in rwsem_optimistic_spin                *)
(*   steal    rwsem_down_read_slowpath steals before it queues             *)
(*   try      rwsem_try_write_lock: whom HANDOFF keeps out, who sets it    *)
(*              "wstate"   keeps out whoever did not see itself first;     *)
(*                         set by who found itself first and late, before  *)
(*                         it took wait_lock                               *)
(*              "inherit"  keeps out all but the first waiter; set by any  *)
(*                         waiter that is late, or an RT task              *)
(*              "setter"   keeps out all but the first waiter if that one  *)
(*                         set it or inherited it; set as before           *)
(*              "first"    keeps out all but the first waiter if it was    *)
(*                         set in that one's name; set as before, in the   *)
(*                         name of the first                               *)
(*   cond     a reader that queues wakes as rwsem_cond_wake_waiter does    *)
(*   leave    what a killed waiter does on its way out (out_nolock)        *)
(*              "wstate"   a writer takes HANDOFF back if it believes it   *)
(*                         set it, and wakes the rest; a reader does not   *)
(*              "inherit"  HANDOFF stays for the next unless the list is   *)
(*                         empty; a writer wakes the rest, a reader does   *)
(*                         not                                             *)
(*              "first"    the same, and whoever was first wakes the rest  *)
(*   place    where a reader queues: at the "tail", as writers do, or at the *)
(*            "head"                                                         *)
(*   skip     rwsem_wake gives up if wait_lock is taken while a task spins *)
(*                                                                         *)
(* No record says when a task must stop spinning: the NONSPINNABLE bits,   *)
(* two up to 5.10 and one since, and osq are left out, as the header of    *)
(* RwsemFlags says.                                                        *)
(***************************************************************************)

\* 5.3 to 5.10: readers spin too.
Flags53 == [spin |-> {"R", "W"}, steal |-> FALSE, try |-> "wstate",
            cond |-> FALSE, leave |-> "wstate", place |-> "tail", skip |-> FALSE]

\* 5.11 to 5.15: 617f3ef95177 takes the readers' spinning out, 1a728dff855a
\* lets them steal a free lock, 2f06f702925b says when not.
Flags511 == [Flags53 EXCEPT !.spin = {"W"}, !.steal = TRUE]

\* 5.16 to 5.18: d257cc8cb8d5 takes wstate out, and with it what was subtracted
\* twice.
Flags516 == [Flags511 EXCEPT !.try = "inherit", !.leave = "inherit"]

\* 5.19 to 6.2: 6eebd5fb2083 lets a writer ignore a HANDOFF that the first
\* waiter did not set; 54c1ee4d614d and 1ee326196c66 wake alike on the way in
\* and out.
Flags519 == [Flags516 EXCEPT !.try = "setter", !.cond = TRUE, !.leave = "first"]

\* 6.3 and later: b613c7f31476 lets nobody but the first waiter spin in the
\* queue.
Flags63 == [Flags519 EXCEPT !.try = "first"]

\* Never upstream: 5.11 with a vendor hook that queues readers first.  So was the
\* count corrupted that d257cc8cb8d5 was written for (its thread, 11 Nov 2021, which
\* does not name the release).
FlagsReadersFirst == [Flags511 EXCEPT !.place = "head"]

\* Never released: 6.3 with the skipped wake-up of 59aabfc7e959, which
\* 5c1ec49b60cd took out before the hand-off came in.
FlagsWakeSkip == [Flags63 EXCEPT !.skip = TRUE]

=============================================================================
