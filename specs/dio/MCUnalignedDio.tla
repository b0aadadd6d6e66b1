--------------------------- MODULE MCUnalignedDio ---------------------------
(***************************************************************************)
(* UnalignedDio for TLC: the scenarios, and the probes.  The bounds are    *)
(* the requests of a scenario.  A block has two sectors: `a` writes the    *)
(* first, `b` the second, `C` both.                                        *)
(***************************************************************************)
EXTENDS Integrity, TLC

Does(kind, from, to) ==
    [kind |-> kind, from |-> from, to |-> to, async |-> FALSE, nowait |-> FALSE,
     cached |-> FALSE, fails |-> FALSE]
Aio(call) == [call EXCEPT !.async = TRUE]

a0 == Does("write", 0, 0)
b0 == Does("write", 1, 1)
C0 == Does("write", 0, 1)

\* What is called.
AB   == [a |-> Aio(a0), b |-> Aio(b0)]
ABs  == [a |-> a0, b |-> b0]
AC   == [a |-> Aio(a0), C |-> Aio(C0)]
ABC  == [a |-> Aio(a0), b |-> Aio(b0), C |-> Aio(C0)]
ABCs == [a |-> a0, b |-> b0, C |-> Aio(C0)]
CR   == [C |-> Aio(C0), R |-> Does("read", 0, 1)]
ACR  == [a |-> Aio(a0), C |-> Aio(C0), R |-> Does("read", 0, 1)]
ACP  == [a |-> Aio(a0), C |-> Aio(C0), P |-> Does("punch", 0, 1)]
ACT  == [a |-> Aio(a0), C |-> Aio(C0), T |-> Does("truncate", 1, 3)]
NC   == [n |-> [Aio(a0) EXCEPT !.nowait = TRUE], C |-> Aio(C0)]
AN   == [a |-> Aio(a0), n |-> [b0 EXCEPT !.nowait = TRUE]]
FB   == [f |-> [a0 EXCEPT !.cached = TRUE], b |-> Aio(b0)]
AE   == [a |-> [Aio(a0) EXCEPT !.fails = TRUE], b |-> Aio(b0)]

\* Of the second block, which lies behind EOF: both halves, of which the first
\* fails; and all of it, beside a read.
EF   == [e |-> [Aio(Does("write", 2, 2)) EXCEPT !.fails = TRUE], f |-> Aio(Does("write", 3, 3))]
XR   == [X |-> Aio(Does("write", 2, 3)), R |-> Does("read", 0, 3)]

\* While `a` is in flight at EOF, the file grows, and then somebody writes behind
\* `a`: no byte of two writes is the same.  X appends the next block, T truncates
\* up, w is a buffered write, v one of the next block.  S truncates to the same
\* size.  C makes the file longer as X does, within the block, and L makes it longer
\* than T does.
b1 == Aio(b0)
XD   == [a |-> Aio(a0), X |-> Aio(Does("write", 2, 3)), b |-> b1]
XT   == [a |-> Aio(a0), T |-> Does("truncate", 2, 3), b |-> b1]
TR   == [a |-> Aio(a0), T |-> Does("truncate", 2, 3)]
TS   == [a |-> Aio(a0), S |-> Does("truncate", 1, 3)]
CT   == [C |-> Aio(C0), T |-> Does("truncate", 2, 3)]
LT   == [L |-> Aio(Does("write", 0, 3)), T |-> Does("truncate", 2, 3)]
CX   == [C |-> Aio(C0), X |-> Aio(Does("write", 2, 3))]
AW   == [a |-> Aio(a0), w |-> Does("buffered", 1, 1)]
AV   == [a |-> Aio(a0), v |-> Does("buffered", 2, 3)]
A    == [a |-> Aio(a0)]
V    == [v |-> Does("buffered", 2, 3)]
X    == [X |-> Aio(Does("write", 2, 3))]

\* The same with three sectors in a block and EOF behind the second: `a` does not
\* end there.
XD3  == [a |-> Aio(a0), X |-> Aio(Does("write", 3, 5)), b |-> Aio(Does("write", 1, 2))]
TR3  == [a |-> Aio(a0), T |-> Does("truncate", 3, 5)]
TS3  == [a |-> Aio(a0), S |-> Does("truncate", 2, 5)]
AV3  == [a |-> Aio(a0), v |-> Does("buffered", 3, 5)]

