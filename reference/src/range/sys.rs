//! What a range lock needs from the system: a mutex, and a gate to wait at. Tests put loom's or shuttle's in.

use std::sync::{Condvar, Mutex, PoisonError};

/// The system that a range lock runs on.
pub trait Sys {
    /// A value behind a mutex.
    type Guarded<T: Send>: Guarded<T>;
    /// Where one thread waits.
    type Gate: Gate;
}

/// A value that one thread has at a time.
pub trait Guarded<T> {
    /// The value, which nobody has.
    fn new(value: T) -> Self;

    /// Does something with the value, which nobody else has meanwhile.
    fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R;
}

/// A gate that is shut, and is opened once.
pub trait Gate: Send + Sync {
    /// A gate that is shut.
    fn new() -> Self;

    /// Opens it: what was done before is seen by who comes through.
    fn open(&self);

    /// Waits until it is open.
    fn wait(&self);
}

/// The system of the published lock: the standard library's.
pub struct StdSys;

impl Sys for StdSys {
    type Guarded<T: Send> = Mutex<T>;
    type Gate = (Mutex<bool>, Condvar);
}

impl<T> Guarded<T> for Mutex<T> {
    fn new(value: T) -> Self {
        Mutex::new(value)
    }

    fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        act(&mut self.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Gate for (Mutex<bool>, Condvar) {
    fn new() -> Self {
        (Mutex::new(false), Condvar::new())
    }

    fn open(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_one();
    }

    fn wait(&self) {
        let is_open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = self.1.wait_while(is_open, |is_open| !*is_open);
        drop(opened.unwrap_or_else(PoisonError::into_inner));
    }
}
