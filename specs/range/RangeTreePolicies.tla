------------------------- MODULE RangeTreePolicies -------------------------
(***************************************************************************)
(* The designs of a range lock that RangeTree can run, each a record of    *)
(* decisions.                                                              *)
(*                                                                         *)
(*   leaves   whom a waiter that gives up takes off its account: the       *)
(*            "later" ones, by sequence number; or "all" that overlap      *)
(*   keeps    what a waiter waits for in the place of a range that it has  *)
(*            counted, when parts take that: each of the "parts" that      *)
(*            conflicts; as for one "range" if one does; no fewer than     *)
(*            before, "all"; or "nothing"                                  *)
(*   passes   so many may pass a waiter, if they conflict with no holder   *)
(***************************************************************************)

\* Kara 2013; Bueso 2017 to 2019: first come, first served among those that conflict.
TreeFifo == [leaves |-> "later", keeps |-> "parts", passes |-> 0]

\* Control: the same without sequence numbers.
InterruptNoSeq == [TreeFifo EXCEPT !.leaves = "all"]

\* Controls: a range that is narrowed goes on as one; wakes nobody; wakes all.
NarrowCountsOne    == [TreeFifo EXCEPT !.keeps = "range"]
NarrowWakesNobody  == [TreeFifo EXCEPT !.keeps = "all"]
NarrowWakesAll     == [TreeFifo EXCEPT !.keeps = "nothing"]

\* Proposals: one, or two, that conflict with waiters alone may go before each of them.
PassOne == [TreeFifo EXCEPT !.passes = 1]
PassTwo == [TreeFifo EXCEPT !.passes = 2]
=============================================================================
