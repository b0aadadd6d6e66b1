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
=============================================================================
