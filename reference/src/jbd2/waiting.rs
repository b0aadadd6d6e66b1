//! The wait queues of a journal, and whom a release of reserved credits wakes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::decisions::Look;
use super::machine::Credits;
use super::policy::Policy;
use crate::dio::sys::{Monitor, System};

/// Who waits for reserved credits when some are given back.
pub struct Release<'a> {
    pub(super) look: Look<'a>,
    pub(super) asks: &'a [Credits],
}

impl Release<'_> {
    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.asks.len()
    }

    /// How many of them, from the first to come on, the credits serve.
    pub fn fitting(&self) -> usize {
        self.look.fitting(self.asks.iter().copied())
    }
}

/// How those who wait are woken.
pub trait Discipline: Send + Sync + 'static {
    /// The variant; its decisions on handles and space are used too.
    const POLICY: Policy;

    /// A commit wakes those who wait for it, and for a new transaction. Here, because tests put faults in by the discipline;
    /// false is one.
    const COMMIT_WAKES: bool = true;

    /// A start that fails the second test takes back what it has added. Here for the same reason.
    const TAKES_BACK: bool = true;

    /// A commit record is written when all that it commits is durable. Here for the same reason.
    const FLUSHES_BEFORE_COMMIT: bool = true;

    /// A commit writes what is revoked. Here for the same reason.
    const WRITES_REVOKES: bool = true;

    /// The places of those whom a release of reserved credits wakes, in rising order. Under a policy that hands over the credits
    /// are theirs.
    fn wakes(release: &Release<'_>) -> Vec<usize>;
}

/// Linux: every release wakes all who wait, and each tests anew (`"all"`).
pub struct WakeAll;

impl Discipline for WakeAll {
    const POLICY: Policy = Policy::UPSTREAM;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        (0..release.waiting()).collect()
    }
}

/// The cure: the credits go to those who came first, as far as they last, and nobody passes them (`"hand-over"`).
pub struct HandOver;

impl Discipline for HandOver {
    const POLICY: Policy = Policy::HAND_OVER;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        (0..release.fitting()).collect()
    }
}

/// What a waiter is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// To look again.
    Again,
    /// The same, and that the credits are its own.
    Served,
}

/// One waiter's own; nobody else sleeps on it.
pub(super) struct Cell<S: System>(Arc<S::Monitor<Option<Woken>>>);

impl<S: System> Clone for Cell<S> {
    fn clone(&self) -> Self {
        Cell(self.0.clone())
    }
}

impl<S: System> Cell<S> {
    fn new() -> Self {
        Cell(Arc::new(S::Monitor::new(None)))
    }

    /// Sleeps until it is woken.
    pub fn wait(self) -> Woken {
        self.0.wait(|woken| *woken)
    }
}

/// One wait queue.
pub(super) type Queue<S> = VecDeque<Cell<S>>;

/// All of a journal's, and those who are to be woken once the step is over.
pub(super) struct Queues<S: System> {
    /// j_wait_transaction_locked, of ordinary handles and of reserved ones.
    pub locked: Queue<S>,
    /// j_wait_reserved: those who are served in turn, as in `Numbers::queue`.
    pub in_turn: Queue<S>,
    /// j_wait_reserved: those who are not.
    pub reserved: Queue<S>,
    /// What each of these asks for.
    pub reserved_asks: Vec<Credits>,
    /// j_checkpoint_mutex.
    pub mutex: Queue<S>,
    /// j_wait_done_commit.
    pub done_commit: Queue<S>,
    /// j_wait_updates.
    pub updates: Queue<S>,
    /// j_wait_commit.
    pub commit: Queue<S>,
    due: Vec<(Cell<S>, Woken)>,
}

impl<S: System> Queues<S> {
    pub fn new() -> Self {
        Queues {
            locked: Queue::new(),
            in_turn: Queue::new(),
            reserved: Queue::new(),
            reserved_asks: Vec::new(),
            mutex: Queue::new(),
            done_commit: Queue::new(),
            updates: Queue::new(),
            commit: Queue::new(),
            due: Vec::new(),
        }
    }

    /// A new waiter at the end of a queue.
    pub fn sleep(&mut self, queue: fn(&mut Self) -> &mut Queue<S>) -> Cell<S> {
        let cell = Cell::new();
        queue(self).push_back(cell.clone());
        cell
    }

    /// Wakes all of a queue.
    pub fn wake_all(&mut self, queue: fn(&mut Self) -> &mut Queue<S>) {
        let woken = std::mem::take(queue(self));
        self.due
            .extend(woken.into_iter().map(|cell| (cell, Woken::Again)));
    }

    /// Wakes the first of a queue.
    pub fn wake_first(&mut self, queue: fn(&mut Self) -> &mut Queue<S>) {
        if let Some(cell) = queue(self).pop_front() {
            self.due.push((cell, Woken::Again));
        }
    }

    /// Serves one of those who wait in turn.
    pub fn serve(&mut self, place: usize) {
        if let Some(cell) = self.in_turn.remove(place) {
            self.due.push((cell, Woken::Served));
        }
    }

    /// Wakes one of those who wait for reserved credits otherwise.
    pub fn wake_reserved(&mut self, place: usize) {
        if let Some(cell) = self.reserved.remove(place) {
            self.reserved_asks.remove(place);
            self.due.push((cell, Woken::Again));
        }
    }

    /// Wakes everybody.
    pub fn wake_everybody(&mut self) {
        self.reserved_asks.clear();
        let queues: [fn(&mut Self) -> &mut Queue<S>; 7] = [
            |queues| &mut queues.locked,
            |queues| &mut queues.in_turn,
            |queues| &mut queues.reserved,
            |queues| &mut queues.mutex,
            |queues| &mut queues.done_commit,
            |queues| &mut queues.updates,
            |queues| &mut queues.commit,
        ];
        for queue in queues {
            self.wake_all(queue);
        }
    }

    /// Who is to be woken by now.
    pub fn due(&mut self) -> Vec<(Cell<S>, Woken)> {
        std::mem::take(&mut self.due)
    }

    /// Wakes them.
    pub fn wake(due: Vec<(Cell<S>, Woken)>) {
        for (cell, how) in due {
            cell.0.with(|woken| *woken = Some(how));
            cell.0.notify();
        }
    }
}
