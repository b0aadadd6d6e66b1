---------------------------- MODULE ObservedPlug ----------------------------
(***************************************************************************)
(* Plugs as a running kernel's events show them: WbPlug at the grain of a  *)
(* trace, with every task's plug and with sectors.                         *)
(*                                                                         *)
(* MODELLED.  One device of Linux 6.1 to 6.18, and the tasks that submit   *)
(* to it (submit_bio, blk_mq_submit_bio, blk_add_rq_to_plug,               *)
(* blk_mq_flush_plug_list).  A bio is merged into a request that it        *)
(* continues, or becomes one; a request waits in its task's plug, or is    *)
(* handed over at once; what a plug holds is handed over together; only    *)
(* what is handed over is issued.  The flusher's plug ends where the       *)
(* variant has its end: see WbPlugPolicies.                                *)
(*                                                                         *)
(* AGAINST WbPlug.  Bio, Add and Insert are its Submit, Unplug is its      *)
(* Finish, Sleep and Resched, of which a trace does not tell one from      *)
(* another; EndInode and FinishWork are where its plug must be empty.      *)
(* Issue is the first half of what Complete ends.                          *)
(*                                                                         *)
(* ASSUMED, NOT CHECKED.  When the trace begins nothing is in the tasks'   *)
(* hands, and what waits is Old: of one that is merged into and never      *)
(* issued, the sector that shows it.  A bio that could be put in front of  *)
(* two requests that begin at one sector is put in front of the shorter.   *)
(*                                                                         *)
(* OUT OF SCOPE.  Whether a task sleeps or is preempted, the lock, merges  *)
(* of requests with each other, bios that are split, flushes.              *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, Bags, WbPlugPolicies

CONSTANTS
    Policy,     \* the variant: one of the records of module WbPlugPolicies
    Tasks,      \* who submits
    Most,       \* so many requests a plug holds
    Large,      \* a request of so many sectors is the last one
    Old,        \* the requests that wait when the trace begins
    Args(_)     \* the arguments that an action may be taken with, by its name

VARIABLES
    bio,        \* task -> its bio that is neither merged nor a request: <<>> or <<r>>
    plug,       \* task -> the requests in its plug, each <<first sector, sectors>>
    queue       \* the requests that may be issued, a bag: one may wait twice

vars == <<bio, plug, queue>>

TypeOK ==
    /\ \A t \in Tasks :
          /\ Len(bio[t]) <= 1
          /\ Len(plug[t]) <= Most
          /\ \A k \in DOMAIN plug[t] : plug[t][k] \in Nat \X Nat
    /\ IsABag(queue)
    /\ BagToSet(queue) \subseteq Nat \X Nat

Init ==
    /\ bio = [t \in Tasks |-> <<>>]
    /\ plug = [t \in Tasks |-> <<>>]
    /\ queue = SetToBag(Old)

\* A bio continues a request at its end, or at its beginning.
Follows(b, r)  == r[1] + r[2] = b[1]
Precedes(b, r) == b[1] + b[2] = r[1]

Behind(b, r) == <<r[1], r[2] + b[2]>>
Before(b, r) == <<b[1], b[2] + r[2]>>

One(r) == SetToBag({r})

\* The requests of a plug.
BagOf(p) == [r \in {p[k] : k \in DOMAIN p} |-> Cardinality({k \in DOMAIN p : p[k] = r})]

\* blk_add_rq_to_plug flushes such a plug before it adds to it.
IsFull(p) == Len(p) >= Most \/ p[Len(p)][2] >= Large

-----------------------------------------------------------------------------

\* submit_bio.
Bio(t, first, size) ==
    /\ bio[t] = <<>>
    /\ size > 0
    /\ bio' = [bio EXCEPT ![t] = <<<<first, size>>>>]
    /\ UNCHANGED <<plug, queue>>

\* The bio is merged into a request of the task's plug, or else into one that is
\* not issued yet.
Merge(t, first, size, Fits(_, _), With(_, _)) ==
    LET b    == <<first, size>>
        mine == {k \in DOMAIN plug[t] : Fits(b, plug[t][k])}
        them == {r \in BagToSet(queue) : Fits(b, r)}
    IN /\ bio[t] = <<b>>
       /\ mine # {} \/ them # {}
       /\ IF mine # {}
          THEN /\ \E k \in mine :
                    /\ \A j \in mine : j <= k
                    /\ plug' = [plug EXCEPT ![t][k] = With(b, @)]
               /\ UNCHANGED queue
          ELSE /\ \E r \in them :
                    /\ \A q \in them : r[1] < q[1] \/ (r[1] = q[1] /\ r[2] <= q[2])
                    /\ queue' = (queue (-) One(r)) (+) One(With(b, r))
               /\ UNCHANGED plug
       /\ bio' = [bio EXCEPT ![t] = <<>>]

BackMerge(t, first, size) ==
    /\ Merge(t, first, size, Follows, Behind)

FrontMerge(t, first, size) ==
    /\ Merge(t, first, size, Precedes, Before)

\* The bio is a request, the first one in the plug.
Plug(t) ==
    /\ bio[t] # <<>>
    /\ plug[t] = <<>>
    /\ plug' = [plug EXCEPT ![t] = bio[t]]
    /\ bio' = [bio EXCEPT ![t] = <<>>]
    /\ UNCHANGED queue

\* The same, behind others.  There is no event.
Add(t) ==
    /\ bio[t] # <<>>
    /\ plug[t] # <<>>
    /\ ~IsFull(plug[t])
    /\ plug' = [plug EXCEPT ![t] = @ \o bio[t]]
    /\ bio' = [bio EXCEPT ![t] = <<>>]
    /\ UNCHANGED queue

\* The same, of a task without a plug.  There is no event.
Insert(t) ==
    /\ bio[t] # <<>>
    /\ plug[t] = <<>>
    /\ queue' = queue (+) BagOf(bio[t])
    /\ bio' = [bio EXCEPT ![t] = <<>>]
    /\ UNCHANGED plug

\* blk_mq_flush_plug_list, of so many requests: the plug is finished or full, or its
\* task is about to sleep, for its bio to become a request, or to be preempted.
Unplug(t, depth) ==
    /\ plug[t] # <<>>
    /\ Len(plug[t]) = depth
    /\ queue' = queue (+) BagOf(plug[t])
    /\ plug' = [plug EXCEPT ![t] = <<>>]
    /\ UNCHANGED bio

\* The device gets a request, from whoever runs its queue.
Issue(first, size) ==
    /\ BagIn(<<first, size>>, queue)
    /\ queue' = queue (-) One(<<first, size>>)
    /\ UNCHANGED <<bio, plug>>

HandsNothing(t) == bio[t] = <<>> /\ plug[t] = <<>>

\* The flusher is done with an inode: so is the plug, if it is the inode's.
EndInode(t) ==
    /\ Policy.plug = "inode" => HandsNothing(t)
    /\ UNCHANGED vars

\* The flusher is done with its work, and with its plug.
FinishWork(t) ==
    /\ Policy.finish # "never" => HandsNothing(t)
    /\ UNCHANGED vars

\* sync(2) has returned: nothing that was submitted waits.
Synced ==
    /\ queue = EmptyBag
    /\ \A t \in Tasks : HandsNothing(t)
    /\ UNCHANGED vars

Next ==
    \/ \E t \in Tasks : Add(t) \/ Insert(t)
    \/ \E a \in Args("Bio") : Bio(a[1], a[2], a[3])
    \/ \E a \in Args("BackMerge") : BackMerge(a[1], a[2], a[3])
    \/ \E a \in Args("FrontMerge") : FrontMerge(a[1], a[2], a[3])
    \/ \E a \in Args("Plug") : Plug(a[1])
    \/ \E a \in Args("Unplug") : Unplug(a[1], a[2])
    \/ \E a \in Args("Issue") : Issue(a[1], a[2])
    \/ \E a \in Args("EndInode") : EndInode(a[1])
    \/ \E a \in Args("FinishWork") : FinishWork(a[1])
    \/ \E a \in Args("Synced") : Synced

Spec == Init /\ [][Next]_vars
=============================================================================