\* A buffered write that begins behind EOF in the block that EOF lies in.
U3   == [u |-> Does("buffered", 2, 2)]

\* Over three blocks: m reaches from the middle of the first to the middle of
\* the last, c is the whole block between, d another part of the first.
Middle == [m |-> Aio(Does("write", 1, 4)), c |-> Aio(Does("write", 2, 3)),
           d |-> Aio(Does("write", 0, 0))]

\* Who comes again.
Everybody == Request

\* Extents at the start.  The second block is there to have the file end behind
\* the first, which all happens in.
First2(state) == [k \in 0 .. 1 |-> IF k = 0 THEN state ELSE "written"]
Hole      == First2("hole")
Unwritten == First2("unwritten")
Written   == First2("written")

\* The file ends in the middle of its first block.
WrittenEnd == [k \in 0 .. 0 |-> "written"]
HoleEnd    == [k \in 0 .. 0 |-> "hole"]

\* The file ends in its first block or behind it; the second is a hole.
HoleBehind == [k \in 0 .. 1 |-> IF k = 0 THEN "written" ELSE "hole"]

\* For Middle.
WHW == [k \in 0 .. 2 |-> IF k = 1 THEN "hole" ELSE "written"]
UHW == [k \in 0 .. 2 |-> CASE k = 0 -> "unwritten" [] k = 1 -> "hole" [] OTHER -> "written"]

\* mmap has left something behind EOF.
LeftBehind == "stale"

-----------------------------------------------------------------------------
\* Who loses: `a`, or the others, where their sectors are not the same.
KeepsA      == \A s \in Range("a") : Keeps(s)
KeepsOthers == \A s \in Sector \ Range("a") : Keeps(s)

\* Nobody sees what mmap has left behind EOF.
LeftUnseen == \A s \in Sector : View(s) # "stale"

\* Probes: each must be violated.

\* Two unaligned overwrites are in flight in one block.
NeverTwoOverwrites ==
    \A r \in Writes : \A q \in Writes \ {r} :
        ~(/\ Unaligned(r) /\ Unaligned(q)
          /\ \E o \in bios[r], p \in bios[q] :
                 o.block = p.block /\ o.part = "data" /\ p.part = "data")

\* A write maps a hole under the shared lock.
NeverSharedOverHole ==
    \A r \in Writes :
        ~(pc[r] = "map" /\ held[r] = "shared" /\ \E b \in Blocks(r) : extent[b] = "hole")

