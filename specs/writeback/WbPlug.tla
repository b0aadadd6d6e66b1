------------------------------- MODULE WbPlug -------------------------------
(***************************************************************************)
(* Where the flusher holds its plug: many small files are written as few   *)
(* large requests, if their I/Os are collected before they go to the       *)
(* device.  From "fs-writeback: drop wb->list_lock during                  *)
(* blk_finish_plug()" (2015).                                              *)
(*                                                                         *)
(* MODELLED.  One pass of wb_writeback over the inodes on b_io, in the     *)
(* steps of writeback_sb_inodes (4.2 to 6.18): the spin lock wb->list_lock *)
(* is dropped for each inode's I/O; a plug, current->plug, collects I/O;   *)
(* whoever finishes it hands merged requests to the device, and may have   *)
(* to sleep for a free one.  A task leaves its processor in two ways: it   *)
(* sleeps, and then the scheduler flushes its plug; or it is preempted, at *)
(* a point that allows it, and then its plug stays as it is.  Module       *)
(* PlugPolicies has the variants.                                          *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  Each inode has one page, and neighbours on the   *)
(* list are neighbours on the disk.  Handing a plug over is one step.      *)
(*                                                                         *)
(* OUT OF SCOPE.  Who is on which list: see WbLists.  Plugs that are full. *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, PlugPolicies

CONSTANTS
    Policy,     \* the variant: one of the records of module PlugPolicies
    Files,      \* how many inodes are on b_io, each with one page
    Slots,      \* how many requests the device takes at a time
    MaxRequests \* bound: requests of a pass, if its plug is never broken off

File == 1 .. Files

VARIABLES
    pc,         \* what the flusher and the throttled task do, see TypeOK
    next,       \* the next inode on b_io
    locked,     \* the flusher holds wb->list_lock
    plugged,    \* current->plug is there
    plug,       \* what is in it: inodes whose page is submitted, not issued
    flying,     \* the device's requests: each the inodes that it writes
    cpu,        \* "on", "preempted" or "asleep"
    resched,    \* somebody else wants the processor
    waits,      \* the inode whose page a throttled task waits for; 0: none
    requests,   \* history: how many requests this pass has issued
    breaks      \* history: how often a plug was flushed before its end

\* What is to be written; who runs; what is counted.
device    == <<plug, flying>>
processor == <<cpu, resched>>
\* @type: <<Int, Int>>;
counts    == <<requests, breaks>>

vars == <<pc, next, locked, plugged, device, processor, waits, counts>>

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
    /\ locked \in BOOLEAN /\ plugged \in BOOLEAN /\ resched \in BOOLEAN
    /\ plug \subseteq File
    /\ \A r \in flying : r \subseteq File
    /\ cpu \in {"on", "preempted", "asleep"}
    /\ waits \in 0 .. Files
    /\ requests \in 0 .. Files
    /\ breaks \in Nat

Init ==
    /\ pc = [flusher |-> "idle", dirtier |-> "idle"]
    /\ next = 1
    /\ locked = FALSE
    /\ plugged = FALSE
    /\ plug = {}
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

\* The device takes these.
HasRoom(new) == Cardinality(flying) + Cardinality(new) <= Slots

Issue(new) ==
    /\ flying' = flying \cup new
    /\ requests' = requests + Cardinality(new)

Running   == cpu = "on"
Finishing == pc.flusher \in {"inode", "finish"}
Goes(to)  == [pc EXCEPT !.flusher = to]

-----------------------------------------------------------------------------
(* The flusher.                                                            *)

\* wb_writeback has work.
Begin ==
    /\ Running
    /\ pc.flusher = "idle"
    /\ pc' = Goes("lock")
    /\ plugged' = (Policy.plug = "outside")
    /\ UNCHANGED <<next, locked, device, processor, waits, counts>>

\* spin_lock(wb->list_lock).
Lock ==
    /\ Running
    /\ pc.flusher = "lock"
    /\ locked' = TRUE
    /\ pc' = Goes("pick")
    /\ plugged' = (plugged \/ Policy.plug = "loop")
    /\ UNCHANGED <<next, device, processor, waits, counts>>

\* writeback_sb_inodes takes the next inode, and drops the lock for its I/O.
\* At the end of the list the plug is finished: with the lock held, or not.
Pick ==
    /\ Running
    /\ pc.flusher = "pick"
    /\ IF next <= Files
       THEN /\ pc' = Goes("write")
            /\ locked' = FALSE
            /\ plugged' = (plugged \/ Policy.plug = "inode")
       ELSE /\ pc' = Goes(IF Policy.plug = "inode" \/ Policy.finish = "never" THEN "end"
                         ELSE "finish")
            /\ locked' = (Policy.finish = "locked")
            /\ UNCHANGED plugged
    /\ UNCHANGED <<next, device, processor, waits, counts>>

\* ->writepages sleeps, for a page lock or an allocation: the scheduler flushes
\* the plug (blk_flush_plug in schedule).
Sleep ==
    /\ Running
    /\ pc.flusher = "write"
    /\ LET new == IF Policy.sleep = "flushes" THEN Runs(plug) ELSE {}
       IN /\ HasRoom(new)
          /\ Issue(new)
          /\ plug' = IF Policy.sleep = "flushes" THEN {} ELSE plug
          /\ breaks' = IF new # {} THEN breaks + 1 ELSE breaks
    /\ cpu' = "asleep"
    /\ pc' = Goes("submit")
    /\ UNCHANGED <<next, locked, plugged, resched, waits>>

\* submit_bio: into the plug.
Submit ==
    /\ Running
    /\ pc.flusher \in {"write", "submit"}
    /\ plug' = plug \cup {next}
    /\ next' = next + 1
    /\ pc' = Goes(IF Policy.plug = "inode" THEN "inode" ELSE "after")
    /\ UNCHANGED <<locked, plugged, flying, processor, waits, counts>>

\* blk_finish_plug: the requests go to the device; if that is full, the task
\* sleeps.  (Then it is about to flush, and tries again.)
Finish ==
    /\ Running
    /\ Finishing
    /\ IF HasRoom(Runs(plug))
       THEN /\ Issue(Runs(plug))
            /\ plug' = {}
            /\ plugged' = FALSE
            /\ pc' = Goes(IF pc.flusher = "inode" THEN "after" ELSE "end")
            /\ locked' = FALSE
            /\ UNCHANGED cpu
       ELSE /\ cpu' = "asleep"
            /\ UNCHANGED <<device, plugged, requests, pc, locked>>
    /\ UNCHANGED <<next, resched, waits, breaks>>

\* Behind each inode: cond_resched, where somebody wants the processor.
Resched ==
    /\ Running
    /\ pc.flusher = "after"
    /\ resched
    /\ LET flushes == Policy.resched = "flushes"
       IN /\ flushes => HasRoom(Runs(plug))
          /\ Issue(IF flushes THEN Runs(plug) ELSE {})
          /\ plug' = IF flushes THEN {} ELSE plug
          /\ breaks' = IF flushes /\ plug # {} THEN breaks + 1 ELSE breaks
    /\ cpu' = "preempted"
    /\ resched' = FALSE
    /\ pc' = Goes("lock")
    /\ UNCHANGED <<next, locked, plugged, waits>>

\* The same, where nobody does.
GoOn ==
    /\ Running
    /\ pc.flusher = "after"
    /\ ~resched
    /\ pc' = Goes("lock")
    /\ UNCHANGED <<next, locked, plugged, device, processor, waits, counts>>

\* The pass is over; the next one has new inodes, when these are written.
End ==
    /\ Running
    /\ pc.flusher = "end"
    /\ flying = {}
    /\ waits = 0
    /\ pc' = Goes("idle")
    /\ next' = 1
    /\ locked' = FALSE
    /\ plugged' = FALSE
    /\ plug' = {}
    /\ requests' = 0
    /\ breaks' = 0
    /\ UNCHANGED <<flying, processor, waits>>

-----------------------------------------------------------------------------
(* The rest of the world.                                                  *)

\* The flusher gets its processor back: it was preempted, or what it slept for
\* is there.
Resume ==
    /\ cpu # "on"
    /\ cpu = "asleep" /\ pc.flusher \in {"inode", "finish"} => HasRoom(Runs(plug))
    /\ cpu' = "on"
    /\ UNCHANGED <<pc, next, locked, plugged, device, resched, waits, counts>>

\* Somebody else becomes runnable.
Want ==
    /\ ~resched
    /\ Running
    /\ resched' = TRUE
    /\ UNCHANGED <<pc, next, locked, plugged, device, cpu, waits, counts>>

\* balance_dirty_pages: a task waits for a page that the flusher has submitted.
Throttle(i) ==
    /\ waits = 0
    /\ i \in plug \cup UNION flying
    /\ waits' = i
    /\ pc' = [pc EXCEPT !.dirtier = "throttled"]
    /\ UNCHANGED <<next, locked, plugged, device, processor, counts>>

\* The device has done a request.
Complete(r) ==
    /\ r \in flying
    /\ flying' = flying \ {r}
    /\ waits' = IF waits \in r THEN 0 ELSE waits
    /\ pc' = IF waits \in r THEN [pc EXCEPT !.dirtier = "idle"] ELSE pc
    /\ UNCHANGED <<next, locked, plugged, plug, processor, counts>>

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
    \/ \E i \in File : Throttle(i)
    \/ \E r \in SUBSET File : Complete(r)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Fairness: a task that has its processor goes on, the device completes,  *)
(* and the scheduler gives a processor back.  Nobody is obliged to want a  *)
(* processor, to sleep, or to be throttled.                                *)

Flusher == Begin \/ Lock \/ Pick \/ Submit \/ Finish \/ Resched \/ GoOn \/ End
Device  == \E r \in SUBSET File : Complete(r)

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
NobodyWaitsForUnissued == waits \in plug => cpu = "on" \/ Finishing

\* The lock is held for the list alone, not for I/O.
NoIoUnderLock == ~(locked /\ (Finishing \/ pc.flusher \in {"write", "submit"}))

\* How many requests a pass issues: one more each time its plug is broken off.
BoundedRequests == requests <= MaxRequests + breaks

-----------------------------------------------------------------------------
(* Progress.                                                               *)

\* Every submitted I/O is issued, or done.
IoProgress == \A i \in File : i \in plug ~> i \notin plug

\* Whoever waits for a page goes on.
ThrottleProgress == waits # 0 ~> waits = 0
=============================================================================
