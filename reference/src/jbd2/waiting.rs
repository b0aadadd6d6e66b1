//! The wait queues of a journal.

use std::collections::VecDeque;
use std::sync::Arc;

use super::machine::Credits;
use super::rules::Queue;
use crate::sys::{Monitor, System};

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

/// All wait queues, and those who are to be woken once the step is over.
pub(super) struct Queues<S: System> {
    /// In the order of [`Queue::ALL`].
    queues: [VecDeque<Cell<S>>; Queue::ALL.len()],
    /// What each of [`Queue::Reserved`] asks for.
    pub reserved_asks: Vec<Credits>,
    due: Vec<(Cell<S>, Woken)>,
}

impl<S: System> Queues<S> {
    pub fn new() -> Self {
        Queues {
            queues: Queue::ALL.map(|_| VecDeque::new()),
            reserved_asks: Vec::new(),
            due: Vec::new(),
        }
    }

    fn of(&mut self, queue: Queue) -> &mut VecDeque<Cell<S>> {
        &mut self.queues[queue as usize]
    }

    /// The queues that somebody waits in, and how many do.
    pub fn waiting(&self) -> Vec<(Queue, usize)> {
        let lengths = self.queues.iter().map(VecDeque::len);
        let queues = Queue::ALL.into_iter().zip(lengths);
        queues.filter(|(_, waiting)| *waiting > 0).collect()
    }

    /// A new waiter at the end of a queue.
    pub fn sleep(&mut self, queue: Queue) -> Cell<S> {
        let cell = Cell::new();
        self.of(queue).push_back(cell.clone());
        cell
    }

    /// Wakes all of a queue.
    pub fn wake_all(&mut self, queue: Queue) {
        if queue == Queue::Reserved {
            self.reserved_asks.clear();
        }
        let woken = std::mem::take(self.of(queue));
        self.due
            .extend(woken.into_iter().map(|cell| (cell, Woken::Again)));
    }

    /// Wakes the first of a queue.
    pub fn wake_first(&mut self, queue: Queue) {
        if let Some(cell) = self.of(queue).pop_front() {
            self.due.push((cell, Woken::Again));
        }
    }

    /// Serves one of those who wait in turn.
    pub fn serve(&mut self, place: usize) {
        if let Some(cell) = self.of(Queue::InTurn).remove(place) {
            self.due.push((cell, Woken::Served));
        }
    }

    /// Wakes one of those who wait for reserved credits otherwise.
    pub fn wake_reserved(&mut self, place: usize) {
        if let Some(cell) = self.of(Queue::Reserved).remove(place) {
            self.reserved_asks.remove(place);
            self.due.push((cell, Woken::Again));
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
