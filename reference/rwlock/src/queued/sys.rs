//! What the lock needs from the system: a mutex, a flag, and threads that sleep. Tests put loom's or shuttle's in.

pub use core::sync::atomic::Ordering;

use super::rules::Rules;

/// The system that a lock runs on.
pub trait Sys: 'static {
    /// A value behind a mutex.
    type Guarded<T: Send>: Guarded<T>;
    /// Says that a waiter has the lock.
    type Flag: Flag + Send + Sync;
    /// A thread that may sleep.
    type Thread: Send + Sync;
    /// When a wait ends.
    type Deadline: Copy;
    /// The lock's rules.
    type Rules: Rules;

    /// How often a waiter looks whether it has the lock before it sleeps.
    const SPINS_BEFORE_SLEEP: u32;

    /// Tells the processor that this is a spin loop.
    #[inline]
    fn spin_hint() {
        core::hint::spin_loop();
    }

    /// The thread that calls this.
    fn current() -> Self::Thread;

    /// Sleeps until another thread calls [`Sys::unpark`], which it may have done before; may return for no reason. `true`: it is the
    /// deadline, if there is one.
    fn park(deadline: Option<Self::Deadline>) -> bool;

    /// Ends the sleep of a thread, or its next one.
    fn unpark(thread: &Self::Thread);
}

/// A value that one thread has at a time.
pub trait Guarded<T> {
    /// The value, which nobody has.
    fn new(value: T) -> Self;

    /// Does something with the value, which nobody else has meanwhile.
    fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R;
}

/// An atomic `bool` that is set once.
pub trait Flag {
    /// One that is not set.
    fn new() -> Self;

    /// Whether it is set.
    fn is_set(&self, order: Ordering) -> bool;

    /// Sets it.
    fn set(&self, order: Ordering);
}

#[cfg(feature = "std")]
mod standard {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Mutex, PoisonError};
    use std::thread::{self, Thread};
    use std::time::Instant;

    use super::{Flag, Guarded, Ordering, Sys};
    use crate::queued::rules::Queued;

    /// The system of the published lock: the standard library's.
    pub struct StdSys;

    impl Sys for StdSys {
        type Guarded<T: Send> = Mutex<T>;
        type Flag = AtomicBool;
        type Thread = Thread;
        type Deadline = Instant;
        type Rules = Queued;

        // As of the lock in one word.
        const SPINS_BEFORE_SLEEP: u32 = 500;

        fn current() -> Thread {
            thread::current()
        }

        fn park(deadline: Option<Instant>) -> bool {
            let Some(deadline) = deadline else {
                thread::park();
                return false;
            };
            let left = deadline.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                thread::park_timeout(left);
            }
            left.is_zero()
        }

        fn unpark(thread: &Thread) {
            thread.unpark();
        }
    }

    impl<T> Guarded<T> for Mutex<T> {
        fn new(value: T) -> Self {
            Mutex::new(value)
        }

        fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
            act(&mut self.lock().unwrap_or_else(PoisonError::into_inner))
        }
    }

    impl Flag for AtomicBool {
        fn new() -> Self {
            AtomicBool::new(false)
        }

        fn is_set(&self, order: Ordering) -> bool {
            self.load(order)
        }

        fn set(&self, order: Ordering) {
            self.store(true, order);
        }
    }
}

#[cfg(feature = "std")]
pub use standard::StdSys;
