--------------------------- MODULE MCQueuedRwsem ---------------------------
(***************************************************************************)
(* QueuedRwsem for TLC: controls, and probes.  The bounds are the sizes of *)
(* Readers, Writers and Upgraders.                                         *)
(***************************************************************************)
EXTENDS QueuedRwsem

\* Controls, each in the place of what it forgets.

\* Upgradable readers share the lock (Excludes).
WritersExclude(a, b) == a = "write" \/ b = "write"
\* A plain reader upgrades (MayUpgrade).
ReaderMayUpgrade(t) == pc[t] \in {"read", "upgradable"}
\* Whoever leaves, or gives up, lets nobody in (GrantedAfter, GrantedInstead).
Nobody(q, p) == {}
\* Whoever gives up lets the first in, whoever is inside (GrantedInstead).
First(q, p) == {q[i] : i \in DOMAIN q \cap {1}}
\* Everybody goes to the tail (PlaceOf).
AtTail(q, t) == Len(q)
\* An upgrade stands in line, behind writers that wait for it to leave
\* (UpgradePlace).
InLine(q) == Len(q)
\* The code of a writer, or of a reader, need not leave.
WritersStaySpec == Spec /\ \A t \in Task \ Writers : SF_vars(Release(t))
ReadersStaySpec == Spec /\ \A t \in Task \ Readers : SF_vars(Release(t))
\* A holder may for ever try to upgrade, and give that up.
WeakSpec == Spec /\ \A t \in Task : WF_vars(Release(t))

\* Probes: each must be violated.

\* What progress starts from: all kinds wait at once, one of them for an upgrade.
NeverAllWait ==
    ~(/\ \E t \in Readers : pc[t] = "wait"
      /\ \E t \in Writers : pc[t] = "wait"
      /\ \E t \in Task : pc[t] = "upgrade")
NeverUpgraderWaits == ~\E t \in Upgraders : pc[t] = "wait"

\* A writer that gives up lets in the readers behind it, beside a reader.
NeverLetsIn ==
    [][~\E w \in Writers : \E r \in Readers :
        /\ pc[w] = "wait" /\ pc'[w] = "idle"
        /\ pc[r] = "wait" /\ pc'[r] = "read"]_vars
\* Who gives up an upgrade lets in whom it kept out.
NeverLetsInAgain ==
    [][~\E u \in Task : \E r \in Readers :
        /\ pc[u] = "upgrade" /\ pc'[u] = "upgradable"
        /\ pc[r] = "wait" /\ pc'[r] = "read"]_vars
\* A reader enters past an upgradable one that waits for another.
NeverPassesUpgrader ==
    [][~\E u \in Upgraders : \E r \in Readers :
        /\ pc[u] = "wait" /\ pc'[u] = "wait"
        /\ pc[r] = "idle" /\ pc'[r] = "read"]_vars
=============================================================================
