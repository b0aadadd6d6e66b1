---- MODULE Lock ----
(* Tasks that take a lock (* (Policy) says *) in which order; == and [] here are no formulas. *)
EXTENDS Naturals, Sequences
CONSTANTS
    Readers, Writers,   \* tasks, in two kinds
    Policy              \* "fifo", "any", "broken" or "never"
VARIABLES pc, queue
vars == <<pc, queue>>
Task == Readers \cup Writers

Name(p) == CASE p = "fifo" -> "in [] <> ~> order" [] p = "any" -> "in any order" [] OTHER -> "not at all"

Init == pc = [t \in Task |-> "idle"] /\ queue = <<>>

MayTake(t) ==
    LET free == \A u \in Task : pc[u] # "hold"
    IN CASE Policy = "fifo" -> free /\ Head(queue) = t
         [] Policy = "any" -> free
         [] Policy = "broken" -> TRUE
         [] Policy = "never" -> FALSE

Enter(t) ==
    /\ pc[t] = "idle"
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ queue' = Append(queue, t)

Take(t) ==
    /\ pc[t] = "wait" /\ MayTake(t)
    /\ pc' = [pc EXCEPT ![t] = "hold"]
    /\ queue' = SelectSeq(queue, LAMBDA u : u # t)

Release(t) ==
    /\ pc[t] = "hold"
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ UNCHANGED queue

Next == \E t \in Task : Enter(t) \/ Take(t) \/ Release(t)
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ \A t \in Task : WF_vars(Take(t)) /\ WF_vars(Release(t))

TypeOK == pc \in [Task -> {"idle", "wait", "hold"}] /\ Name(Policy) # ""
Mutex == \A t, u \in Task : pc[t] = "hold" /\ pc[u] = "hold" => t = u
NobodyWaits == \A t \in Task : pc[t] # "wait"
InOrder == [][Len(queue') >= Len(queue) \/ queue' = Tail(queue)]_vars
Progress == \A t \in Task : pc[t] = "wait" ~> pc[t] = "hold"
====
