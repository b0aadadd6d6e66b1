----------------------------- MODULE MCWbLists -----------------------------
(***************************************************************************)
(* WbLists for TLC: the variants, probes, and the hook that prints the     *)
(* edges of the state graph.                                               *)
(***************************************************************************)
EXTENDS WbLists, ListPolicies, TLC

\* Probes, which must be violated: a sync is served, or queued while background
\* work runs; and it sleeps until somebody has written an inode.
NeverServed == pc["caller"] # "served"
NeverBehind == ~(pc["caller"] = "queued" /\ pc["flusher"] # "idle")
NeverWaits  == pc["flusher"] # "wait"

State == [pc |-> pc, list |-> list, at |-> at, todo |-> todo, dirty |-> dirty,
          marking |-> marking, flag |-> flag, lazy |-> lazy, fresh |-> fresh,
          owed |-> owed, owes |-> owes]

\* The same for a state graph: without tasks that are idle, and what is empty.
Held(f) == [x \in {y \in DOMAIN f : f[y] # {}} |-> f[x]]
Busy(f) == [t \in {u \in DOMAIN f : f[u] # "idle"} |-> f[t]]

Changes == [pc |-> Busy(pc), list |-> Held(list), at |-> Held(at), todo |-> Held(todo),
            dirty |-> dirty, marking |-> marking, flag |-> flag, lazy |-> lazy,
            fresh |-> fresh, owed |-> owed, owes |-> owes]

EmitPrint(action, args) ==
    PrintT(ToString(<<"E", action, args, State, State'>>))
=============================================================================
