//! The locks of a file that are not its range lock: the inode's, and a bit for each of its folios or segments.

use std::collections::BTreeSet;

use super::policy::Hold;
use super::sys::System;
use crate::sys::Monitor as _;

/// The inode's lock: i_rwsem, with the two shared states that were proposed for it beside the one that it has. First come, first
/// served.
pub struct InodeLock<S: System> {
    queue: S::Monitor<Queue>,
}

struct Queue {
    /// How many have come.
    came: u64,
    /// How many of them got in.
    entered: u64,
    /// How those inside hold it.
    hold: Hold,
    /// How many are inside.
    holders: usize,
}

impl<S: System> InodeLock<S> {
    /// A free lock.
    pub fn new() -> Self {
        InodeLock {
            queue: S::Monitor::new(Queue {
                came: 0,
                entered: 0,
                hold: Hold::Shared,
                holders: 0,
            }),
        }
    }

    /// Takes it, and waits for it if need be.
    pub fn lock(&self, hold: Hold) -> InodeGuard<'_, S> {
        let mut ticket = None;
        self.queue.wait(|queue| {
            let ticket = *ticket.get_or_insert_with(|| {
                queue.came += 1;
                queue.came - 1
            });
            let enters = queue.entered == ticket && (queue.holders == 0 || queue.hold.lets(hold));
            enters.then(|| {
                queue.entered += 1;
                queue.hold = hold;
                queue.holders += 1;
            })
        });
        // The next may share it.
        self.queue.notify();
        InodeGuard(self)
    }
}

impl<S: System> Default for InodeLock<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// The inode's lock is held, until this is dropped.
#[must_use = "the lock is released at once"]
pub struct InodeGuard<'a, S: System>(&'a InodeLock<S>);

impl<S: System> Drop for InodeGuard<'_, S> {
    fn drop(&mut self) {
        self.0.queue.with(|queue| queue.holders -= 1);
        self.0.queue.notify();
    }
}

/// Bits that are locks: a folio's PG_locked, or a segment's. Who waits for one may be overtaken.
pub struct BitLocks<S: System> {
    held: S::Monitor<BTreeSet<usize>>,
}

impl<S: System> BitLocks<S> {
    /// None is held.
    pub fn new() -> Self {
        BitLocks {
            held: S::Monitor::new(BTreeSet::new()),
        }
    }

    /// Takes a bit, and waits for it if need be. Who takes several takes them in ascending order.
    pub fn lock(&self, bit: usize) -> BitGuard<'_, S> {
        self.held.wait(|held| held.insert(bit).then_some(()));
        BitGuard { bits: self, bit }
    }
}

impl<S: System> Default for BitLocks<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// A bit is held, until this is dropped.
#[must_use = "the bit is released at once"]
pub struct BitGuard<'a, S: System> {
    bits: &'a BitLocks<S>,
    bit: usize,
}

impl<S: System> Drop for BitGuard<'_, S> {
    fn drop(&mut self) {
        self.bits.held.with(|held| held.remove(&self.bit));
        self.bits.held.notify();
    }
}
