--------------------------- MODULE APMpageLatency ---------------------------
(***************************************************************************)
(* MpageLatency for Apalache: its bounds for every number of pages, every  *)
(* pagevec and every extent, by induction.                                 *)
(*                                                                         *)
(* SHOWN.  Pages, Batch and Extent are left to the solver, and so is       *)
(* Mapped, how many of the pages have blocks already.                      *)
(* - StretchInv: how many steps the real-time task waits for, at most, for *)
(*   each variant.  With SharpInv: without a cond_resched in the loop that *)
(*   submits, each pass that ends has made that many without a break, so   *)
(*   that no bound is there for all N.                                     *)
(* - HeldInv: how often the flusher goes off while a commit waits.         *)
(* - OffInv: for NoPoint and BetweenHandles, it never goes off with its    *)
(*   handle.                                                               *)
(*                                                                         *)
(* ASSUMED.  Preemption at cond_resched alone, and Extent >= Batch for the *)
(* variants whose only points are those of the loops over an extent;       *)
(* AnyShort has an extent of one page.                                     *)
(*                                                                         *)
(* THE IDEA.  Whoever is at a cond_resched goes off or on before its next  *)
(* step.  So the stretch is a function of where the flusher is, Since, and *)
(* it is enough to know which pages are where.                             *)
(***************************************************************************)
EXTENDS Integers, MpageLatencyPolicies

CONSTANTS
    \* @type: Int;
    Pages,
    \* @type: Int;
    Mapped,
    \* @type: Int;
    Batch,
    \* @type: Int;
    Extent,
    \* @type: { points: Set(Str), handle: Str, sync: Bool, stop: Str };
    Policy,
    \* @type: Int;
    MaxStretch,
    \* @type: Int;
    MaxHeld,
    \* @type: Int;
    Vecs \* in so many pagevecs a loop comes to its points

VARIABLES
    \* @type: { flusher: Str, realtime: Str, commit: Str };
    pc,
    \* @type: Int;
    next,
    \* @type: Int;
    locked,
    \* @type: Int;
    bio,
    \* @type: Bool;
    handle,
    \* @type: Bool;
    point,
    \* @type: Int;
    stretch,
    \* @type: Int;
    held

\* The bounds are those at cond_resched alone.
Preemption == "none"

INSTANCE MpageLatency

