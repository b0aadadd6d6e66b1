//! The hook through which tests and traces see each atomic step of the lock.

use crate::layout::{Layout, NoBudget};
use crate::word::{Action, WordOf};

/// Receives every atomic step of a lock, in the thread that took it, right after it is taken and before it has any other
/// effect: no grant is published yet, and a releaser has not begun its `Wake`.
pub trait Probe<L = NoBudget> {
    /// The word was `before`, and `action` has made it `after`.
    fn step(&self, before: WordOf<L>, action: Action, after: WordOf<L>);
}

/// Sees nothing and costs nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoProbe;

impl<L: Layout> Probe<L> for NoProbe {
    #[inline]
    fn step(&self, _: WordOf<L>, _: Action, _: WordOf<L>) {}
}
