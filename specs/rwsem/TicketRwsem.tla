---------------------------- MODULE TicketRwsem ----------------------------
(***************************************************************************)
(* Writers that queue in a lock that keeps counts and tickets for its      *)
(* queue, and may give up: why QueuedRwsem names its waiters.              *)
(*                                                                         *)
(* MODELLED.  The writers of the lock in one word (interlock-rwlock,       *)
(* word.rs): how many wait, and the ticket of the next one that queues.    *)
(* The first that waits is next - waiting, so that no waiter's name is in  *)
(* the word.  A grant says the ticket that has the lock; a waiter looks    *)
(* whether that is its own.                                                *)
(*                                                                         *)
(* OUT OF SCOPE.  Readers, who have a batch's number for a ticket; the     *)
(* wrap-around of tickets, which here start at 0 whenever nobody waits and *)
(* nobody has the lock.                                                    *)
(***************************************************************************)
EXTENDS Naturals

CONSTANTS
    Writers,    \* tasks that take the lock for writing
    Mortal,     \* those that may give up a wait
    Tickets     \* how many tickets there are

VARIABLES
    pc,         \* "idle", "wait", "write"
    ticket,     \* of each task, while it waits
    next,       \* the ticket of the next writer that queues
    waiting,    \* how many wait, as far as the word knows
    written,    \* the word's bit: a writer has the lock
    granted     \* the ticket that was granted the lock last

vars == <<pc, ticket, next, waiting, written, granted>>

TypeOK ==
    /\ pc \in [Writers -> {"idle", "wait", "write"}]
    /\ ticket \in [Writers -> 0 .. Tickets]
    /\ next \in 0 .. Tickets
    /\ waiting \in 0 .. Tickets
    /\ written \in BOOLEAN
    /\ granted \in 0 .. Tickets

NoTicket == Tickets

Init ==
    /\ pc = [t \in Writers |-> "idle"]
    /\ ticket = [t \in Writers |-> NoTicket]
    /\ next = 0
    /\ waiting = 0
    /\ written = FALSE
    /\ granted = NoTicket

Enter(t) ==
    /\ pc[t] = "idle"
    /\ ~written
    /\ waiting = 0
    /\ pc' = [pc EXCEPT ![t] = "write"]
    /\ written' = TRUE
    /\ next' = 0
    /\ granted' = NoTicket
    /\ UNCHANGED <<ticket, waiting>>

Queue(t) ==
    /\ pc[t] = "idle"
    /\ written \/ waiting > 0
    /\ next < Tickets
    /\ pc' = [pc EXCEPT ![t] = "wait"]
    /\ ticket' = [ticket EXCEPT ![t] = next]
    /\ next' = next + 1
    /\ waiting' = waiting + 1
    /\ UNCHANGED <<written, granted>>

\* Release, and Wake in the same step: the first that waits is granted the lock.
Release(t) ==
    /\ pc[t] = "write"
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ written' = (waiting > 0)
    /\ granted' = IF waiting > 0 THEN next - waiting ELSE NoTicket
    /\ waiting' = IF waiting > 0 THEN waiting - 1 ELSE 0
    /\ UNCHANGED <<ticket, next>>

\* A waiter sees that its ticket has the lock.
See(t) ==
    /\ pc[t] = "wait"
    /\ granted = ticket[t]
    /\ pc' = [pc EXCEPT ![t] = "write"]
    /\ ticket' = [ticket EXCEPT ![t] = NoTicket]
    /\ UNCHANGED <<next, waiting, written, granted>>

\* What a writer can do to the word when it leaves the queue: count itself off.
CountedOff == waiting - 1

\* It has not been granted the lock.
GiveUp(t) ==
    /\ t \in Mortal
    /\ pc[t] = "wait"
    /\ granted # ticket[t]
    /\ waiting' = CountedOff
    /\ pc' = [pc EXCEPT ![t] = "idle"]
    /\ ticket' = [ticket EXCEPT ![t] = NoTicket]
    /\ UNCHANGED <<next, written, granted>>

Next == \E t \in Writers : Enter(t) \/ Queue(t) \/ Release(t) \/ See(t) \/ GiveUp(t)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* The lock is a task's, or is going to be one's that was granted it.
NoLostWakeup ==
    written => \E t \in Writers : pc[t] = "write" \/ (pc[t] = "wait" /\ granted = ticket[t])

\* Control: it leaves the count as it is, and its turn comes when it is gone.
StillCounted == waiting

\* Probe, which must be violated: a wait is handed the lock.
NeverHandedOver == ~\E t \in Writers : pc[t] = "wait" /\ granted = ticket[t]
=============================================================================