-----------------------------------------------------------------------------
(* The constants: what each variant's bounds are.                          *)

\* n pages are so many pagevecs, the last one may be short.
AreVecs(n) == Vecs * Batch >= n /\ (Vecs - 1) * Batch < n

AnyPages ==
    /\ Pages \in Nat /\ Pages >= 1
    /\ Mapped \in Nat /\ Mapped < Pages
    /\ Batch \in Nat /\ Batch >= 1
    /\ Extent \in Nat /\ Extent >= 1
    /\ Vecs \in Nat

\* An extent is a pagevec, at least.
AnyLong == AnyPages /\ Extent >= Batch

AnyNoPoint ==
    /\ AnyPages
    /\ Policy = NoPoint
    /\ MaxStretch = 2 * Pages + 3
    /\ Vecs = 0 /\ MaxHeld = Vecs

AnyNoResched ==
    /\ AnyPages
    /\ Policy = NoResched
    /\ MaxStretch = Pages + 2
    /\ AreVecs(Pages) /\ MaxHeld = Vecs

AnyReschedPerPagevec ==
    /\ AnyPages
    /\ Policy = ReschedPerPagevec
    /\ MaxStretch = StretchWithout
    /\ AreVecs(Pages) /\ MaxHeld = 2 * Vecs

AnyPerExtent ==
    /\ AnyLong
    /\ Policy = PerExtent
    /\ MaxStretch = StretchWithout
    /\ AreVecs(Extent) /\ MaxHeld = Vecs

\* The same, with an extent shorter than a pagevec: the bound grows with N.
AnyShort ==
    /\ AnyPages
    /\ Pages >= 2
    /\ Extent = 1
    /\ Batch >= 2
    /\ Policy = PerExtent
    /\ MaxStretch = 6 * Pages - 4
    /\ MaxHeld = Vecs

AnySyncStopLate ==
    /\ AnyLong
    /\ Policy = SyncStopLate
    /\ MaxStretch = StretchWithout
    /\ AreVecs(Extent) /\ MaxHeld = Vecs

AnyPerExtentPagevec ==
    /\ AnyLong
    /\ Policy = PerExtentPagevec
    /\ MaxStretch = StretchWithout
    /\ AreVecs(Extent) /\ MaxHeld = 2 * Vecs

AnyBetweenHandles ==
    /\ AnyPages
    /\ Policy = BetweenHandles
    /\ MaxStretch = Mapped + StretchWithout
    /\ Vecs = 0 /\ MaxHeld = Vecs

\* No page has its blocks: the first pass has nothing to do.
NewBetweenHandles == AnyBetweenHandles /\ Mapped = 0

\* Controls: ReschedPerPagevec's bound, of which the solver has to say what is wrong.
NoReschedConstant ==
    /\ AnyPages
    /\ Policy = NoResched
    /\ MaxStretch = StretchWithout
    /\ MaxHeld = Vecs
NoReschedThree == NoReschedConstant /\ Batch = 2

\* The smallest pages, pagevec and extent are left open, and the smallest short extent.
NotTheSmallest == Pages + Mapped + Batch + Extent > 3
NotTheShortest == Pages + Batch > 4

\* The smallest pagevec and extent for which b + 3 is too few.
PerExtentPagevecThree ==
    /\ AnyPages
    /\ Mapped = 0
    /\ Batch = 4
    /\ Extent = 7
    /\ Policy = PerExtentPagevec
    /\ MaxStretch = 7
    /\ MaxHeld = Vecs

\* Sizes of models.toml.
N6  == Pages = 6 /\ Mapped = 0 /\ Batch = 2 /\ Extent = 3 /\ MaxStretch = 12 /\ MaxHeld = 4 /\ Vecs = 2
N12E1 == Pages = 12 /\ Mapped = 0 /\ Batch = 2 /\ Extent = 1 /\ MaxStretch = 12 /\ MaxHeld = 4 /\ Vecs = 2
NoReschedN6      == N6 /\ Policy = NoResched
BetweenHandlesN6 == N6 /\ Policy = BetweenHandles
PerExtentN12E1   == N12E1 /\ Policy = PerExtent

-----------------------------------------------------------------------------
(* The steps since the last cond_resched, at most, where the flusher is at *)
(* none: what it has done since the place of the last one.                 *)

\* No extent is submitted yet: the first handle, or the first pass.
IsFirst == next <= Mapped

SinceNoPoint ==
    CASE pc.flusher = "collect" -> 1 + locked
      [] pc.flusher = "map"     -> 1 + Pages
      [] pc.flusher = "submit"  -> 2 + Pages + next
      [] pc.flusher = "stop"    -> 2 + 2 * Pages
      [] OTHER                  -> 0

SinceNoResched ==
    CASE pc.flusher = "collect" -> 1 + locked
      [] pc.flusher = "submit"  -> 1 + next
      [] pc.flusher = "stop"    -> 1 + Pages
      [] OTHER                  -> 0

SinceReschedPerPagevec ==
    CASE pc.flusher = "collect" -> IF locked < Batch THEN 1 + locked ELSE locked % Batch
      [] pc.flusher = "submit"  -> IF next < Batch THEN 1 + next ELSE next % Batch
      [] OTHER                  -> 0

SincePerExtent ==
    CASE pc.flusher = "start"   -> IF IsFirst THEN next % Batch ELSE 3 + Extent + Rest
      [] pc.flusher = "collect" -> IF locked < Batch THEN 4 + Extent + Rest + locked
                                   ELSE locked % Batch
      [] pc.flusher = "map"     -> Rest
      [] pc.flusher = "submit"  -> 1 + Rest + bio
      [] pc.flusher = "stop"    -> 1 + Rest + bio
      [] pc.flusher = "send"    -> 2 + Rest + bio
      [] OTHER                  -> 0

\* With extents of one page: six steps for each, but for the last, behind which
\* the loop that collects ends at its cond_resched.
SinceShort ==
    LET last == next + locked = Pages
    IN CASE pc.flusher = "start"   -> 6 * next
         [] pc.flusher = "collect" -> 6 * next + 1
         [] pc.flusher = "map"     -> IF last THEN 0 ELSE 6 * next + 2
         [] pc.flusher = "submit"  -> IF last THEN 1 ELSE 6 * next + 3
         [] pc.flusher = "stop"    -> IF last THEN 2 ELSE 6 * next - 2
         [] pc.flusher = "send"    -> IF last THEN 3 ELSE 6 * next - 1
         [] OTHER                  -> 0

SinceSyncStopLate ==
    CASE pc.flusher = "start"   -> IF IsFirst THEN next % Batch ELSE 1
      [] pc.flusher = "collect" -> IF locked < Batch THEN 1 + Max(1, RestMapped) + locked
                                   ELSE locked % Batch
      [] pc.flusher = "map"     -> Rest
      [] pc.flusher = "submit"  -> 1 + Rest + bio
      [] pc.flusher = "send"    -> 1 + Rest + bio
      [] pc.flusher = "stop"    -> 2 + Rest + Extent
      [] OTHER                  -> 0

SincePerExtentPagevec ==
    CASE pc.flusher = "start"   -> IF IsFirst THEN next % Batch ELSE 2
      [] pc.flusher = "collect" -> IF locked < Batch THEN 1 + Max(2, RestMapped) + locked
                                   ELSE locked % Batch
      [] pc.flusher = "map"     -> Rest
      [] pc.flusher = "submit"  -> IF bio < Batch THEN 1 + Rest + bio ELSE bio % Batch
      [] pc.flusher = "send"    -> 1
      [] OTHER                  -> 0

SinceBetweenHandles ==
    CASE pc.flusher = "start"   -> IF IsFirst THEN next ELSE 0
      [] pc.flusher = "collect" -> 1 + Mapped + locked
      [] pc.flusher = "map"     -> 1 + Mapped + locked
      [] pc.flusher = "submit"  -> 2 + Mapped + locked + 2 * bio
      [] pc.flusher = "stop"    -> 2 + Mapped + 2 * bio
      [] pc.flusher = "send"    -> 3 + Mapped + 2 * bio
      [] OTHER                  -> 0

Since ==
    CASE Policy = NoPoint                   -> SinceNoPoint
      [] Policy = NoResched                 -> SinceNoResched
      [] Policy = ReschedPerPagevec         -> SinceReschedPerPagevec
      [] Policy = PerExtent /\ Extent = 1 /\ Batch >= 2 -> SinceShort
      [] Policy = PerExtent                 -> SincePerExtent
      [] Policy = SyncStopLate              -> SinceSyncStopLate
      [] Policy = PerExtentPagevec          -> SincePerExtentPagevec
      [] Policy = BetweenHandles            -> SinceBetweenHandles
      [] OTHER                              -> 0

-----------------------------------------------------------------------------
(* The invariants.                                                         *)

\* Which pages are where: a handle is for what is locked or in its bio, and
\* whoever collects has one page to go.
PagesWhere ==
    /\ next + locked <= Pages
    /\ pc.flusher \in {"start", "collect"} => next + locked < Pages
    /\ pc.flusher \in {"map", "submit"} => locked >= 1
    /\ pc.flusher \in {"idle", "start", "stop", "send", "sync"} => locked = 0
    /\ IF IsPerExtent
       THEN /\ bio + locked <= Extent
            /\ pc.flusher = "collect" => locked < Extent
            /\ pc.flusher \in {"idle", "start", "collect", "map", "sync"} => bio = 0
            /\ pc.flusher \in {"collect", "map", "submit"} => next >= Mapped + bio
            /\ pc.flusher \in {"stop", "send", "sync"} => next > Mapped
            /\ pc.flusher = "stop" /\ Policy.stop = "late" => bio = 0
       ELSE /\ bio = 0
            /\ pc.flusher \in {"start", "collect", "map"} => next = 0
            /\ pc.flusher \in {"map", "submit", "stop"} => next + locked = Pages
            /\ pc.flusher \notin {"send", "sync"}

\* The stretch is what the place says.
StretchWhere == ~point => stretch <= Since

StretchInv == StretchWhere /\ BoundedStretch

\* Where the handle is open.
HandleWhere ==
    handle => \/ pc.flusher \in {"collect", "map", "submit", "stop"}
              \/ pc.flusher = "send" /\ Policy.stop = "late"

\* Where a cond_resched may be: behind what has one.  (Of the loop that submits
\* no more is needed.)
PointWhere ==
    point => \/ pc.flusher \in {"idle", "start"}
             \/ pc.flusher \in {"collect", "map"} /\ "collect" \in Policy.points
             \/ "submit" \in Policy.points

\* Only a commit that waits is counted for.
NoneWaits == pc.commit = "idle" => held = 0

\* How often the flusher was off, with the time that it is about to be.
Offs == IF point THEN held + 1 ELSE held

\* Once for each pagevec, of each loop.
HeldWhere ==
    CASE pc.flusher = "collect" -> Offs * Batch <= locked
      [] pc.flusher = "map"     -> Offs <= Vecs
      [] pc.flusher = "submit"  -> IF "submit" \in Policy.points
                                   THEN (Offs - Vecs) * Batch <= IF IsPerExtent THEN bio ELSE next
                                   ELSE Offs <= Vecs
      [] pc.flusher = "stop"    -> Offs <= MaxHeld
      [] OTHER                  -> TRUE

\* All of HeldInv but for whom it is counted.
CountInv ==
    /\ HandleWhere
    /\ PointWhere
    /\ HeldWhere
    /\ BoundedCommitWait

HeldInv == NoneWaits /\ CountInv

\* A cond_resched between two handles, and no other.
PointBetween == point => pc.flusher \in {"idle", "start"}

\* Off the processor, without a handle.
OffWithout == pc.realtime = "runs" => ~handle

OffInv ==
    /\ HandleWhere
    /\ PointBetween
    /\ OffWithout

\* The other way round, where the loop that submits has no point: so many steps
\* at least, also where there is a point at the end of a pass.
AtLeast ==
    CASE pc.flusher = "collect" -> Policy = NoPoint => stretch >= Since
      [] pc.flusher = "idle"    -> point => stretch >= MaxStretch
      [] OTHER                  -> ~point => stretch >= Since

SharpInv == PointWhere /\ AtLeast

\* Each pass that ends has made MaxStretch steps without a break.
EachPass == pc.flusher = "idle" /\ point => stretch >= MaxStretch

TypeAssign ==
    /\ pc \in [flusher : {"idle", "start", "collect", "map", "submit", "stop", "sync", "send"},
               realtime : {"sleep", "wants", "runs"},
               commit : {"idle", "wait"}]
    /\ next \in Nat
    /\ locked \in Nat
    /\ bio \in Nat
    /\ handle \in BOOLEAN
    /\ point \in BOOLEAN
    /\ stretch \in Nat
    /\ held \in Nat

\* Kept by each step, by itself: no number gets negative.  So each of the
\* invariants is inductive with it.
InTypes == TypeAssign /\ PagesWhere

\* Next but for SubmitPage, which alone unlocks a page, so that a step check
\* ends in time.
ButSubmitPage == Next /\ locked' >= locked

StretchInit == InTypes /\ StretchInv
HeldInit    == InTypes /\ HeldInv
OffInit     == InTypes /\ OffInv
SharpInit   == InTypes /\ SharpInv

\* Controls: without where the pages are, without where the flusher is, and
\* without who waits.
WeakInit  == TypeAssign /\ StretchInv
BareInit  == InTypes /\ BoundedStretch
CountInit == InTypes /\ CountInv
=============================================================================
