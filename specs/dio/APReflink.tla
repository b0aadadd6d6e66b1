----------------------------- MODULE APReflink -----------------------------
(***************************************************************************)
(* Reflink for Apalache: its types.                                        *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    \* @type: { demotes: Bool, flag: Str, clear: Str, look: Str, drains: Bool, flushes: Bool, cow: Str, fallback: Str };
    Policy,
    \* @type: Str -> { kind: Str, from: Int, to: Int };
    Calls,
    \* @type: Int;
    Blocks,
    \* @type: Int;
    PerBlock

VARIABLES
    \* @type: Int -> (Int -> Str);
    disk,
    \* @type: Int -> Int;
    home,
    \* @type: Int -> Int;
    cow,
    \* @type: Str -> (Int -> Int);
    copy,
    \* @type: Int -> Str;
    cache,
    \* @type: Bool;
    remapping,
    \* @type: Str -> Str;
    pc,
    \* @type: Str -> Str;
    held,
    \* @type: Str -> Int;
    next,
    \* @type: Str -> (Int -> Int);
    io,
    \* @type: Str -> (Int -> Str);
    got,
    \* @type: Str -> Set(Str);
    older,
    \* @type: Str -> Set(Int -> Str);
    seen

INSTANCE Reflink
=============================================================================
