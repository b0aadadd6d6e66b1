//! What a file needs from the system beside its lock: monitors and threads. Tests put loom's in.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

pub use interlock_rwlock::sys::StdSys;
use interlock_rwlock::sys::Sys;

/// The system that a file runs on.
pub trait System: Sys<Word: Send + Sync, Beds: Send + Sync> + Send + Sync + 'static {
    /// Guards a value.
    type Monitor<T: Send + 'static>: Monitor<T> + Send + Sync + 'static;
    /// A thread that runs.
    type Thread: Send + Sync;

    /// I/O ends with `EndIo` and then `DioEnd`. Here, because tests put faults in by the system; false is one.
    const END_IO_FIRST: bool = true;

    /// Starts a thread.
    fn spawn(body: impl FnOnce() + Send + 'static) -> Self::Thread;

    /// Waits for a thread to end; one that has panicked has ended.
    fn join(thread: Self::Thread);
}

/// A value that one thread at a time changes, and that threads can wait for. Nothing is poisoned: the file's own steps on a value
/// do not panic half-way.
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
        // What it had to do it has done, or its I/Os have failed when they were dropped.
        let _ = thread.join();
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
