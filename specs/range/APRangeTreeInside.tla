------------------------- MODULE APRangeTreeInside -------------------------
(***************************************************************************)
(* APRangeTree where ranges that share one cell do not overlap: a control. *)
(***************************************************************************)
EXTENDS APRangeTree

\* As Inside in MCRangeTree.
OVERRIDE_Overlap(t, u) == Asks[t].first < Asks[u].last /\ Asks[u].first < Asks[t].last
=============================================================================
