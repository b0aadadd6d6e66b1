----------------------------- MODULE MCDioAgain -----------------------------
(***************************************************************************)
(* Requests that come again, for ever: does anybody else get through?      *)
(* Beside `a`, which writes half a block and so may have to be alone, come *)
(* C and D, which write all of it and share; the reads R and S; the punch  *)
(* P, which makes a hole of the block again; f, which falls back to        *)
(* buffered I/O; the truncate T, which changes nothing, but holds the lock *)
(* exclusively; and n, half a block with NOWAIT.                           *)
(*                                                                         *)
(* The bounds are the requests, at most three; how often they come is not  *)
(* bounded.  The file is one block.  What was written when is not          *)
(* remembered: the questions are of progress.                              *)
(***************************************************************************)
EXTENDS MCUnalignedDio

R0 == Does("read", 0, 1)

aC  == [a |-> Aio(a0), C |-> Aio(C0)]
aCD == [a |-> Aio(a0), C |-> Aio(C0), D |-> Aio(C0)]
aRS == [a |-> Aio(a0), R |-> R0, S |-> R0]
aCP == [a |-> Aio(a0), C |-> Aio(C0), P |-> Does("punch", 0, 1)]
fC  == [f |-> [a0 EXCEPT !.cached = TRUE], C |-> Aio(C0)]
nC  == [n |-> [Aio(a0) EXCEPT !.nowait = TRUE], C |-> Aio(C0)]
nT  == [n |-> [Aio(a0) EXCEPT !.nowait = TRUE], T |-> Does("truncate", 2, 3)]

\* Who comes again, if not everybody.
Others == Request \ {"a"}

\* What Fifo is: the lock is fair, or it is not.
InOrder  == TRUE
AnyOrder == FALSE

\* The file ends with its first block; a second is there for a truncate to empty.
OneUnwritten == [k \in 0 .. 0 |-> "unwritten"]
OneWritten   == [k \in 0 .. 0 |-> "written"]
TwoWritten   == [k \in 0 .. 1 |-> "written"]

-----------------------------------------------------------------------------
\* The bounded twin of what is promised of inode_dio_wait: while somebody waits
\* there, i_dio_count does not rise, so that at most those wait first who were
\* under way.
CountOnlyFalls ==
    [][\A r \in Request : pc[r] = "drain" /\ pc'[r] = "drain" => dio' <= dio]_vars

\* Who may not wait for the lock, and asks again and again, is served in the end.
PollerServed == \A r \in Request : Nowait(r) /\ pc[r] = "lock" ~> result[r] = "ok"

\* For that: it does ask again.
PollSpec == FairSpec /\ \A r \in Request : Nowait(r) => WF_vars(Call(r))

-----------------------------------------------------------------------------
\* Probes: each must be violated.

\* While a call waits, somebody else is called once more.
NeverPassed ==
    [][\A r \in Request :
          ~(/\ pc[r] # "idle" /\ result[r] = "none"
            /\ \E q \in Request \ {r} : pc[q] = "done" /\ pc'[q] = "lock")]_vars

\* Somebody waits in inode_dio_wait, for I/O that is under way, and goes on
\* waiting.
NeverWaitsOn ==
    [][\A r \in Request : ~(pc[r] = "drain" /\ pc'[r] = "drain" /\ dio > 0)]_vars

\* A poll finds that somebody has the lock.
NeverPolls ==
    \A r \in Request :
        ~(Nowait(r) /\ pc[r] = "lock" /\ \E q \in Request : held[q] # "none")

-----------------------------------------------------------------------------
\* The poller alone comes again: once it has found the lock taken, it is served
\* only if it asks once more.
Poller == {"n"}

\* A poller beside a write that may fail.
nE == [n |-> [Aio(a0) EXCEPT !.nowait = TRUE], E |-> [Aio(C0) EXCEPT !.fails = TRUE]]

\* A poller of the second block, which is not written.
n2 == [n |-> [Aio(Does("write", 2, 2)) EXCEPT !.nowait = TRUE]]
TwoUnwritten == [k \in 0 .. 1 |-> "unwritten"]

\* For NeverPassed: b comes again, and has less to do where w has written its block.
bw == [b |-> b1, w |-> AW.w]
OnlyB == {"b"}
=============================================================================
