----------------------- MODULE SegmentBitmapPolicies -----------------------
(***************************************************************************)
(* The designs that SegmentBitmap can run, each a record of decisions.     *)
(*                                                                         *)
(*   order     a task takes its bits "ascending", or in "any" order        *)
(*   handoff   a bit that is released goes to the first who waits for it;  *)
(*             else to whoever is there first, as with wait_on_bit_lock    *)
(*   rescales  the semaphore's mode under which the segments' size changes *)
(***************************************************************************)

\* After Dave Chinner, 10 January 2025, Message-ID Z4BbmpgWn9lWUkp3@dread; the kernel's bit waits.
SegmentBits == [order |-> "ascending", handoff |-> FALSE, rescales |-> "excl"]

\* Proposal: the same with a hand-off.
SegmentHandoff == [SegmentBits EXCEPT !.handoff = TRUE]

\* Controls.
BitsUnordered      == [SegmentBits EXCEPT !.order = "any"]
RescaleUnderShared == [SegmentBits EXCEPT !.rescales = "shared"]
=============================================================================
