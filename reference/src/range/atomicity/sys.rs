//! What a file needs from the system beside its range lock: cells of memory, and monitors. Tests put loom's in.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::range::sys::{StdSys, Sys};
use crate::sys::{Monitor, StdMonitor};

/// The system that a file runs on.
pub trait System: Sys {
    /// What is copied at once.
    type Cell: Cell;
    /// Guards a value.
    type Monitor<T: Send + 'static>: Monitor<T>;
}

/// Eight bytes that are read and written at once. Neither orders anything else: that is for the locks to do.
pub trait Cell {
    /// A cell with this value.
    fn new(value: u64) -> Self;

    /// The value.
    fn load(&self) -> u64;

    /// Puts this value in the place of the one before.
    fn store(&self, value: u64);
}

impl Cell for AtomicU64 {
    fn new(value: u64) -> Self {
        AtomicU64::new(value)
    }

    #[inline]
    fn load(&self) -> u64 {
        AtomicU64::load(self, Ordering::Relaxed)
    }

    #[inline]
    fn store(&self, value: u64) {
        AtomicU64::store(self, value, Ordering::Relaxed);
    }
}

impl System for StdSys {
    type Cell = AtomicU64;
    type Monitor<T: Send + 'static> = StdMonitor<T>;
}
