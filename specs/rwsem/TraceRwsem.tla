----------------------------- MODULE TraceRwsem -----------------------------
(***************************************************************************)
(* Recorded behaviours of a lock against Rwsem: see Traces.                *)
(*                                                                         *)
(* In a trace that says so, Spin, Sleep, DowngradeWake, Wake and Expire    *)
(* leave no event, and a task that is not in it takes Enter, Spin, Steal   *)
(* and Release.                                                            *)
(***************************************************************************)
EXTENDS MCRwsem, Traces

\* A task begins to spin where its next event may come.  Earlier makes no
\* difference (nobody looks at who spins, unless Policy.skip, and a steal of a
\* free lock without a queue is an Enter), but many states.
SpinsInTime ==
    \A t \in Task : pc[t] = "idle" /\ pc'[t] = "spin" =>
        \/ <<"Spin", <<t>>>> \in Unseen
        \/ \E l \in Strand : MayComeNext(l) /\ Upcoming(l).args = <<t>>

\* A waiter that tries may do all that one who sleeps may, so it sleeps without
\* an event only to demand the hand-off, which stands for Demand and
\* DemandForFirst too.  A trace never shows that one sleeps.
SleepsToDemand ==
    \A t \in Task : pc[t] = "try" /\ pc'[t] = "wait" =>
        at' # at \/ handoff' # handoff

TraceNext == (Next /\ SpinsInTime /\ SleepsToDemand) \/ (See /\ UNCHANGED vars)
TraceSpec == (Init /\ AtStart) /\ [][TraceNext]_<<vars, which, at>>

Named(prefix, name)  == \E t \in Task : name = prefix \o ToString(t)
TaskOf(prefix, name) == CHOOSE t \in Task : name = prefix \o ToString(t)

\* What a trace may show of the state: how many hold the lock, and are queued,
\* that one of them writes, and the hand-off (the lock's word); what a task
\* does, by its name; that a task is the first waiter, and its time is not up.
RwsemShows(name) ==
    CASE name = "holders" -> Cardinality(Holders)
      [] name = "queued"  -> Len(queue)
      [] name = "written" -> WriteHeld
      [] name = "handoff" -> handoff
      [] Named("", name)  -> pc[TaskOf("", name)]
      [] Named("unexpired ", name) ->
            queue # <<>> /\ Head(queue) = TaskOf("unexpired ", name) /\ ~expired
=============================================================================
