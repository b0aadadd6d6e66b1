----------------------------- MODULE MCLogTail -----------------------------
(***************************************************************************)
(* All that LogTail accepts of a small log, whatever kernel would do it:   *)
(* the states and steps are counted, so that a guard that is not there is  *)
(* seen, which makes it accept more.                                       *)
(*                                                                         *)
(* Some transactions are before the first whose blocks are told.  An       *)
(* action may be taken with arguments that its guards refuse.              *)
(***************************************************************************)
EXTENDS LogTail

CONSTANT Steps

\* From well before the first on.
Tid == 0 .. (FirstTid + 3)

Block == 0 .. 2

\* As many blocks as the log has too.
Freed == 0 .. Log

Tried(action) ==
    CASE action = "Logged" -> Tid \X Block \X Freed
      [] action = "Finish" -> Tid \X Tid
      [] action = "Drop"   -> Tid \X {0}
      [] action = "Tail"   -> Tid \X Tid \X Freed

\* Traces of so many steps.  Beyond the first, the tail is at no transaction
\* that has yet to be dropped: it could be dropped there too, so that a step
\* that forgets that it was would lead to no other states.
Short ==
    /\ TLCGet("level") <= Steps
    /\ tail \in (FirstTid + 1)..ended => tail \in dropped
=============================================================================
