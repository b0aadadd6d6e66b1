//! loom as a file's system: cells that order nothing, so that a read may be given an old value where no lock forbids it.

use std::sync::PoisonError;
use std::thread;

use interlock::range::atomicity::sys::{Cell, System};
use interlock::sys::Monitor;
use loom::sync::atomic::{AtomicU64, Ordering};

use crate::dio::sys::{LoomMonitor, NONE};
use crate::range::sys::LoomSys;

pub struct Word(AtomicU64);

impl Cell for Word {
    fn new(value: u64) -> Self {
        Word(AtomicU64::new(value))
    }

    fn load(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn store(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

impl<const FAULT: u8> System for LoomSys<FAULT> {
    type Cell = Word;
    type Monitor<T: Send + 'static> = Room<T>;
}

/// A monitor, whose guards may be dropped when loom has found a deadlock: then nothing is scheduled any more.
pub struct Room<T>(LoomMonitor<T, NONE>);

impl<T> Monitor<T> for Room<T> {
    fn new(value: T) -> Self {
        Room(LoomMonitor::new(value))
    }

    fn with<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        if thread::panicking() {
            return step(&mut self.0.value.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.0.with(step)
    }

    fn wait<R>(&self, step: impl FnMut(&mut T) -> Option<R>) -> R {
        self.0.wait(step)
    }

    fn notify(&self) {
        if !thread::panicking() {
            self.0.notify();
        }
    }
}
