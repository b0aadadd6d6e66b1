----------------------------- MODULE MCHandles -----------------------------
(***************************************************************************)
(* All that Handles accepts of a small journal, whatever kernel would do   *)
(* it: the states and steps are counted, so that a guard that is not there *)
(* is seen, which makes it accept more.                                    *)
(*                                                                         *)
(* An action may be taken with arguments that its guards refuse: of the    *)
(* transactions before and after, and with credits that are not there.     *)
(***************************************************************************)
EXTENDS Handles

CONSTANTS
    Credit,     \* the credits that a handle asks for
    Reserve,    \* and those that it reserves
    Steps

\* From the one before the first on.
Tid == (FirstTid - 1) .. (FirstTid + 3)

Tried(action) ==
    CASE action = "Start"         -> Task \X Tid \X Credit \X Reserve
      [] action = "StartReserved" -> Task \X Tid \X Reserve \X Reserve
      [] action = "StartOlder"    -> Task \X Tid \X Credit
      [] action = "Extend"        -> Task \X Tid \X Credit \X Credit
      [] action = "Restart"       -> Task \X {0}
      [] action = "Stop"          -> Task \X Tid \X Credit \X Credit
      [] action = "Stats"         -> Tid \X (0 .. 2) \X Credit
      [] OTHER                    -> Tid \X {0}

\* Traces of so many steps.
Short == TLCGet("level") <= Steps
=============================================================================
