--------------------------- MODULE APReserveWait ---------------------------
(***************************************************************************)
(* ReserveWait for Apalache: the invariants of the wait for reserved       *)
(* credits, by an inductive invariant.                                     *)
(*                                                                         *)
(* FOR WHICH CONSTANTS.  Any Half: of a log of any size; three small       *)
(* threads and a large one.                                                *)
(*                                                                         *)
(* WHY IT IS INDUCTIVE.  What is counted is what the holders reserved and  *)
(* what attempts have not taken back, and the queue is who sleeps.  If all *)
(* are woken each time that credits are taken off, nobody sleeps whose     *)
(* credits fit (NobodyFits): credits only get fewer until the next time.   *)
(* If a release hands over, the first still does not fit (FirstDoesNotFit) *)
(* and so at most two are served: less than its need was free, and at most *)
(* two credits come.                                                       *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, Apalache

CONSTANTS
    \* @type: Set(Str);
    Small,
    \* @type: Set(Str);
    Large,
    \* @type: Int;
    Half,
    \* @type: Str;
    Wake,
    \* @type: Int;
    MaxHerd,
    \* @type: Int;
    MaxWakes

VARIABLES
    \* @type: Str -> Str;
    pc,
    \* @type: Seq(Str);
    queue,
    \* @type: Int;
    reserved,
    \* @type: Int;
    herd,
    \* @type: Int;
    stirred,
    \* @type: Str -> Int;
    wakes

INSTANCE ReserveWait

-----------------------------------------------------------------------------
(* What is left open.                                                      *)

SSSL    == Small = {"s1", "s2", "s3"} /\ Large = {"l1"}
SSL     == Small = {"s1", "s2"} /\ Large = {"l1"}
AnyHalf == Half \in Nat

HandOff  == SSSL /\ AnyHalf /\ Wake = "hand-off" /\ MaxHerd = 2 /\ MaxWakes = 1
WakeAll  == SSSL /\ AnyHalf /\ Wake = "all" /\ MaxHerd = 3 /\ MaxWakes = 1
\* Controls.
Untested == SSSL /\ AnyHalf /\ Wake = "untested" /\ MaxHerd = 3 /\ MaxWakes = 1
HandOffHerd1 == SSSL /\ AnyHalf /\ Wake = "hand-off" /\ MaxHerd = 1 /\ MaxWakes = 1

\* The sizes of TLC's rows.
UntestedSSL == SSL /\ Half = 2 /\ Wake = "untested" /\ MaxHerd = 0 /\ MaxWakes = 1

-----------------------------------------------------------------------------
(* The invariant.                                                          *)

\* Each step keeps this, so that what it begins with leaves out nothing that is
\* reached.
InTypes ==
    /\ pc \in [Thread -> {"idle", "test", "undo", "look", "sleep", "hold"}]
    /\ Len(queue) <= 4
    /\ reserved \in Nat
    /\ herd \in 0 .. 3
    /\ stirred \in 0 .. 3
    /\ wakes \in [Thread -> 0 .. 2]

TypeAssign == queue = Gen(4) /\ InTypes

\* Who sleeps is in the queue, once.
QueueIsSleepers ==
    /\ \A i \in DOMAIN queue : queue[i] \in Thread /\ pc[queue[i]] = "sleep"
    /\ \A t \in Thread : pc[t] = "sleep" => \E i \in DOMAIN queue : queue[i] = t
    /\ \A i, j \in DOMAIN queue : queue[i] = queue[j] => i = j

\* If all are woken, nobody sleeps whose credits fit.
NobodyFits ==
    Wake = "all" => \A t \in Thread : pc[t] = "sleep" => ~Fits(t, reserved)

\* If a release hands over, nobody adds what is too much.
NobodyUndoes ==
    Wake = "hand-off" => stirred = 0 /\ \A t \in Thread : pc[t] \notin {"undo", "look"}

\* The first in the queue does not fit.
FirstDoesNotFit == queue # <<>> => ~Fits(Head(queue), reserved)

\* Who is handed its credits was woken once, and never before.
WokenOnce ==
    Wake = "hand-off" =>
        \A t \in Thread : wakes[t] <= 1 /\ (wakes[t] = 1 => pc[t] \in {"hold", "idle"})

IndInv ==
    /\ QueueIsSleepers
    /\ ReservedIsHeld
    /\ NobodyFits
    /\ NobodyUndoes
    /\ FirstDoesNotFit
    /\ WokenOnce
    /\ BoundedHerd

IndInit == TypeAssign /\ IndInv

\* Too weak: that the first in the queue does not fit is left out.
WeakInv  == QueueIsSleepers /\ ReservedIsHeld /\ BoundedHerd
WeakInit == TypeAssign /\ WeakInv
=============================================================================
