---- MODULE Steal ----
(* A lock with a queue where a newcomer may steal. Its runs are the fixtures of the trace tests, nothing else. *)
EXTENDS Naturals, Sequences, FiniteSets, TLC
CONSTANTS Readers, Writers, Releases
VARIABLES pc, holders, queue, grants

Tasks == Readers \cup Writers
State == [pc |-> pc, holders |-> holders, queue |-> queue, grants |-> grants]
Emit(action, args, from, to) == TRUE
EmitPrint(action, args, from, to) == PrintT(ToString(<<"E", action, args, from, to>>))

Free(t) == IF t \in Readers THEN holders \cap Writers = {} ELSE holders = {}
MayTake(t) == IF t \in Readers THEN Free(t) /\ queue = <<>> ELSE Free(t)
Flip(t) == IF t \in Readers THEN grants ELSE 1 - grants

Init == /\ pc = [t \in Tasks |-> "idle"]
        /\ holders = {}
        /\ queue = <<>>
        /\ grants = 0

Enter(t) == /\ pc[t] = "idle"
            /\ pc' = [pc EXCEPT ![t] = "try"]
            /\ UNCHANGED <<holders, queue, grants>>
            /\ Emit("Enter", <<t>>, State, State')
Take(t) == /\ pc[t] = "try" /\ MayTake(t)
           /\ pc' = [pc EXCEPT ![t] = "hold"]
           /\ holders' = holders \cup {t}
           /\ grants' = Flip(t)
           /\ UNCHANGED queue
           /\ Emit("Take", <<t>>, State, State')
Queue(t) == /\ pc[t] = "try" /\ ~MayTake(t)
            /\ pc' = [pc EXCEPT ![t] = "wait"]
            /\ queue' = Append(queue, t)
            /\ UNCHANGED <<holders, grants>>
            /\ Emit("Queue", <<t>>, State, State')
Grant == /\ queue # <<>> /\ Free(Head(queue))
         /\ pc' = [pc EXCEPT ![Head(queue)] = "hold"]
         /\ holders' = holders \cup {Head(queue)}
         /\ queue' = Tail(queue)
         /\ grants' = Flip(Head(queue))
         /\ Emit("Grant", <<>>, State, State')
Release(t) == /\ pc[t] = "hold" /\ Releases
              /\ pc' = [pc EXCEPT ![t] = "idle"]
              /\ holders' = holders \ {t}
              /\ UNCHANGED <<queue, grants>>
              /\ Emit("Release", <<t>>, State, State')

Next == \/ \E t \in Tasks : Enter(t)
        \/ \E t \in Tasks : Take(t)
        \/ \E t \in Tasks : Queue(t)
        \/ Grant
        \/ \E t \in Tasks : Release(t)

vars == <<pc, holders, queue, grants>>
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(Grant) /\ \A t \in Tasks : WF_vars(Release(t)) /\ WF_vars(Take(t)) /\ WF_vars(Queue(t))

NobodyQueues == Len(queue) < 2
StartsHeld == holders # {}
StartsHeldProperty == StartsHeld
QueueShrinksNever == [][Len(queue') >= Len(queue)]_vars
ReaderProgress == \A r \in Readers : pc[r] = "wait" ~> pc[r] = "hold"
====
