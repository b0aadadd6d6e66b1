-------------------------- MODULE MCFileAtomicity --------------------------
(***************************************************************************)
(* FileAtomicity for TLC: what the tasks do.                               *)
(***************************************************************************)
EXTENDS FileAtomicity

Op(k, i, j) == [kind |-> k, first |-> i, last |-> j]

\* A read and a write of one folio, and of the cells on both sides of a border.
Within    == [r |-> Op("read", 1, 2), w |-> Op("write", 1, 2)]
Across    == [r |-> Op("read", 2, 3), w |-> Op("write", 2, 3)]
\* Two writes; a truncate, a write, and a read.
Writes    == [w |-> Op("write", 2, 3), x |-> Op("write", 2, 3)]
Truncates == [r |-> Op("read", 2, 3), w |-> Op("write", 2, 3), t |-> Op("space", 2, 4)]
\* Past the page cache beside it, and past it alone.
Mixed     == [r |-> Op("read", 2, 3), d |-> Op("dwrite", 2, 3)]
MixedR    == [s |-> Op("dread", 2, 3), w |-> Op("write", 2, 3)]
MixedW    == [w |-> Op("write", 2, 3), d |-> Op("dwrite", 2, 3)]
Direct    == [s |-> Op("dread", 2, 3), d |-> Op("dwrite", 2, 3)]
Directs   == [d |-> Op("dwrite", 2, 3), e |-> Op("dwrite", 2, 3)]
\* No two have a cell, a folio or a segment in common; or all are in one segment.
Apart     == [w |-> Op("write", 1, 1), x |-> Op("write", 3, 3), r |-> Op("read", 5, 5),
              d |-> Op("dwrite", 7, 7), e |-> Op("dwrite", 9, 9)]
Near      == [w |-> Op("write", 1, 1), x |-> Op("write", 2, 2)]
=============================================================================
