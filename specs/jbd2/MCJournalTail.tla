--------------------------- MODULE MCJournalTail ---------------------------
(***************************************************************************)
(* What Jbd2Credits does to the log, told as a kernel's tracepoints tell   *)
(* it, is a behaviour of LogTail.                                          *)
(*                                                                         *)
(* A step of Jbd2Credits that writes, finishes or frees a transaction says *)
(* which events it is, in their order; LogTail has to take them, one after *)
(* the other, before Jbd2Credits goes on.  Jbd2Credits does not number its *)
(* transactions: that is done here, from 1, and the tail's number with it. *)
(*                                                                         *)
(* ASSUMED.  A transaction that has dirtied nothing is dropped as soon as  *)
(* it has finished (jbd2_journal_commit_transaction).                      *)
(***************************************************************************)
EXTENDS Jbd2Credits

CONSTANTS
    Most,       \* so many transactions are committed
    Shown       \* the size of the log, as LogTail knows it

VARIABLES
    telling,    \* the events that are still to be told, as <<name, arguments>>
    head,       \* the transaction that the tail is at
    kept,       \* the transactions of checkpoint, by their numbers
    tail, last, ended, total, dropped   \* LogTail's

numbered == <<head, kept>>
shown    == <<tail, last, ended, total, dropped>>
observed == <<telling, numbered, shown>>

\* (Its own Next, which is not used here, would take arguments from a trace.)
Nothing(name) == {}
Observer == INSTANCE LogTail WITH FirstTid <- 1, Log <- Shown, Arguments <- Nothing

RefineInit ==
    /\ Init
    /\ telling = <<>>
    /\ head = 1
    /\ kept = <<>>
    /\ Observer!Init
    /\ ended = last

-----------------------------------------------------------------------------
(* Which events a step is.                                                 *)

Wrote    == committing.state = "FLUSH" /\ committing'.state = "TAIL"
Finished == committing.state = "TAIL" /\ committing'.state = "none"
Freed    == free' - free
IsEmpty  == committing.log = 0

\* The transaction that the tail moves to when the first of kept is free.
Behind == IF Len(kept) > 1 THEN kept[2] ELSE ended + 1

Events ==
    CASE Wrote -> <<<<"Logged", <<last + 1, committing.log, free - free'>>>>>>
      [] Finished ->
            <<<<"Finish", <<last, head>>>>>>
            \o (IF IsEmpty THEN <<<<"Drop", <<last>>>>>> ELSE <<>>)
            \o (IF Freed > 0 THEN <<<<"Tail", <<head, last + 1, Freed>>>>>> ELSE <<>>)
      [] ~Wrote /\ ~Finished /\ Freed > 0 ->
            <<<<"Drop", <<Head(kept)>>>>, <<"Tail", <<head, Behind, Freed>>>>>>
      [] OTHER -> <<>>

\* A step of Jbd2Credits.
Step ==
    /\ telling = <<>>
    /\ Next
    /\ Wrote => last < Most
    /\ telling' = Events
    /\ head' = CASE Freed <= 0 -> head
                 [] Finished   -> last + 1
                 [] OTHER      -> Behind
    /\ kept' = CASE Finished /\ ~IsEmpty -> Append(kept, last)
                 [] ~Finished /\ Freed > 0 -> Tail(kept)
                 [] OTHER -> kept
    /\ UNCHANGED shown

\* LogTail takes the next event.
Takes(name, a) ==
    CASE name = "Logged" -> Observer!Logged(a[1], a[2], a[3])
      [] name = "Finish" -> Observer!Finish(a[1], a[2])
      [] name = "Drop"   -> Observer!Drop(a[1])
      [] name = "Tail"   -> Observer!Tail(a[1], a[2], a[3])
Tell ==
    /\ telling # <<>>
    /\ Takes(telling[1][1], telling[1][2])
    /\ telling' = Tail(telling)
    /\ UNCHANGED <<vars, numbered>>

RefineSpec == RefineInit /\ [][Step \/ Tell]_<<vars, observed>>

-----------------------------------------------------------------------------
\* LogTail takes every event.
Implements == telling # <<>> => ENABLED Tell

\* Probes: an empty transaction is passed beside one that is not; the tail moves
\* past two at once.
NeverEmptyBeside == ~(telling # <<>> /\ Len(telling) = 2 /\ telling[1][1] = "Finish")
NeverTwoAtOnce ==
    \A n \in DOMAIN telling : telling[n][1] = "Tail" => telling[n][2][2] <= telling[n][2][1] + 1
=============================================================================
