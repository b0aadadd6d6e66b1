--------------------------- MODULE MCBiasedRwsem ---------------------------
(***************************************************************************)
(* BiasedRwsem for TLC: controls.  The bounds are the sizes of Readers and *)
(* Writers.                                                                *)
(***************************************************************************)
EXTENDS BiasedRwsem

\* Controls: what is done in vain is done beside nobody (in the place of Disturbed),
\* and whoever comes gets in (of Compatible).
Always(t) == TRUE
=============================================================================
