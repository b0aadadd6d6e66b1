--------------------------- MODULE MCObservedPlug ---------------------------
(***************************************************************************)
(* All that ObservedPlug accepts of a small disk, whatever kernel would do *)
(* it: the states and steps are counted, so that a guard that is not there *)
(* is seen, which makes it accept more.                                    *)
(*                                                                         *)
(* Two tasks, four sectors, of which one waits when the trace begins.  An  *)
(* action may be taken with arguments that its guards refuse.              *)
(***************************************************************************)
EXTENDS ObservedPlug, TLC

CONSTANT Steps

Waits == {<<0, 1>>}

\* Bios of no sector too.
Bios == (0 .. 2) \X (0 .. 1)

Tried(action) ==
    CASE action = "Bio"                         -> {<<t, b[1], b[2]>> : t \in Tasks, b \in Bios}
      [] action \in {"BackMerge", "FrontMerge"} -> {<<t, b[1], b[2]>> : t \in Tasks, b \in Bios}
      [] action = "Unplug"                      -> Tasks \X (0 .. 2)
      [] action = "Issue"                       -> (0 .. 2) \X (1 .. 2)
      [] action = "Synced"                      -> {<<>>}
      [] OTHER                                  -> Tasks \X {0}

\* Traces of so many steps.
Short == TLCGet("level") <= Steps
=============================================================================
