---------------------------- MODULE RwsemPolicies ---------------------------
(***************************************************************************)
(* The designs of a reader/writer semaphore that Rwsem can run, each a     *)
(* record of nine decisions.  What each value means is said in Rwsem,      *)
(* under "The decisions" (SHARED: at Compatible).                          *)
(*                                                                         *)
(*   shared   readers share the lock                                       *)
(*   barge    who may, on arrival, enter past the queue                    *)
(*   spin     the kinds ("R", "W") that spin first, and then steal         *)
(*   place    where in the queue a task goes                               *)
(*   enqueue  when: if the lock is "barred" to it, or "first", and then it *)
(*            tries                                                        *)
(*   wake     who gets the lock, or is woken, after a release              *)
(*   skip     the wake-up may be skipped while somebody spins              *)
(*   take     which waiters try for themselves once they run               *)
(*   handoff  the first waiter, when its time is up, may demand the lock   *)
(***************************************************************************)

\* IRIX MRLOCK_BARRIER: the six rules of the thread, with what they leave open
\* resolved as docs/rwsem.md says.  Writers queue at the tail, readers join the
\* one pending batch of readers, the last holder hands the lock to the front
\* batch of readers or to the front writer.
BatchQueue == [shared |-> TRUE, barge |-> "nobody", spin |-> {},
               place |-> "join-readers", enqueue |-> "barred", wake |-> "front-batch",
               take |-> "never", handoff |-> FALSE, skip |-> FALSE]

\* Rule 6 left out: everybody at the tail.
StrictFifo == [BatchQueue EXCEPT !.place = "tail"]

\* Rule 3 without its guard "no pending reads".
Rule3NoGuard == [BatchQueue EXCEPT !.place = "join-writers-if-read-held"]

\* Rule 5 ignored: the running batch of writers takes in new ones although
\* readers are pending.
Rule5Ignored == [BatchQueue EXCEPT !.place = "join-writers-if-write-held"]

\* IRIX before 1997, no barrier: readers enter past waiting writers.
ReaderPref == [BatchQueue EXCEPT !.barge = "readers", !.wake = "readers-first"]

\* One holder at a time, as with the i_mutex that i_rwsem replaced: the control
\* that breaks rule 1.
Mutex == [StrictFifo EXCEPT !.shared = FALSE]

\* XFS on Linux, mrlock.c of 2003: releases wake writers first, the woken try
\* again, arrivals barge.
LinuxMrlock2003 == [BatchQueue EXCEPT !.barge = "mrlock", !.place = "tail",
                                      !.wake = "mrlock", !.take = "everybody"]

\* Linux 4.10 to 5.2 (and the algorithm of 4.9), rwsem-xadd.c: writers spin
\* and steal, a queued writer that runs takes the lock wherever it stands.  A
\* releaser may leave the queue to a spinner.
Xadd420 == [shared |-> TRUE, barge |-> "nobody", spin |-> {"W"},
            place |-> "tail", enqueue |-> "barred", wake |-> "front-readers",
            take |-> "writers-anywhere", handoff |-> FALSE, skip |-> TRUE]

\* The same without any steal: isolates the cause.
Xadd420NoSteal == [Xadd420 EXCEPT !.spin = {}, !.take = "writers-first"]

\* Wilcox's three patches of the thread.  V0 drops the test for a writer from
\* the grant loop, V1 skips writers there, V2 puts a new reader at the head if
\* the head is a reader.
WilcoxV0 == [Xadd420 EXCEPT !.wake = "everybody"]
WilcoxV1 == [Xadd420 EXCEPT !.wake = "all-readers"]
WilcoxV2 == [Xadd420 EXCEPT !.place = "head-if-reader"]

\* Linux 5.3 to 5.10: readers spin too; a waiter may demand a hand-off, but
\* only when it runs after a wake-up.  A writer queues before its last try.
ReaderSpin53 == [Xadd420 EXCEPT !.spin = {"R", "W"}, !.enqueue = "first",
                                !.wake = "all-readers", !.handoff = TRUE,
                                !.skip = FALSE]

\* Linux 5.16 and later (6.18 the same), 5.15.6 and later of 5.15, and 5.11 to 5.15
\* of mainline but for the moment at which a writer demands the lock (RwsemFlags):
\* readers no longer spin, and steal only a lock that nobody holds.
Handoff511 == [ReaderSpin53 EXCEPT !.spin = {"W"}, !.barge = "free-readers"]

\* Never released: the hand-off with the wake-up skipped for a spinner, who may
\* not take the lock (why 5c1ec49b60cd took the skip out first).
HandoffWakeSkip == [Handoff511 EXCEPT !.skip = TRUE]

\* Control: a writer that is woken does not try for itself.
WokenSleepsOn == [Xadd420NoSteal EXCEPT !.take = "never"]

=============================================================================
