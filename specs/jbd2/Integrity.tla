----------------------------- MODULE Integrity -----------------------------
(***************************************************************************)
(* What the journal must keep: the account of its credits and of its       *)
(* space, and that whoever waits is served.                                *)
(***************************************************************************)
EXTENDS Jbd2Credits

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* Who has a reservation that no handle has taken over: a writepages thread in
\* its handle, and a page under writeback whose worker has no handle yet.
Reservations ==
    IF Policy.conversion = "ordinary" THEN 0
    ELSE ReserveOf(Pages \cap Attached)
         + ReserveOf({k \in Worker : writeback[PageOf(k)] /\ k \notin Attached /\ pc[k] # "refused"})

\* Who has reserved too much, and is to take it back.
Undoing == {t \in Pages : pc[t] = "undo"}

\* I1: a transaction that is about to commit keeps to its largest size.
CreditsInBounds == running.state = "SWITCH" => running.out <= Max

\* I2: no more blocks are logged than there are credits.
LoggedWithinCredits == running.log <= running.out

\* The same of a commit, which has taken off what is reserved: its assertion.
CommitWithinCredits == committing.state = "FLUSH" => committing.log <= committing.out

\* I3: the log never runs full under a commit, which cannot wait for space.
CommitNeverNeedsSpace == free >= 1

\* I4: reservations are counted, and take half of a transaction at most.
ReservedIsReserved ==
    reserved = Reservations + ReserveOf(Undoing) /\ Reservations + Promised <= Half

\* I5: no credit is lost or made.
CreditsConserved ==
    running.state # "none" =>
        running.out = Overhead + reserved + running.log
                      + Sum(Has, Attached) + Sum(Credits, Undoing)

\* I6: the log's space is conserved: what is not free waits for a checkpoint or
\* is being committed.
SpaceConserved ==
    free = Log - FoldFunction(LAMBDA x, y : x + y, 0, [i \in DOMAIN checkpoint |-> checkpoint[i]])
               - (IF committing.state = "TAIL" THEN committing.log + 2 ELSE 0)

\* I7: a handle's transaction takes updates.
HandlesAreInTime == Attached # {} => running.state \in {"RUNNING", "LOCKED"}

\* Who tries again after a wait for reserved credits has been handed some, or
\* what it waited for fits.
WokenFits ==
    [][\A t \in Task :
          \/ pc'[t] # "try" \/ pc[t] \notin {"wait-reserved", "wait-room"}
          \/ t \in promised'
          \/ pc[t] = "wait-reserved" /\ reserved' + Reserves(t) <= Half
          \/ pc[t] = "wait-room" /\ reserved' + Total(t) <= UserMax]_vars

\* The journal does not abort.
NeverAborts == ~aborted

\* Nobody is refused: the sizes are such that each handle fits.
NobodyRefused == \A t \in Task : pc[t] # "refused"

-----------------------------------------------------------------------------
(* Progress.                                                               *)

Wants(t) == pc[t] \notin {"idle", "attached", "extended", "denied", "refused"}

\* Some start is always granted, or refused: as a class.
StartsProgress ==
    (\E t \in Task : Wants(t)) ~> (\E t \in Task : pc[t] \in {"attached", "refused"})

\* Each plain start is.
EachStartProgress ==
    \A t \in Plain : Wants(t) ~> pc[t] \in {"attached", "refused"}

\* Every conversion gets its handle.
ConversionProgress ==
    \A k \in Worker : pc[k] = "try" ~> pc[k] \in {"attached", "refused"}

\* Whoever waits for reserved credits gets them.
ReservationProgress ==
    \A w \in Pages : pc[w] \in {"undo", "wait-reserved", "wait-room"}
                     ~> w \in promised \/ pc[w] \in {"attached", "refused"}

\* Every commit ends.
CommitProgress == committing.state # "none" ~> committing.state = "none"

\* Every checkpoint ends.
CheckpointProgress == mutex # {} ~> mutex = {}

\* Where somebody waits for space, the tail moves until there is some, or the
\* journal aborts.
TailProgress ==
    (\E t \in Task : pc[t] \in {"space", "checkpoint", "wait-commit", "wait-running"})
        ~> SpaceLeft >= Max \/ aborted
=============================================================================
