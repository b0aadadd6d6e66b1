------------------------- MODULE RangeListPolicies -------------------------
(***************************************************************************)
(* The designs of a range lock that RangeList can run, each a record of    *)
(* decisions.                                                              *)
(*                                                                         *)
(*   validates  who looks for conflicts once more when its node is in the  *)
(*              list: "reader", "writer"                                   *)
(*   reader     what a reader does that finds one then: it may "wait" for  *)
(*              the other's mark, or "retreat": mark its own node, and     *)
(*              come again                                                 *)
(*   writer     what a writer does                                         *)
(*   sleeps     who conflicts sleeps until somebody marks a node, and      *)
(*              comes again; else it spins at the node that it has met     *)
(*   rechecks   the other's mark is read again under the sleepers' lock,   *)
(*              under which all marks are set                              *)
(*   patience   when it has lost so often a task takes the auxiliary lock, *)
(*              so that no other begins a try before it has got in         *)
(***************************************************************************)
EXTENDS Naturals

Never == 99     \* a patience that no task loses

\* Kogan, Dice and Issa, EuroSys 2020: the list for readers and writers.
ListRW ==
    [validates |-> {"reader", "writer"}, reader |-> "wait", writer |-> "retreat",
     sleeps |-> FALSE, rechecks |-> FALSE, patience |-> Never]

\* The same with their auxiliary lock, taken by who has lost once.
ListImpatient == [ListRW EXCEPT !.patience = 1]

\* FreeBSD 15, sys/kern/kern_rangelock.c: both sides retreat, and sleep.
FreeBsd15 == [ListRW EXCEPT !.reader = "retreat", !.sleeps = TRUE,
                              !.rechecks = TRUE]

\* Controls of ListRW.
NoReaderValidate == [ListRW EXCEPT !.validates = {"writer"}]
NoWriterValidate == [ListRW EXCEPT !.validates = {"reader"}]
BothWait         == [ListRW EXCEPT !.writer = "wait"]
BothRetreat      == [ListRW EXCEPT !.reader = "retreat"]

\* Control of FreeBsd15: sleep on the mark that was read before.
SleepNoRecheck   == [FreeBsd15 EXCEPT !.rechecks = FALSE]

\* ListRW, with a writer that looks again before it retreats.
ListRechecks     == [ListRW EXCEPT !.rechecks = TRUE]
=============================================================================
