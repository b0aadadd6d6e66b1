------------------------- MODULE APRangeTreeInside -------------------------
(***************************************************************************)
(* APRangeTree where ranges that share one cell do not overlap: a control. *)
(***************************************************************************)
EXTENDS APRangeTree

\* As Inside in MCRangeTree.
\* @type: ({ first: Int, last: Int, write: Bool }, { first: Int, last: Int, write: Bool }) => Bool;
OVERRIDE_Overlap(r, s) == r.first < s.last /\ s.first < r.last
=============================================================================
