//! loom as the file's system, as it is and with faults.
//!
//! loom switches threads only at its own operations. So a step on a monitor is one read-modify-write and, with it, all that the
//! step does; and an I/O is one, with the log's entry. loom does not see what a mutex that is held for longer would do.

use std::sync::{Arc, Mutex, PoisonError};

use conformance::own_beds::OwnBeds;
use interlock::device::{BlockDevice, MemoryDevice};
use interlock::errno::Errno;
use interlock::sys::{Monitor, System};
use interlock_rwlock::sys::Sys;
use loom::sync::atomic::{AtomicU32, Ordering};
use loom::thread::{self, Thread};

use crate::rwsem::sys as lock;

/// No fault.
pub const NONE: u8 = 0;
/// Nobody is told that a value has changed.
pub const NO_NOTIFY: u8 = 1;

/// loom with one of the faults above.
pub struct LoomSys<const FAULT: u8 = NONE>;

impl<const FAULT: u8> Sys for LoomSys<FAULT> {
    type Word = lock::Word<{ lock::NONE }>;
    type Beds = OwnBeds<lock::Wait<{ lock::NONE }>>;

    const SPINS_BEFORE_ARRIVAL: u32 = 0;
    const SPINS_BEFORE_SLEEP: u32 = 0;

    fn spin_hint() {}

    fn yield_now() {
        thread::yield_now();
    }
}

impl<const FAULT: u8> System for LoomSys<FAULT> {
    type Monitor<T: Send + 'static> = LoomMonitor<T, FAULT>;
    /// True: it has ended.
    type Thread = Arc<LoomMonitor<bool, NONE>>;

    fn spawn(body: impl FnOnce() + Send + 'static) -> Self::Thread {
        let ended = Arc::new(LoomMonitor::new(false));
        let own = ended.clone();
        thread::spawn(move || {
            body();
            own.with(|ended| *ended = true);
            own.notify();
        });
        ended
    }

    fn join(thread: Self::Thread) {
        thread.wait(|ended| ended.then_some(()));
    }
}

pub struct LoomMonitor<T, const FAULT: u8> {
    turn: AtomicU32,
    pub value: Mutex<T>,
    sleepers: Mutex<Vec<Thread>>,
}

impl<T, const FAULT: u8> Monitor<T> for LoomMonitor<T, FAULT> {
    fn new(value: T) -> Self {
        LoomMonitor {
            turn: AtomicU32::new(0),
            value: Mutex::new(value),
            sleepers: Mutex::new(Vec::new()),
        }
    }

    fn with<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        self.turn.fetch_add(0, Ordering::AcqRel);
        step(&mut self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn wait<R>(&self, mut step: impl FnMut(&mut T) -> Option<R>) -> R {
        loop {
            if let Some(result) = self.with(&mut step) {
                return result;
            }
            let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
            sleepers.push(thread::current());
            drop(sleepers);
            thread::park();
        }
    }

    fn notify(&self) {
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        let woken = std::mem::take(&mut *sleepers);
        drop(sleepers);
        if FAULT != NO_NOTIFY {
            woken.iter().for_each(Thread::unpark);
        }
    }
}

/// A device whose I/Os are loom's operations.
pub struct LoomDevice {
    turn: AtomicU32,
    device: MemoryDevice,
}

impl LoomDevice {
    pub fn new(device: MemoryDevice) -> Self {
        LoomDevice {
            turn: AtomicU32::new(0),
            device,
        }
    }
}

impl BlockDevice for LoomDevice {
    fn sector_size(&self) -> usize {
        self.device.sector_size()
    }

    fn sectors(&self) -> u64 {
        self.device.sectors()
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.turn.fetch_add(0, Ordering::AcqRel);
        self.device.read_at(bytes, position)
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        self.turn.fetch_add(0, Ordering::AcqRel);
        self.device.write_at(bytes, position)
    }
}
