//! What files, journals and flushers need from the system beside their locks: monitors and threads. Tests put loom's or shuttle's in.

use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

pub use interlock_rwlock::sys::StdSys;
use interlock_rwlock::sys::Sys;

/// The system that these run on.
pub trait System: Sys<Word: Send + Sync, Beds: Send + Sync> + Send + Sync + 'static {
    /// Guards a value.
    type Monitor<T: Send + 'static>: Monitor<T> + Send + Sync + 'static;
    /// A thread that runs.
    type Thread: Send + Sync;

    /// Starts a thread.
    fn spawn(body: impl FnOnce() + Send + 'static) -> Self::Thread;

    /// Waits for a thread to end.
    ///
    /// # Panics
    ///
    /// With what the thread has panicked with, unless the caller is panicking itself.
    fn join(thread: Self::Thread);
}

/// A value that one thread at a time changes, and that threads can wait for. Nothing is poisoned: the steps on a value do not
/// panic half-way.
pub trait Monitor<T> {
    /// A monitor of this value.
    fn new(value: T) -> Self;

    /// Takes a step, alone.
    fn with<R>(&self, step: impl FnOnce(&mut T) -> R) -> R;

    /// Takes a step, alone, as soon as it gives something; looks again after each [`Monitor::notify`].
    fn wait<R>(&self, step: impl FnMut(&mut T) -> Option<R>) -> R;

    /// Lets all who wait look again.
    fn notify(&self);
}

impl System for StdSys {
    type Monitor<T: Send + 'static> = StdMonitor<T>;
    type Thread = JoinHandle<()>;

    fn spawn(body: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
        thread::spawn(body)
    }

    fn join(thread: JoinHandle<()>) {
        if let Err(panic) = thread.join()
            && !thread::panicking()
        {
            resume_unwind(panic);
        }
    }
}

/// The standard library's mutex and condition variable.
pub struct StdMonitor<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Monitor<T> for StdMonitor<T> {
    fn new(value: T) -> Self {
        StdMonitor {
            value: Mutex::new(value),
            changed: Condvar::new(),
        }
    }

    fn with<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        step(&mut self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn wait<R>(&self, mut step: impl FnMut(&mut T) -> Option<R>) -> R {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(result) = step(&mut value) {
                return result;
            }
            let woken = self.changed.wait(value);
            value = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn notify(&self) {
        self.changed.notify_all();
    }
}
