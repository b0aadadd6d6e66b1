//! The hook through which tests see each step of an operation.

use super::machine::Step;
use interlock_rwlock::probe::NoProbe;

/// Sees the steps of one operation, in the thread that does it. Those of all operations, in the order in which `step` is called, are
/// a path of the machine: what an operation has, it has when `step` tells that it begins, and until `step` tells that it ends.
pub trait Probe {
    /// It is about to take its next step. May wait.
    fn about(&self, _step: Step) {}

    /// It has taken a step, but that what is released by it may be so a little later. Must not wait, nor call the file.
    fn step(&self, step: Step);
}

impl Probe for NoProbe {
    #[inline]
    fn step(&self, _: Step) {}
}
