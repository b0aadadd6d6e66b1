--------------------------- MODULE MCJbd2Credits ---------------------------
(***************************************************************************)
(* Jbd2Credits for TLC: probes.                                            *)
(***************************************************************************)
EXTENDS Jbd2Credits

\* Probes, which must be violated: the waits and the steps that the properties
\* are about are reached.
NeverWaitsForSpace    == \A t \in Task : pc[t] # "space"
NeverWaitsForReserved == \A w \in Pages : pc[w] # "wait-reserved"
NeverPromised         == promised = {}
NeverContendsForMutex ==
    ~(mutex # {} /\ Cardinality({t \in Task : pc[t] = "space"}) >= 2)
NeverWaits            == \A t \in Task : ~Wants(t)
NeverCommits          == committing.state = "none"
NeverCheckpoints      == mutex = {}
NeverConverts         == \A k \in Worker : pc[k] # "try"

\* The same for a state graph: of each function, what is not as it was at the
\* start.
Busy(p) == [t \in {k \in Task : p[k] # "idle"} |-> p[t]]
Changes == [running |-> running, committing |-> committing, free |-> free,
            checkpoint |-> checkpoint, reserved |-> reserved, queue |-> queue, promised |-> promised,
            mutex |-> mutex, pc |-> Busy(pc), writeback |-> {w \in Pages : writeback[w]},
            aborted |-> aborted]
=============================================================================
