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
    /// Nothing: a range that would have had to wait was refused.
    Refused(&'a Range<u64>, Mode),
}

/// Sees every atomic step of a lock, in the thread that takes it. The steps, in the order in which `step` is called, are a path of the
/// machine, but for those that do nothing. Of a lock that is [biased](super::lock::RangeLock::biased) they are the tree's, the crowd's among
/// them: who is counted in the word is not seen.
pub trait Probe: Default {
    /// The current thread is about to take a step, and does not have the lock's mutex.
    fn about(&self) {}

    /// The current thread has taken a step, which leaves the tree like this. It has the lock's mutex: it must not wait, nor call the
    /// lock.
    fn step(&self, step: Step<'_>, tree: &Tree);
}

impl Probe for NoProbe {
    #[inline]
    fn step(&self, _: Step<'_>, _: &Tree) {}
}
