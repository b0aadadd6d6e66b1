---------------------------- MODULE APRwsemCount ----------------------------
(***************************************************************************)
(* The types of RwsemCount, for Apalache.  Checked: that it has types.     *)
(* Tasks are strings, because None is one.                                 *)
(***************************************************************************)

CONSTANTS
    \* @type: Set(Str);
    Readers,
    \* @type: Set(Str);
    Writers,
    \* @type: Seq(Str);
    WakeOrder

VARIABLES
    \* @type: Int;
    count,
    \* @type: Seq(Str);
    list,
    \* @type: Str;
    waitlock,
    \* @type: Set(Str);
    granted,
    \* @type: Set(Str);
    chosen,
    \* @type: Seq(Str);
    plan,
    \* @type: Str -> Str;
    pc

INSTANCE RwsemCount
=============================================================================
