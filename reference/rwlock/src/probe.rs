//! The hook through which tests and traces see each atomic step of the lock.

use crate::word::{Action, Word};

/// Receives every atomic step of a lock, in the thread that took it, right after it is taken and before it has any other
/// effect: no grant is published yet, and a releaser has not begun its `Wake`.
pub trait Probe {
    /// The word was `before`, and `action` has made it `after`.
    fn step(&self, before: Word, action: Action, after: Word);
}

/// Sees nothing and costs nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoProbe;

impl Probe for NoProbe {
    #[inline]
    fn step(&self, _: Word, _: Action, _: Word) {}
}
