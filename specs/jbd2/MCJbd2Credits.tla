--------------------------- MODULE MCJbd2Credits ---------------------------
(***************************************************************************)
(* Jbd2Credits for TLC: probes.                                            *)
(***************************************************************************)
EXTENDS Integrity

\* Probes, which must be violated: the waits and the steps that the properties
\* are about are reached.
NeverWaitsForSpace    == \A t \in Task : pc[t] # "space"
NeverWaitsForReserved == \A w \in Pages : pc[w] \notin {"wait-reserved", "wait-room"}
NeverStirs            == ~(Undoing # {} /\ \E w \in Pages : pc[w] = "wait-reserved")
NeverPromised         == promised = {}
NeverContendsForMutex ==
    ~(mutex # {} /\ Cardinality({t \in Task : pc[t] = "space"}) >= 2)
NeverWaits            == \A t \in Task : ~Wants(t)
NeverCommits          == committing.state = "none"
NeverCheckpoints      == mutex = {}
NeverConverts         == \A k \in Worker : pc[k] # "try"
NeverGrows            == \A k \in Worker : pc[k] # "extended"

\* The same of steps.  Who waits for reserved credits looks before others have
\* taken what fitted; nobody's wait for a commit ends while another is asked for.
NeverLate ==
    [][\A w \in Pages :
          \/ pc[w] # "wait-reserved" \/ pc'[w] # "wait-reserved" \/ Reservations + Reserve > Half
          \/ Reservations' + Reserve <= Half]_vars
NeverReturnsEarly ==
    [][\A t \in Task : pc[t] # "wait-commit" \/ pc'[t] # "space" \/ ~running.asked]_vars

\* The same for a state graph: of each function, what is not as it was at the
\* start.
Busy(p) == [t \in {k \in Task : p[k] # "idle"} |-> p[t]]
Changes == [running |-> running, committing |-> committing, free |-> free,
            checkpoint |-> checkpoint, reserved |-> reserved, queue |-> queue, promised |-> promised,
            mutex |-> mutex, pc |-> Busy(pc), writeback |-> {w \in Pages : writeback[w]},
            aborted |-> aborted]

\* Nobody is obliged to start, so this must be violated: whoever is idle does in the end.
AlwaysStarts == \A t \in Plain : pc[t] = "idle" ~> pc[t] # "idle"
=============================================================================
