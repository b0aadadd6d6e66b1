------------------------------- MODULE Traces -------------------------------
(***************************************************************************)
(* Recorded behaviours, each to be one of a protocol's: a module           *)
(* Trace<Protocol> extends the protocol and this.                          *)
(*                                                                         *)
(* A trace has strands, one a thread.  An event is one step of the         *)
(* protocol, which was taken at some time from `from` to `to`; the events  *)
(* of a strand follow each other.  Of two strands' events either may come  *)
(* first where their times overlap: the order that fits is searched for.   *)
(*                                                                         *)
(* The protocol's own Next is the next-state relation.  `interlock         *)
(* validate` replaces it by the same choice with TakeEvent at each of its  *)
(* actions, which lets an action be taken as the event that a strand has   *)
(* next, or as a silent one: one that leaves no event.  What an event has  *)
(* seen of the state is what the state is right after its step.            *)
(*                                                                         *)
(* An event may leave open which of several actions was its step.  The     *)
(* action "See" is none: nothing is done, and the state is as it was seen. *)
(***************************************************************************)
EXTENDS Naturals, Sequences, TLC

CONSTANTS
    Traces,     \* a sequence of traces: strand -> sequence of events
    Silent,     \* the names of actions that leave no event
    Unseen,     \* steps of those who are not in a trace: <<action, arguments>>
    Shows(_)    \* what an event may have seen of the state, by its name

VARIABLES
    which,      \* the trace
    at          \* strand -> how many of its events are taken

Strand      == DOMAIN Traces[which]
HasMore(l)  == at[l] < Len(Traces[which][l])
Upcoming(l) == Traces[which][l][at[l] + 1]

Seen(event) == {event.sees[i] : i \in DOMAIN event.sees}

\* No other strand's next event was over before this one began.
MayComeNext(l) ==
    HasMore(l) /\ \A m \in Strand : HasMore(m) => Upcoming(l).from <= Upcoming(m).to

\* The arguments of an action's events that may come next: for a protocol whose
\* actions have too many to try them all.
TraceArguments(action) ==
    {Upcoming(l).args : l \in {l \in Strand : MayComeNext(l) /\ action \in Upcoming(l).actions}}

AtStart ==
    /\ which \in DOMAIN Traces
    /\ at = [l \in Strand |-> 0]

\* The step of an action with these arguments is one of the trace's.
TakeEvent(action, args) ==
    /\ UNCHANGED which
    /\ \/ \E l \in Strand :
            /\ MayComeNext(l)
            /\ action \in Upcoming(l).actions
            /\ Upcoming(l).args = args
            /\ \A seen \in Seen(Upcoming(l)) : Shows(seen.name)' = seen.value
            /\ at' = [at EXCEPT ![l] = @ + 1]
       \/ (action \in Silent \/ <<action, args>> \in Unseen) /\ UNCHANGED at

\* An event that is no step: a module Trace<Protocol> takes it with the
\* protocol's variables unchanged.
See ==
    /\ UNCHANGED which
    /\ \E l \in Strand :
         /\ MayComeNext(l)
         /\ "See" \in Upcoming(l).actions
         /\ \A seen \in Seen(Upcoming(l)) : Shows(seen.name) = seen.value
         /\ at' = [at EXCEPT ![l] = @ + 1]

\* Every event is taken: the trace is the protocol's.  The runner reads what
\* this prints; as an invariant it is TRUE.
Accept ==
    (\A l \in Strand : ~HasMore(l)) => PrintT(ToString(<<"accepted", which>>))
=============================================================================
