----------------------------- MODULE MCReflink -----------------------------
(***************************************************************************)
(* Reflink for TLC: the designs, the scenarios, and the probes.            *)
(***************************************************************************)
EXTENDS Reflink

Since67  == [demotes |-> TRUE, flag |-> "before", clear |-> "before", look |-> "after",
             drains |-> TRUE, flushes |-> TRUE, cow |-> "end", fallback |-> "buffered"]
Before67 == [Since67 EXCEPT !.demotes = FALSE, !.flag = "never", !.clear = "never"]

\* The cure of the fallback: it drains, as ext4's does since 7.3.
DrainedFallback == [Since67 EXCEPT !.fallback = "drained"]

\* Controls: each takes one decision away.
NoFlag           == [Since67 EXCEPT !.flag = "never"]
FlagAfterDemote  == [Since67 EXCEPT !.flag = "after"]
LookBeforeLock   == [Since67 EXCEPT !.look = "before"]
LookHeld         == [Since67 EXCEPT !.look = "held"]
ClearAfterUnlock == [Since67 EXCEPT !.clear = "after"]
NeverCleared     == [Since67 EXCEPT !.clear = "never"]
CloneNoDioWait   == [Since67 EXCEPT !.drains = FALSE]
CloneNoFlush     == [Since67 EXCEPT !.flushes = FALSE]
InPlace          == [Since67 EXCEPT !.cow = "in-place"]
NoEndCow         == [Since67 EXCEPT !.cow = "never"]
NoFallBack       == [Since67 EXCEPT !.fallback = "none"]

Does(kind, from, to) == [kind |-> kind, from |-> from, to |-> to]

\* What is called, beside clones k and l of the whole file: direct writes, `a` of
\* the first block (or all of one) and `b` of the second; `u` of half of a block;
\* the buffered write `d`; the read `r`.
k    == Does("clone", 0, 0)
a    == Does("direct", 0, 0)
b1   == Does("direct", 1, 1)
KA   == [k |-> k, a |-> a]
KAB  == [k |-> k, a |-> a, b |-> b1]
KAR  == [k |-> k, a |-> a, r |-> Does("read", 0, 0)]
KD   == [k |-> k, d |-> Does("buffered", 0, 0)]
KAD  == [k |-> k, a |-> a, d |-> Does("buffered", 0, 0)]
KU   == [k |-> k, u |-> Does("direct", 0, 0)]
KUA  == [k |-> k, u |-> Does("direct", 0, 0), a |-> Does("direct", 0, 1)]
KLA  == [k |-> k, l |-> k, a |-> a]
KLAB == [k |-> k, l |-> k, a |-> a, b |-> b1]

\* Probes, which must be violated: a write turns away at the flag; all requests
\* are under way at once.  A read beside a clone must be found since 6.7.
NeverTurnsAway == \A r \in Request : pc[r] # "relock"
NeverAllAtOnce ==
    \A r \in Request :
        ~(pc[r] # "idle" /\ \A q \in Request : pc[q] \notin {"idle", "done"})
NeverReadsBesideClone ==
    ~(/\ \E r \in Reads : held[r] # "none"
      /\ \E c \in Clones : held[c] # "none")

\* Two clones beside a read, or beside a write to half of a block; a clone beside a
\* write to half of a block and all of the next.
KLR == [k |-> k, l |-> k, r |-> Does("read", 0, 0)]
KLU == [k |-> k, l |-> k, u |-> Does("direct", 0, 0)]
KW  == [k |-> k, w |-> Does("direct", 1, 3)]

\* For NeverReadsBesideClone: two reads.
KRS == [k |-> k, r |-> Does("read", 0, 0), s |-> Does("read", 0, 0)]

\* For ReadsAreCurrent: a read of two blocks, of which `a` writes one.
KAS == [k |-> k, a |-> a, r |-> Does("read", 0, 1)]

\* For PutIn: what is put into the file is left in the CoW fork no more.
NothingStaged == (\A r \in Request : pc[r] = "done") => \A b \in Block : cow[b] = Nowhere

\* For Outdated: what is lost of `d` is replaced by `a`, which is older.
DAfterA == pc["d"] # "idle" => pc["a"] = "done"
=============================================================================