\* All requests have been called and none has returned.
NeverAllAtOnce ==
    \A r \in Request :
        ~(pc[r] # "idle" /\ \A q \in Request : pc[q] # "idle" /\ result[q] = "none")

\* A block that is written does not stay so.
NeverFreed ==
    [][\A b \in Block : ~(extent[b] = "written" /\ extent'[b] # "written")]_vars

\* For NeverTwoOverwrites: two unaligned writes, each of a block of its own.
AG == [a |-> Aio(a0), g |-> Aio(Does("write", 2, 2))]

\* For Stops: m writes the second half of a block and the first of the next, which
\* alone is not written; c all of that.
MC == [m |-> Aio(Does("write", 1, 2)), c |-> Aio(Does("write", 2, 3))]
WU == [k \in 0 .. 1 |-> IF k = 0 THEN "written" ELSE "unwritten"]

\* For RetriesOnce: a write that comes again is stopped again where P has made a hole
\* of its block.
AP == [a |-> Aio(a0), P |-> Does("punch", 0, 1)]

\* For Check: m reaches from the middle of a block behind EOF, and so has the lock alone
\* from the start.  What it sees of the block changes while it drains.
Cm == [C |-> Aio(C0), m |-> Aio(Does("write", 1, 2))]

\* For MapRead: a read leaves out what is not written.
ShortRead(r) ==
    LET b == next[r]
    IN /\ bios' = [bios EXCEPT ![r] =
             IF extent[b] = "written" /\ b * PerBlock < size
             THEN @ \cup {[part |-> "read", block |-> b]} ELSE @]
       /\ UNCHANGED <<buffer, extent, convert>>

\* For Refuses: an aligned write behind EOF that must not wait.
NX == [n |-> [Aio(Does("write", 2, 3)) EXCEPT !.nowait = TRUE]]

\* For ReadsAreCurrent and NoStaleRead: S reads only what nobody writes.
XRS == [X |-> Aio(Does("write", 2, 3)), R |-> Does("read", 0, 3), S |-> Does("read", 0, 1)]

\* For Stops: a read of half a block, which nothing stops.
CH == [C |-> Aio(C0), H |-> Does("read", 0, 0)]

\* For FreeBlocks: a block whose page a buffered write has made dirty is punched in part.
BP == [B |-> Does("buffered", 0, 1), P |-> Does("punch", 0, 0)]

\* For Check: an aligned write that must not wait.
NH == [n |-> [Aio(C0) EXCEPT !.nowait = TRUE]]

\* For Retry: a write is stopped by the flag, since P makes a hole, when it has
\* submitted I/O already.
EP == [e |-> [Aio(Does("write", 1, 2)) EXCEPT !.fails = TRUE], P |-> Does("punch", 2, 3)]

\* For MapWrite: two writes of which either may allocate the block.
CD == [C |-> Aio(C0), D |-> Aio(C0)]

\* For AloneAfterDrain: who frees blocks shares the lock, as everybody does.
AllShare(r) == "shared"

\* For ZeroesEof: a buffered write that begins at EOF zeroes nothing behind it, and T
\* shows what has been left there.
WT == [w |-> Does("buffered", 1, 1), T |-> Does("truncate", 3, 5)]
WFirst == pc["T"] # "idle" => pc["w"] \in {"flush", "done"}

\* For FreeBlocks: of a hole P zeroes nothing on the disk, and H reads what is there when C
\* has allocated the block.
PCH == [P |-> Does("punch", 0, 0), C |-> Aio(C0), H |-> Does("read", 0, 0)]
PFirst == pc["C"] # "idle" => pc["P"] = "done"

\* For ZeroesEof, too: a write falls back that begins before EOF, in another block.
GF == [g |-> Aio(Does("write", 2, 2)), f |-> [a0 EXCEPT !.cached = TRUE]]

\* For Stops: P makes a hole of what a write has mapped, and the rest of it goes on.
MP == [m |-> Aio(Does("write", 1, 2)), P |-> Does("punch", 0, 1)]

\* For KeepsA: a write of one block and of half of the next, in whose page T zeroes.
TL == [a |-> Aio(Does("write", 0, 2)), T |-> Does("truncate", 4, 5)]

\* For Trims: a write fails that T has made to end behind EOF.
ET == [e |-> [Aio(Does("write", 1, 2)) EXCEPT !.fails = TRUE], T |-> Does("truncate", 1, 3)]

-----------------------------------------------------------------------------
\* For the state graph: the protocol without the oracle's memory.
Forget == UNCHANGED history

\* The same for a state graph: of each function, what is not as it was at the
\* start.  The set around the record has TLC evaluate it once.
Only(f, start) == [x \in {y \in DOMAIN f : f[y] # start[y]} |-> f[x]]
Each(start) == [r \in Request |-> start]
FirstDisk == [s \in Sector |-> IF Extents[BlockOf(s)] = "written" THEN FirstView(s) ELSE "stale"]
NotEmpty(all) == [name \in {n \in DOMAIN all : all[n] # <<>>} |-> all[name]]
Functions ==
    {[extent |-> Only(extent, Extents), disk |-> Only(disk, FirstDisk), cache |-> cache,
      pc |-> Only(pc, Each("idle")), held |-> Only(held, Each("none")),
      ahead |-> Only(ahead, Each({})), plan |-> Only(plan, Each(NoPlan)), next |-> Only(next, Each(0)),
      bios |-> Only(bios, Each({})), convert |-> Only(convert, Each({})),
      io |-> Only(io, Each("none")), failed |-> Only(failed, Each(FALSE)),
      buffer |-> Only(buffer, Each(<<>>)), retries |-> Only(retries, Each(0)),
      result |-> Only(result, Each("none"))]}
Changes ==
    (CHOOSE some \in {NotEmpty(all) : all \in Functions} : TRUE) @@ [size |-> size, dio |-> dio]
=============================================================================
