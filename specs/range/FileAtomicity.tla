--------------------------- MODULE FileAtomicity ---------------------------
(***************************************************************************)
(* What a file's lock is for.  POSIX asks that a read see all of a write   *)
(* or nothing of it, and that two writes not mix; XFS promises it for      *)
(* buffered I/O, ext4 does not.  The thread "Long read latencies on mixed  *)
(* rw buffered IO" (2019) is about its price.                              *)
(*                                                                         *)
(*   operation(r):  take the locks that Policy names for its kind          *)
(*                  for each cell of r, ascending: copy it                 *)
(*                  release                                                *)
(*                                                                         *)
(* MODELLED.  Each task does one operation.  A cell is what is copied at   *)
(* once; a folio has FolioSize cells, a segment SegmentSize.  What a cell  *)
(* holds is told by the writes that it has seen, in their order: a read is *)
(* torn if it has seen a write in one cell, and not in another.  Truncate  *)
(* and a punched hole write zeroes.                                        *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  Each lock excludes whom it should, and starves   *)
(* nobody: that is what specs/rwsem, RangeTree, RangeList and              *)
(* SegmentBitmap are for.  Taking all locks but the folios' is one step.   *)
(* The page cache and the disk hold the same: a direct write finds no      *)
(* dirty folio, and a buffered read none that is stale.                    *)
(*                                                                         *)
(* OUT OF SCOPE.  mmap, which takes none of these locks; writeback; reads  *)
(* that fill a folio; errors and short writes.                             *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, FileAtomicityPolicies

CONSTANTS
    Asks,           \* task -> its operation: [kind, first, last]
    FolioSize,      \* cells of a folio
    SegmentSize,    \* cells of a segment
    Policy          \* the choice: one of the records of module FileAtomicityPolicies

Task == DOMAIN Asks
Kinds(t)    == Asks[t].kind
Cells(t)    == Asks[t].first .. Asks[t].last
Cell        == UNION {Cells(t) : t \in Task}
Folio(c)    == (c - 1) \div FolioSize
Folios(t)   == {Folio(c) : c \in Cells(t)}
Segments(t) == {(c - 1) \div SegmentSize : c \in Cells(t)}
Reader      == {t \in Task : Kinds(t) \in {"read", "dread"}}
Writer      == Task \ Reader
NoOne       == "nobody"

VARIABLES
    pc,         \* what each task is doing, see TypeOK
    at,         \* the next cell that it copies
    owner,      \* folio -> who has its lock
    content,    \* cell -> the writes that it has seen: a sequence of tasks
    seen        \* reader -> the writes that it has found in each cell: a set

vars == <<pc, at, owner, content, seen>>

Copies(t) == pc[t] = "copy"
Elements(s) == {s[i] : i \in DOMAIN s}

TypeOK ==
    /\ pc \in [Task -> {"idle", "copy", "done"}]
    /\ \A t \in Task : at[t] \in Asks[t].first .. Asks[t].last + 1
    /\ owner \in [{Folio(c) : c \in Cell} -> Task \cup {NoOne}]
    /\ \A c \in Cell : Elements(content[c]) \subseteq Writer /\ Len(content[c]) <= Cardinality(Writer)
    /\ seen \in [Reader -> [Cell -> SUBSET Writer]]

Init ==
    /\ pc = [t \in Task |-> "idle"]
    /\ at = [t \in Task |-> Asks[t].first]
    /\ owner = [f \in {Folio(c) : c \in Cell} |-> NoOne]
    /\ content = [c \in Cell |-> <<>>]
    /\ seen = [t \in Reader |-> [c \in Cell |-> {}]]

-----------------------------------------------------------------------------
\* Can both hold the inode's lock, and their ranges, and their segments?
InodeLets(m, n) == m = "none" \/ n = "none" \/ (m = n /\ m # "excl")
RangesLet(t, u) ==
    \/ Cells(t) \cap Cells(u) = {}
    \/ InodeLets(Policy.range[Kinds(t)], Policy.range[Kinds(u)])
SegmentsLet(t, u) ==
    \/ Segments(t) \cap Segments(u) = {}
    \/ "none" \in {Policy.segments[Kinds(t)], Policy.segments[Kinds(u)]}
Lets(t, u) ==
    /\ InodeLets(Policy.inode[Kinds(t)], Policy.inode[Kinds(u)])
    /\ RangesLet(t, u)
    /\ SegmentsLet(t, u)

How(t) == Policy.folio[Kinds(t)]

\* t takes its locks, and with a batch those of all its folios.
Begin(t) ==
    /\ pc[t] = "idle"
    /\ \A u \in Task \ {t} : Copies(u) => Lets(t, u)
    /\ How(t) = "all" => \A f \in Folios(t) : owner[f] = NoOne
    /\ owner' = [f \in DOMAIN owner |-> IF How(t) = "all" /\ f \in Folios(t) THEN t ELSE owner[f]]
    /\ pc' = [pc EXCEPT ![t] = "copy"]
    /\ UNCHANGED <<at, content, seen>>

\* The lock of the folio that t copies next.
LockFolio(t) ==
    /\ Copies(t)
    /\ How(t) = "each"
    /\ at[t] \in Cells(t)
    /\ owner[Folio(at[t])] = NoOne
    /\ owner' = [owner EXCEPT ![Folio(at[t])] = t]
    /\ UNCHANGED <<pc, at, content, seen>>

\* One cell is copied; a folio's lock that was taken for it alone goes with its last.
Copy(t) ==
    LET c == at[t]
        LastOfFolio == c = Asks[t].last \/ Folio(c + 1) # Folio(c)
    IN  /\ Copies(t)
        /\ c \in Cells(t)
        /\ How(t) = "each" => owner[Folio(c)] = t
        /\ at' = [at EXCEPT ![t] = c + 1]
        /\ IF t \in Reader
           THEN /\ seen' = [seen EXCEPT ![t][c] = Elements(content[c])]
                /\ UNCHANGED content
           ELSE /\ content' = [content EXCEPT ![c] = Append(@, t)]
                /\ UNCHANGED seen
        /\ owner' = IF How(t) = "each" /\ LastOfFolio THEN [owner EXCEPT ![Folio(c)] = NoOne] ELSE owner
        /\ UNCHANGED pc

\* t gives its locks back.
End(t) ==
    /\ Copies(t)
    /\ at[t] \notin Cells(t)
    /\ pc' = [pc EXCEPT ![t] = "done"]
    /\ owner' = [f \in DOMAIN owner |-> IF owner[f] = t THEN NoOne ELSE owner[f]]
    /\ UNCHANGED <<at, content, seen>>

Next ==
    \E t \in Task :
        \/ Begin(t)
        \/ LockFolio(t)
        \/ Copy(t)
        \/ End(t)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What is promised.                                                       *)

\* A read has seen a write in all cells that they share, or in none.
Read(t) == {c \in Cells(t) : c < at[t]}
ReadAtomic ==
    \A r \in Reader : \A w \in Writer : \A c, d \in Read(r) \cap Cells(w) :
        w \in seen[r][c] <=> w \in seen[r][d]

\* Two writes come in one order in all cells that they share.
Comes(w, x, c) == \E i, j \in DOMAIN content[c] : i < j /\ content[c][i] = w /\ content[c][j] = x
WriteAtomic ==
    \A w, x \in Writer : \A c, d \in Cells(w) \cap Cells(x) :
        Comes(w, x, c) => ~Comes(x, w, d)

-----------------------------------------------------------------------------
(* What it costs: operations that have no cell in common, and are never    *)
(* under way together.                                                     *)

NeverTogether(K, L) ==
    \A t, u \in Task :
        t # u /\ Kinds(t) \in K /\ Kinds(u) \in L /\ Cells(t) \cap Cells(u) = {} =>
            ~(Copies(t) /\ Copies(u))

SerialisesWrites   == NeverTogether({"write"}, {"write"})
SerialisesReads    == NeverTogether({"read"}, {"write"})
SerialisesDirect   == NeverTogether({"dwrite"}, {"dwrite"})
SerialisesBuffered == NeverTogether({"read", "write"}, {"dread", "dwrite"})
=============================================================================
