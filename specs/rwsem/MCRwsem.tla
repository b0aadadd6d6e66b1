------------------------------ MODULE MCRwsem ------------------------------
(***************************************************************************)
(* Rwsem and Arrivals for TLC: controls, and probes.  The bounds are the   *)
(* sizes of Readers and Writers.                                           *)
(***************************************************************************)
EXTENDS Arrivals

\* Controls, each in the place of what it forgets: a downgrade lets nobody in
\* (ReadersAhead), and a spinner does not look at the hand-off (MaySteal).
NobodyAhead(q)  == {}
StealsAnyway(t) == Spins(t) /\ Compatible(t)

\* Probes: each must be violated.

\* What the progress properties start from is reachable: a reader and a writer
\* contend (in one state, so that one probe serves both).
NeverBothContend ==
    ~((\E r \in Readers : Contends(r)) /\ (\E w \in Writers : Contends(w)))

\* Somebody gets a lock that was demanded.
NeverHandedOff ==
    [][\A t \in Task : ~(handoff /\ t \notin Holders /\ pc'[t] = "hold")]_vars

\* What each rule is about happens.
NeverRule1 == [][\A t \in Readers : ~(Arrives(t) /\ ReadHeld /\ ~PendingWriter)]_vars
NeverRule2 == [][\A t \in Readers : ~(Arrives(t) /\ ReadHeld /\ PendingWriter)]_vars
NeverRule3 ==
    [][\A t \in Writers : ~(Arrives(t) /\ ReadHeld /\ PendingWriter /\ ~PendingReader)]_vars
NeverRule3Guard ==
    [][\A t \in Writers : ~(Arrives(t) /\ ReadHeld /\ PendingWriter /\ PendingReader)]_vars
NeverRule4 == [][\A t \in Task : ~(Arrives(t) /\ WriteHeld /\ ~PendingReader)]_vars
NeverRule5 == [][\A t \in Writers : ~(Arrives(t) /\ WriteHeld /\ PendingReader)]_vars
NeverRule6 == [][\A t \in Readers : ~(Arrives(t) /\ WriteHeld /\ PendingReader)]_vars
NeverGrantsReader == [][~\E r \in Readers : pc[r] = "wait" /\ pc'[r] = "hold"]_vars
NeverJoinsReader ==
    [][\A r \in Readers :
        ~(/\ pc[r] # "wait" /\ pc'[r] = "wait"
          /\ queue # <<>> /\ Head(queue) \in Readers)]_vars
=============================================================================
