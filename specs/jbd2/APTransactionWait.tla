------------------------- MODULE APTransactionWait -------------------------
(***************************************************************************)
(* TransactionWait for Apalache: its types, and that nobody sleeps for a   *)
(* commit that nobody has asked for, by an inductive invariant.            *)
(*                                                                         *)
(* FOR WHICH CONSTANTS.  Any Room in a transaction, two small threads and  *)
(* a large one, either order of the queue, with and without barging.       *)
(*                                                                         *)
(* WHY IT IS INDUCTIVE.  Who goes to sleep asks, and what is asked for is  *)
(* forgotten with a commit, which wakes all (SleepersHaveAsked).  The line *)
(* loses its first, who tries no more: it must not stand there again       *)
(* (LineOnce).                                                             *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Apalache

CONSTANTS
    \* @type: Set(Str);
    Small,
    \* @type: Set(Str);
    Large,
    \* @type: Int;
    Room,
    \* @type: Str;
    Order,
    \* @type: Bool;
    Barge,
    \* @type: Int;
    MaxCommits

VARIABLES
    \* @type: Str -> Str;
    pc,
    \* @type: Seq(Str);
    queue,
    \* @type: Seq(Str);
    line,
    \* @type: Int;
    used,
    \* @type: Bool;
    asked,
    \* @type: Str -> Int;
    commits

INSTANCE TransactionWait

-----------------------------------------------------------------------------
(* What is left open.                                                      *)

SSL == Small = {"s1", "s2"} /\ Large = {"l1"}

Wakes(orders) == SSL /\ Room \in Nat /\ Order \in orders /\ Barge \in BOOLEAN /\ MaxCommits = 1
AnyRoom       == Wakes({"lifo", "fifo"})

\* Control: a commit wakes nobody.
LostWake == Wakes({"lost"})

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

\* Sequences; all else is TypeOK's.
TypeAssign == queue = Gen(3) /\ line = Gen(3)

\* Nobody stands in the line twice.
LineOnce == \A i, j \in DOMAIN line : line[i] = line[j] => i = j

\* For whoever sleeps a commit is asked for, which will wake it.
SleepersHaveAsked == \A t \in Thread : pc[t] = "sleep" => asked

IndInv == TypeOK /\ LineOnce /\ SleepersHaveAsked

IndInit == TypeAssign /\ IndInv

\* Too weak: who is in the line twice is there when it has a handle.
WeakInv  == TypeOK /\ SleepersHaveAsked
WeakInit == TypeAssign /\ WeakInv
=============================================================================
