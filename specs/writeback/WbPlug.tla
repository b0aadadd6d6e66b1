------------------------------- MODULE WbPlug -------------------------------
(***************************************************************************)
(* Where the flusher holds its plug: many small files are written as few   *)
(* large requests, if their I/Os are collected before they go to the       *)
(* device.  From "fs-writeback: drop wb->list_lock during                  *)
(* blk_finish_plug()" (2015).                                              *)
(*                                                                         *)
(* MODELLED.  One pass of wb_writeback over the inodes on b_io, in the     *)
(* steps of writeback_sb_inodes (4.2 to 6.18): the spin lock wb->list_lock *)
(* is dropped for each inode's I/O, and then others may take inodes off    *)
(* b_io; a plug, current->plug, collects I/O; whoever finishes it hands    *)
(* merged requests over.  Queue says to whom.  "none": to the device, and  *)
(* who does may have to sleep until it takes them (->queue_rq of a driver  *)
(* that blocks, the unplug callback of a RAID).  "keeps": to a queue, and  *)
(* nobody waits.  "merges": to a queue as well, in which I/O continues a   *)
(* request that waits there (blk_mq_sched_bio_merge).                      *)
(* A task leaves its processor in two ways: it sleeps, and then the        *)
(* scheduler flushes its plug, without waiting (from_schedule); or it is   *)
(* preempted, at a point that allows it, and then its plug stays as it is. *)
(* Module WbPlugPolicies has the variants.                                 *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  Each inode has one page, and neighbours on the   *)
(* list are neighbours on the disk.  Handing a plug over is one step, so   *)
(* without a queue the device must take all requests of a plug at a time.  *)
(*                                                                         *)
(* OUT OF SCOPE.  Who is on which list: see WbLists.  Plugs that are full, *)
(* and a preemption anywhere else than behind an inode (CONFIG_PREEMPT).   *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, WbPlugPolicies

CONSTANTS
    Policy,     \* the variant: one of the records of module WbPlugPolicies
    Files,      \* how many inodes are on b_io, each with one page
    Slots,      \* how many requests the device takes at a time
    Queue,      \* what is in front of it: "none", or one that "keeps" requests
                \* as they are, or "merges" I/O into them
    Movable,    \* inodes that somebody else may take off b_io
    MaxRequests \* bound: requests of a pass, if its plug is never broken off

File == 1 .. Files

VARIABLES
    pc,         \* what the flusher and the throttled task do, see TypeOK
    next,       \* the inode in hand, or from which on b_io is looked at
    cached,     \* the inode to take next, if that is kept; 0: none
    moved,      \* inodes that somebody else has taken off b_io
    locked,     \* the flusher holds wb->list_lock
    plugged,    \* current->plug is there
    plug,       \* what is in it: inodes whose page is submitted, not issued
    queue,      \* requests in front of the device: each the inodes that it writes
    flying,     \* the device's requests
    cpu,        \* "on", "preempted" or "asleep"
    resched,    \* somebody else wants the processor
    waits,      \* the inode whose page a throttled task waits for; 0: none
    requests,   \* history: how many requests this pass has issued
    breaks      \* history: how often a plug was flushed before its end

\* What is on b_io; where the pass is; what is on its way; who runs; what is counted.
\* @type: <<Int, Set(Int)>>;
list      == <<cached, moved>>
pass      == <<next, list, locked, plugged>>
device    == <<plug, queue, flying>>
processor == <<cpu, resched>>
\* @type: <<Int, Int>>;
counts    == <<requests, breaks>>

vars == <<pc, pass, device, processor, waits, counts>>

TypeOK ==
    /\ pc.flusher \in {"idle",     \* has no work
                       "lock",     \* is to take list_lock
                       "pick",     \* has it, looks at b_io
                       "write",    \* __writeback_single_inode, before the I/O
                       "submit",   \* the same, has slept there
                       "inode",    \* is to finish the plug of one inode
                       "after",    \* behind the inode, without the lock
                       "finish",   \* is to finish the plug
                       "end"}      \* is to end the pass
    /\ pc.dirtier \in {"idle", "throttled"}
    /\ next \in 1 .. Files + 1
    /\ cached \in 0 .. Files + 1
    /\ moved \subseteq Movable
    /\ locked \in BOOLEAN /\ plugged \in BOOLEAN /\ resched \in BOOLEAN
    /\ plug \subseteq File
    /\ \A r \in queue \cup flying : r \subseteq File
    /\ Queue = "none" => queue = {}
    /\ cpu \in {"on", "preempted", "asleep"}
    /\ waits \in 0 .. Files
    /\ requests \in 0 .. Files
    /\ breaks \in Nat

Init ==
    /\ pc = [flusher |-> "idle", dirtier |-> "idle"]
    /\ next = 1
    /\ cached = 0
    /\ moved = {}
    /\ locked = FALSE
    /\ plugged = FALSE
    /\ plug = {}
    /\ queue = {}
    /\ flying = {}
    /\ cpu = "on"
    /\ resched = FALSE
    /\ waits = 0
    /\ requests = 0
    /\ breaks = 0

\* I/O of neighbours is one request: the runs of a set of inodes, each from its
\* first one to where the next is not in the set.
\* @type: Set(Int) => Set(Set(Int));
Runs(S) ==
    {{i \in S : from <= i /\ \A j \in S : from <= j /\ j < i => j + 1 \in S} :
        from \in {i \in S : i - 1 \notin S}}

\* Whoever hands these over need not wait.
HasRoom(new) == Queue # "none" \/ Cardinality(flying) + Cardinality(new) <= Slots

HandOver(new) ==
    IF Queue = "none"
    THEN /\ flying' = flying \cup new
         /\ requests' = requests + Cardinality(new)
         /\ UNCHANGED queue
    ELSE /\ queue' = queue \cup new
         /\ UNCHANGED <<flying, requests>>

\* What is in the plug is handed over, before its end.
Break ==
    /\ HandOver(Runs(plug))
    /\ plug' = {}
    /\ breaks' = IF plug # {} THEN breaks + 1 ELSE breaks

Running   == cpu = "on"
Finishing == pc.flusher \in {"inode", "finish"}
Goes(to)  == [pc EXCEPT !.flusher = to]

\* The first inode on b_io from i on; behind the last one there is Files + 1.
First(i) ==
    CHOOSE j \in i .. Files + 1 :
        j \notin moved /\ \A k \in i .. Files + 1 : k < j => k \in moved

-----------------------------------------------------------------------------
(* The flusher.                                                            *)

\* wb_writeback has work.
Begin ==
    /\ Running
    /\ pc.flusher = "idle"
    /\ pc' = Goes("lock")
    /\ plugged' = (Policy.plug = "outside")
    /\ UNCHANGED <<next, list, locked, device, processor, waits, counts>>

\* spin_lock(wb->list_lock).
Lock ==
    /\ Running
    /\ pc.flusher = "lock"
    /\ locked' = TRUE
    /\ pc' = Goes("pick")
    /\ plugged' = (plugged \/ Policy.plug = "loop")
    /\ UNCHANGED <<next, list, device, processor, waits, counts>>

\* writeback_sb_inodes takes the next inode, and drops the lock for its I/O.  It
\* looks at b_io for it, or it has looked before it dropped the lock the last time.
\* At the end of the list the plug is finished: with the lock held, or not.
Pick ==
    /\ Running
    /\ pc.flusher = "pick"
    /\ (IF cached = 0 THEN next' = First(next) ELSE next' = cached)
    /\ (IF Policy.next = "cached" /\ next' <= Files
        THEN cached' = First(next' + 1) ELSE UNCHANGED cached)
    /\ IF next' <= Files
       THEN /\ pc' = Goes("write")
            /\ locked' = FALSE
            /\ plugged' = (plugged \/ Policy.plug = "inode")
       ELSE /\ pc' = Goes(IF Policy.plug = "inode" \/ Policy.finish = "never" THEN "end"
                         ELSE "finish")
            /\ locked' = (Policy.finish = "locked")
            /\ UNCHANGED plugged
    /\ UNCHANGED <<moved, device, processor, waits, counts>>

\* ->writepages sleeps, for a page lock or an allocation: the scheduler flushes
\* the plug (sched_submit_work).  It does not wait until the device takes it: a
\* thread of the block layer's or of the driver's does (from_schedule).
Sleep ==
    /\ Running
    /\ pc.flusher = "write"
    /\ (IF Policy.sleep = "flushes" THEN Break ELSE UNCHANGED <<device, counts>>)
    /\ cpu' = "asleep"
    /\ pc' = Goes("submit")
    /\ UNCHANGED <<pass, resched, waits>>

\* submit_bio: into the plug; unless it continues a request in the queue, and
\* none in the plug, which is looked at first (blk_mq_submit_bio).
Submit ==
    /\ Running
    /\ pc.flusher \in {"write", "submit"}
    /\ IF Queue = "merges" /\ next - 1 \in UNION queue
       THEN /\ queue' = {IF next - 1 \in r THEN r \cup {next} ELSE r : r \in queue}
            /\ UNCHANGED plug
       ELSE /\ plug' = plug \cup {next}
            /\ UNCHANGED queue
    /\ next' = next + 1
    /\ pc' = Goes(IF Policy.plug = "inode" THEN "inode" ELSE "after")
    /\ UNCHANGED <<list, locked, plugged, flying, processor, waits, counts>>

\* blk_finish_plug: the requests are handed over; if the device is full, the task
\* sleeps.  (Then it is about to flush, and tries again.)
Finish ==
    /\ Running
    /\ Finishing
    /\ IF HasRoom(Runs(plug))
       THEN /\ HandOver(Runs(plug))
            /\ plug' = {}
            /\ plugged' = FALSE
            /\ pc' = Goes(IF pc.flusher = "inode" THEN "after" ELSE "end")
            /\ locked' = FALSE
            /\ UNCHANGED cpu
       ELSE /\ cpu' = "asleep"
            /\ UNCHANGED <<device, plugged, requests, pc, locked>>
    /\ UNCHANGED <<next, list, resched, waits, breaks>>

\* Behind each inode: cond_resched, where somebody wants the processor.  Today the
\* plug is flushed before, for which the task may sleep as in Finish.
Resched ==
    /\ Running
    /\ pc.flusher = "after"
    /\ resched
    /\ IF Policy.resched = "stays" \/ HasRoom(Runs(plug))
       THEN /\ (IF Policy.resched = "flushes" THEN Break ELSE UNCHANGED <<device, counts>>)
            /\ cpu' = "preempted"
            /\ resched' = FALSE
            /\ pc' = Goes("lock")
       ELSE /\ cpu' = "asleep"
            /\ UNCHANGED <<pc, device, resched, counts>>
    /\ UNCHANGED <<pass, waits>>

\* The same, where nobody does.
GoOn ==
    /\ Running
    /\ pc.flusher = "after"
    /\ ~resched
    /\ pc' = Goes("lock")
    /\ UNCHANGED <<pass, device, processor, waits, counts>>

\* The pass is over; the next one has new inodes, when these are written.
End ==
    /\ Running
    /\ pc.flusher = "end"
    /\ queue = {}
    /\ flying = {}
    /\ waits = 0
    /\ pc' = Goes("idle")
    /\ next' = 1
    /\ cached' = 0
    /\ moved' = {}
    /\ locked' = FALSE
    /\ plugged' = FALSE
    /\ plug' = {}
    /\ requests' = 0
    /\ breaks' = 0
    /\ UNCHANGED <<queue, flying, processor, waits>>

-----------------------------------------------------------------------------
(* The rest of the world.                                                  *)

\* The task waits for the device to take what is in its plug: it sleeps in the
\* midst of handing it over.
AwaitsRoom == cpu = "asleep" /\ pc.flusher \in {"inode", "after", "finish"}

\* The flusher gets its processor back: it was preempted, or what it slept for
\* is there.
Resume ==
    /\ cpu # "on"
    /\ AwaitsRoom => HasRoom(Runs(plug))
    /\ cpu' = "on"
    /\ UNCHANGED <<pc, pass, device, resched, waits, counts>>

\* Somebody else becomes runnable.
Want ==
    /\ ~resched
    /\ Running
    /\ resched' = TRUE
    /\ UNCHANGED <<pc, pass, device, cpu, waits, counts>>

\* Somebody else takes an inode off b_io, under the lock: it is written by itself,
\* dirtied anew, or evicted.  Not one that the flusher has in hand (I_SYNC).
Move(i) ==
    /\ i \in Movable \ moved
    /\ pc.flusher # "idle" /\ ~locked
    /\ i >= next /\ (pc.flusher \in {"write", "submit"} => i # next)
    /\ moved' = moved \cup {i}
    /\ UNCHANGED <<pc, next, cached, locked, plugged, device, processor, waits, counts>>

\* balance_dirty_pages: a task waits for a page that the flusher has submitted.
Throttle(i) ==
    /\ waits = 0
    /\ i \in plug \cup UNION (queue \cup flying)
    /\ waits' = i
    /\ pc' = [pc EXCEPT !.dirtier = "throttled"]
    /\ UNCHANGED <<pass, device, processor, counts>>

\* The device takes a request from the queue.
Issue(r) ==
    /\ r \in queue
    /\ Cardinality(flying) < Slots
    /\ queue' = queue \ {r}
    /\ flying' = flying \cup {r}
    /\ requests' = requests + 1
    /\ UNCHANGED <<pc, pass, plug, processor, waits, breaks>>

\* The device has done a request.
Complete(r) ==
    /\ r \in flying
    /\ flying' = flying \ {r}
    /\ waits' = IF waits \in r THEN 0 ELSE waits
    /\ pc' = IF waits \in r THEN [pc EXCEPT !.dirtier = "idle"] ELSE pc
    /\ UNCHANGED <<pass, plug, queue, processor, counts>>

Next ==
    \/ Begin
    \/ Lock
    \/ Pick
    \/ Sleep
    \/ Submit
    \/ Finish
    \/ Resched
    \/ GoOn
    \/ End
    \/ Resume
    \/ Want
    \/ \E i \in File : Move(i)
    \/ \E i \in File : Throttle(i)
    \/ \E r \in SUBSET File : Issue(r)
    \/ \E r \in SUBSET File : Complete(r)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Fairness: a task that has its processor goes on, the device takes what  *)
(* there is and completes it, and the scheduler gives a processor back.    *)
(* Nobody is obliged to want a processor, to sleep, to take an inode off   *)
(* b_io, or to be throttled, and no pass to begin.                         *)

Flusher == Lock \/ Pick \/ Submit \/ Finish \/ Resched \/ GoOn \/ End
Device  == \E r \in SUBSET File : Issue(r) \/ Complete(r)

FairSpec == Spec /\ WF_vars(Flusher) /\ WF_vars(Device) /\ WF_vars(Resume)

\* The same, where a task that was preempted may never run again.
PreemptSpec == Spec /\ WF_vars(Flusher) /\ WF_vars(Device) /\ WF_vars(Resume /\ cpu = "asleep")

-----------------------------------------------------------------------------
(* Safety.                                                                 *)

\* Nobody sleeps with a spin lock held.
NoSleepUnderLock == ~(cpu = "asleep" /\ locked)

\* Off the processor by preemption means an empty plug.
PreemptedPlugIsEmpty == cpu = "preempted" => plug = {}

\* Nobody waits for I/O that nobody has issued, while whoever has it is off the
\* processor; unless that waits until the device takes it.
NobodyWaitsForUnissued == waits \in plug => cpu = "on" \/ AwaitsRoom

\* The lock is held for the list alone, not for I/O.
NoIoUnderLock == ~(locked /\ (Finishing \/ pc.flusher \in {"write", "submit"}))

\* What is plugged is in a plug that is there.
PlugIsThere == plug # {} => plugged

\* The inode that is written was on b_io when it was taken.
PicksFromList == pc.flusher \in {"write", "submit"} => next \notin moved

\* How many requests a pass issues: one more each time its plug is broken off.
BoundedRequests == requests <= MaxRequests + breaks

-----------------------------------------------------------------------------
(* Progress.                                                               *)

\* Every submitted I/O is issued, or done.
IoProgress == \A i \in File : i \in plug ~> i \notin plug

\* Whoever waits for a page goes on.
ThrottleProgress == waits # 0 ~> waits = 0
=============================================================================
