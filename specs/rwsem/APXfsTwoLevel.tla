--------------------------- MODULE APXfsTwoLevel ---------------------------
(***************************************************************************)
(* The types of XfsTwoLevel, for Apalache.  Checked: that it has types.    *)
(***************************************************************************)

(* @typeAlias: policy = {
       shared: Bool, barge: Str, spin: Set(Str), place: Str,
       enqueue: Str, wake: Str, take: Str, handoff: Bool, skip: Bool
   }; *)
TypeAliases == TRUE

CONSTANTS
    \* @type: Set(TASK);
    Readers,
    \* @type: Set(TASK);
    Writers,
    \* @type: $policy;
    Policy,
    \* @type: Bool;
    Merged

VARIABLES
    \* @type: TASK -> Str;
    opc,
    \* @type: Seq(TASK);
    oqueue,
    \* @type: TASK -> Str;
    ipc,
    \* @type: Seq(TASK);
    iqueue,
    \* @type: Set(TASK);
    wrote

INSTANCE XfsTwoLevel
=============================================================================
