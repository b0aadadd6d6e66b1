--------------------------- MODULE MCXfsTwoLevel ---------------------------
(***************************************************************************)
(* XfsTwoLevel for TLC.                                                    *)
(***************************************************************************)
EXTENDS XfsTwoLevel

\* Probe, as in MCRwsem: tasks contend at both locks.
NeverAllContend ==
    ~(/\ \E r \in Readers : Inner!Contends(r)
      /\ \E w \in Writers : Outer!Contends(w)
      /\ \E w \in Writers : Inner!Contends(w))
\* The same for one lock.
NeverBothContend ==
    ~(/\ \E r \in Readers : Inner!Contends(r)
      /\ \E w \in Writers : Inner!Contends(w))

\* Control, in the place of OuterEnter: i_rwsem lets in whoever comes.
EntersBeside(w) ==
    /\ opc[w] = "idle"
    /\ opc' = [opc EXCEPT ![w] = "hold"]
    /\ UNCHANGED <<oqueue, inner, wrote>>

\* Must be violated: nobody is obliged to come.
ReadersCome == \A r \in Readers : ipc[r] = "idle" ~> ipc[r] # "idle"
WritersCome == \A w \in Writers : ipc[w] = "idle" ~> ipc[w] # "idle"

\* Probe of NobodyRunsOn: a writer runs before a lock.
NeverRuns == \A w \in Writers : ~Runs(w)
\* Control: it may do so for ever.
RunsOnSpec == Spec /\ \A w \in Writers : WF_vars(~Runs(w) /\ WriterProceeds(w))
=============================================================================
