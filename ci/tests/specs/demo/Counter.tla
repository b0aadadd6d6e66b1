---- MODULE Counter ----
\* Tasks that add to a shared counter, one at a time, up to Max; the runner's tests judge it in every way.
EXTENDS Naturals
CONSTANTS Tasks, Max
VARIABLES pc, n
vars == <<pc, n>>
Init == pc = [t \in Tasks |-> "idle"] /\ n = 0
Ask(t) == /\ pc[t] = "idle"
          /\ \A u \in Tasks : pc[u] # "hold"
          /\ pc' = [pc EXCEPT ![t] = "hold"] /\ UNCHANGED n
Add(t) == pc[t] = "hold" /\ n < Max /\ pc' = [pc EXCEPT ![t] = "idle"] /\ n' = n + 1
Wrap(t) == pc[t] = "hold" /\ n = Max /\ pc' = [pc EXCEPT ![t] = "idle"] /\ n' = 0
Never(t) == n > Max /\ UNCHANGED vars /\ pc[t] = "idle"
Next == \E t \in Tasks : Ask(t) \/ Add(t) \/ Wrap(t) \/ Never(t)
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ \A t \in Tasks : WF_vars(Add(t) \/ Wrap(t))
BusySpec == FairSpec /\ WF_vars(Next)
TypeOK == pc \in [Tasks -> {"idle", "hold"}] /\ n \in 0..Max
Mutex == \A t, u \in Tasks : pc[t] = "hold" /\ pc[u] = "hold" => t = u
Small == n < 2
Monotone == [][n' >= n]_n
Released == \A t \in Tasks : pc[t] = "hold" ~> pc[t] = "idle"
AllRun == \A t \in Tasks : pc[t] = "idle" ~> pc[t] = "hold"
====
