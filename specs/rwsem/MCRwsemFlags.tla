---------------------------- MODULE MCRwsemFlags ----------------------------
(***************************************************************************)
(* RwsemFlags for TLC, and controls.                                       *)
(***************************************************************************)
EXTENDS FlagPromises

\* Probes: as in MCRwsem, and that no hand-off is ever demanded.
NeverBothContend ==
    ~((\E r \in Readers : Contends(r)) /\ (\E w \in Writers : Contends(w)))
NeverDemanded == [][~(Demanded /\ list' # <<>> /\ Head(list') = Head(list))]_vars

\* Controls, each in the place of what it forgets: whom to wake (LetIn), and
\* whom RWSEM_FLAG_HANDOFF keeps out (KeptOut).
Nobody           == {}
KeepsNoneOut(w) == FALSE

\* Controls: RWSEM_FLAG_HANDOFF keeps the first waiter out as well (in the place of
\* KeptOut), and the flags stay when the last waiter gives up (of DelWaiter).
KeepsAllOut(w) == Has(count, FlagHandoff)
FlagsStay      == count

\* Constraints, for a smaller graph: only readers wait for 4 ms; the first waiter does
\* not; no reader comes.
ReadersAreLate == timeout \subseteq Readers
FirstIsInTime  == \A t \in timeout : ~First(t)
WritersAlone   == \A r \in Readers : pc[r] = "idle"

\* Probe of LeavesList: somebody is killed in its wait.
NeverLeaves == \A t \in Task : pc[t] # "leave"
\* Control: whoever is killed may stay where it is.
StaysSpec == Spec /\ \A t \in Task : WF_vars(pc[t] # "leave" /\ Proceed(t))
=============================================================================
