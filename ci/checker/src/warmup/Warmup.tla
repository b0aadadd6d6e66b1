---------------------------------- MODULE Warmup ----------------------------------
(* Exercises what the specs use, so that the JVM's archive holds the classes that *)
(* TLC needs: see jvm.rs. The word "algorithm" makes it look for PlusCal.         *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANT Tasks
VARIABLES pc, queue

vars == <<pc, queue>>

Emit(action, args) == PrintT(ToString(<<"E", action, args, [pc |-> pc, queue |-> queue], queue'>>))

Init == pc = [t \in Tasks |-> "idle"] /\ queue = <<>>

Enter(t) == /\ pc[t] = "idle"
            /\ pc' = [pc EXCEPT ![t] = "wait"]
            /\ queue' = Append(queue, t)
            /\ Emit("Enter", <<t>>)

Leave(t) == /\ queue # <<>> /\ Head(queue) = t
            /\ pc' = (t :> "idle") @@ pc
            /\ queue' = Tail(queue)
            /\ Emit("Leave", <<t>>)

Next == \E t \in Tasks : Enter(t) \/ Leave(t)

Spec == Init /\ [][Next]_vars /\ \A t \in Tasks : WF_vars(Leave(t)) /\ SF_vars(Leave(t))

TypeOK == /\ DOMAIN pc = Tasks
          /\ Cardinality({t \in Tasks : pc[t] = "wait"}) = Len(queue)
          /\ LET n == Len(queue) IN n \in 0..3

Progress == \A t \in Tasks : pc[t] = "wait" ~> pc[t] = "idle"
===================================================================================
