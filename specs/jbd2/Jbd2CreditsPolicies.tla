------------------------- MODULE Jbd2CreditsPolicies ------------------------
(***************************************************************************)
(* The variants of the journal that Jbd2Credits can run, each a record of  *)
(* decisions, which are explained there.                                   *)
(*                                                                         *)
(*   tests       which of the four tests a handle's start makes            *)
(*   conversion  how a conversion starts its handle                        *)
(*   space       what test 3 asks of the log                               *)
(*   usermax     the largest handle leaves room for the overhead           *)
(*   unreserve   an unused reservation is taken off the transaction too    *)
(*   wake        who waits for reserved credits goes on when its own fit,  *)
(*               when they are handed over, or whenever it likes           *)
(*   granted     where credits are counted that are handed over            *)
(*   mutex       j_checkpoint_mutex is dropped while a commit is waited for *)
(*   abort       the journal aborts where no space can ever come           *)
(*   extend      what an extension of a handle asks of the transaction     *)
(*   restart     a handle that restarts leaves its transaction first       *)
(*   stop        a handle that stops leaves the credits that it has used   *)
(*   wait        where ext4_writepages waits for a page's last writeback   *)
(*   data        a commit waits for the data of the pages that it maps     *)
(*   tail        how far a commit may move the log's tail                  *)
(*   kworker     the worker of each page (a name, the same in all variants) *)
(***************************************************************************)
CONSTANT Pages  \* the writepages threads

\* @type: Str => <<Str, Str>>;
Kworker(w) == <<"kworker", w>>

\* Linux 6.11 and later.
Upstream == [tests |-> {1, 2, 3, 4}, stop |-> TRUE, tail |-> "oldest",
             conversion |-> "reserved", space |-> "max", usermax |-> TRUE,
             unreserve |-> TRUE, mutex |-> "dropped", abort |-> TRUE,
             extend |-> "tested", restart |-> "stops", wait |-> "in-handle",
             data |-> "unordered", wake |-> "all", granted |-> "apart",
             kworker |-> [w \in Pages |-> Kworker(w)]]

\* The cure: reserved credits that are given back are handed over.
HandOver == [Upstream EXCEPT !.wake = "hand-over"]

\* Control: they are counted in j_reserved_credits as soon as they are.
GrantedIsReserved == [HandOver EXCEPT !.granted = "reserved"]

\* Control: who waits for reserved credits tries again without a look whether its
\* own fit.
TriesUnseen == [Upstream EXCEPT !.wake = "unseen"]

\* data=ordered, as for blocks that are allocated written.
Ordered == [Upstream EXCEPT !.data = "ordered"]

\* Control: a conversion starts an ordinary handle, as before 3.11 (8f7d89f36829), and
\* ends the page's writeback, as since (b0857d309fae; before, it ended earlier).
NoReserve == [Upstream EXCEPT !.conversion = "ordinary"]

\* Controls: the same, where the wait for writeback is over before the handle; and
\* with a commit that waits for it instead.
NoReserveWaitBefore == [NoReserve EXCEPT !.wait = "before"]
NoReserveOrdered    == [NoReserveWaitBefore EXCEPT !.data = "ordered"]

\* Controls of what a reserved handle may join.
ReservedCannotJoinLocked == [Upstream EXCEPT !.conversion = "not-locked"]
ReservedJoinsSwitch      == [Upstream EXCEPT !.conversion = "even-switch"]

\* Before 53cf97845732, of January 2019.
CkptHoldsMutex == [Upstream EXCEPT !.mutex = "held"]

\* Before 5.8 (14ff6286309e).
UnreserveLeak == [Upstream EXCEPT !.unreserve = FALSE]

\* Before 6.11 (27ba5b67312a).
UserMaxIgnoresOverhead == [Upstream EXCEPT !.usermax = FALSE]

\* Control: test 3 asks for what the handle needs.
NeededInsteadOfMax == [Upstream EXCEPT !.space = "needed"]

\* Control: the same with ordinary handles, so that a conversion finds the journal
\* aborted.
NoReserveNeeded == [NoReserve EXCEPT !.space = "needed"]

\* Controls: a test left out.
NoTest2 == [Upstream EXCEPT !.tests = {1, 3, 4}]
NoTest4 == [Upstream EXCEPT !.tests = {1, 2, 3}]

\* Control: an extension takes what it asks for.
ExtendUntested == [Upstream EXCEPT !.extend = "untested"]

\* Control: a handle restarts in the transaction that it has not left.
RestartKeeps == [Upstream EXCEPT !.restart = "keeps"]

\* Control: a handle that stops gives back all of its credits.
StopGivesAllBack == [Upstream EXCEPT !.stop = FALSE]

\* Control: the tail moves past a transaction that is not checkpointed.
TailPastCheckpoint == [Upstream EXCEPT !.tail = "newest"]

\* Control: without the abort.
NoAbort == [Upstream EXCEPT !.abort = FALSE]
=============================================================================
