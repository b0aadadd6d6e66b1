------------------------------ MODULE Functions ------------------------------
(***************************************************************************)
(* Of the community module Functions what Jbd2Credits needs.  (Apalache,   *)
(* which takes no recursion, has the module built in.)                     *)
(***************************************************************************)

\* op(f[x1], op(f[x2], .. base)), over the domain of f in any order.
FoldFunction(op(_, _), base, f) ==
    LET fold[S \in SUBSET DOMAIN f] ==
            IF S = {} THEN base ELSE LET x == CHOOSE x \in S : TRUE IN op(f[x], fold[S \ {x}])
    IN fold[DOMAIN f]
=============================================================================
