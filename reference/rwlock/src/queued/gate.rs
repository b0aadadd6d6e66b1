//! A gate that is shut, and is opened once: what a waiter waits at, a thread or a future.

use alloc::sync::Arc;
use alloc::task::Wake;

use super::sys::{Flag, Ordering, Sys};

/// A gate, and the thread that sleeps at it; none, if a future waits.
pub(super) struct Gate<S: Sys> {
    open: S::Flag,
    sleeper: Option<S::Thread>,
}

impl<S: Sys> Gate<S> {
    /// A gate that is shut.
    pub(super) fn new(sleeper: Option<S::Thread>) -> Arc<Self> {
        let open = S::Flag::new();
        Arc::new(Gate { open, sleeper })
    }

    /// Opens it: what was done before is seen by who comes through. Whoever waits must be woken after that.
    pub(super) fn open(&self) {
        self.open.set(Ordering::Release);
    }

    /// It was opened.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_set(Ordering::Acquire)
    }

    /// Waits until it is open: `true`; or until the deadline.
    pub(super) fn wait(&self, deadline: Option<S::Deadline>) -> bool {
        for _ in 0..S::SPINS_BEFORE_SLEEP {
            if self.is_open() {
                return true;
            }
            S::spin_hint();
        }
        // Who opens it wakes this thread after that, so that a look before each sleep is enough.
        while !self.is_open() {
            if S::park(deadline) {
                return false;
            }
        }
        true
    }
}

/// Wakes the thread that sleeps here.
impl<S: Sys> Wake for Gate<S> {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(thread) = &self.sleeper {
            S::unpark(thread);
        }
    }
}
