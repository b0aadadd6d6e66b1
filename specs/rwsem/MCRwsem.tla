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

\* Nobody is obliged to arrive: readers that take turns do not bring a writer that
\* does not come.
NobodyStaysAway ==
    \A w \in Writers : pc[w] = "idle" /\ ReadHeld ~> pc[w] # "idle" \/ ~ReadHeld

\* The lock is demanded for a writer only while a waiter runs.
DemandsAwake ==
    [][~handoff /\ handoff' /\ Head(queue) \in Writers =>
         \E t \in Task : pc[t] = "try"]_vars
\* Probe: it is demanded.
NeverDemandsForWriter == [][~(~handoff /\ handoff' /\ Head(queue) \in Writers)]_vars
\* Control, in the place of Demand: it is demanded by nobody.
DemandAsleep ==
    /\ Policy.handoff
    /\ expired
    /\ ~handoff
    /\ UNCHANGED <<pc, queue>>
    /\ Settle(FALSE, TRUE)

\* Probe of NobodyStaysAway: readers are inside, and a writer is away.
NeverReadBeside == \A w \in Writers : ~(pc[w] = "idle" /\ ReadHeld)

\* Probe of WriterClassProgress where nobody reads: a writer contends.
NeverWriterContends == ~\E w \in Writers : Contends(w)

\* Control, in the place of Place: whoever queues stands behind the first waiter.
BehindFirst(t) == IF queue = <<>> THEN <<t>> ELSE <<Head(queue), t>> \o Tail(queue)

\* Probe of WokenByRelease: a waiter is woken.
NeverWoken == [][\A t \in Task : ~(pc[t] = "wait" /\ pc'[t] = "try")]_vars
=============================================================================
