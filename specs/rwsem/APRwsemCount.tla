---------------------------- MODULE APRwsemCount ----------------------------
(***************************************************************************)
(* The types of RwsemCount, for Apalache.  Checked: that it has types.     *)
(* Tasks are strings, because None is one.                                 *)
(***************************************************************************)

\* @typeAlias: policy = { order: Seq(Str), skip: Str };
TypeAliases == TRUE

CONSTANTS
    \* @type: Set(Str);
    Readers,
    \* @type: Set(Str);
    Writers,
    \* @type: $policy;
    Policy

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
