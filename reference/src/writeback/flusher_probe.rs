//! The hook through which tests see each atomic step of a flusher, and take its processor.

use super::plug::{Action, Cpu};
pub use interlock_rwlock::probe::NoProbe;

/// What is on its way to the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Numbers {
    /// How many pages are in the plug.
    pub plug: usize,
    /// How many requests the device has.
    pub flying: usize,
    /// How many it has ever got.
    pub requests: u64,
}

/// Sees the steps of a flusher, in the thread that takes them. The steps, in the order in which `step` is called, are a path of
/// the machine that has as many inodes as the pass, if these are neighbours on the disk; the machine's inode 1 is the first one.
pub trait Probe: Send + Sync + 'static {
    /// A pass is about to begin, over these inodes. Must not wait, nor call the flusher.
    fn begins(&self, _inodes: &[usize]) {}

    /// A thread is about to take this step, as soon as it is enabled: the flusher, or the device that has done a request. May wait.
    #[inline]
    fn about_to(&self, _action: Action) {}

    /// A step is taken, and leaves these numbers; an inode in it is the flusher's. Must not wait, nor call the flusher.
    fn step(&self, action: Action, now: &Numbers);

    /// The next inode's I/O is to sleep before it is submitted.
    fn sleeps(&self) -> bool {
        false
    }

    /// Somebody else wants the flusher's processor, at a point where it may be preempted.
    fn wants(&self) -> bool {
        false
    }

    /// The flusher is off its processor until this returns.
    fn away(&self, _cpu: Cpu) {}
}

impl Probe for NoProbe {
    #[inline]
    fn step(&self, _: Action, _: &Numbers) {}
}
