//! The hook through which tests and traces see each atomic step of the lock.

use std::ops::Range;

use super::tree::{Arrival, Mode, Place, Tree};
pub use interlock_rwlock::probe::NoProbe;

/// What a call has done to the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// A range has arrived, and is held or waits: `Lock`, `Pass`, `Wait`.
    Arrives(&'a Place, Arrival),
    /// A range that was held has made room for these parts: `Narrow`, or `Unlock` if none of its ticket is left.
    Becomes(&'a Place, &'a [Place]),
    /// A range that has waited has left: `Interrupt`.
    GivesUp(&'a Place),
    /// Nothing: a range that would have had to wait was refused.
    Refused(&'a Range<u64>, Mode),
}

/// What a call has done to the word of a lock that is [biased](super::lock::RangeLock::biased): actions of `RangeBias.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordStep {
    /// A reader has counted itself.
    Enter,
    /// It has taken itself off the count. If it was the last of a closed word, it goes on to `Drain`, which the tree shows: the
    /// crowd leaves.
    Leave,
    /// A writer has closed the word. If anybody was counted the crowd has come, which the tree shows next.
    Close,
    /// The word was opened.
    Open,
}

/// Sees every atomic step of a lock, in the thread that takes it. The steps, in the order in which `step` is called, are a path of the
/// machine, but for those that do nothing.
pub trait Probe: Default {
    /// The current thread is about to take a step, and does not have the lock's mutex.
    fn about(&self) {}

    /// The current thread has taken a step, which leaves the tree like this. It has the lock's mutex: it must not wait, nor call the
    /// lock.
    fn step(&self, step: Step<'_>, tree: &Tree);

    /// The current thread has taken a step on the word, and nothing has come of it yet. Another thread's may be seen before this
    /// one, though it came after it: only a scheduler that switches threads nowhere else sees them in their order.
    #[inline]
    fn word(&self, _: WordStep) {}
}

impl Probe for NoProbe {
    #[inline]
    fn step(&self, _: Step<'_>, _: &Tree) {}
}
