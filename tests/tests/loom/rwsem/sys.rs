//! loom as the lock's system, as it is and with faults.
//!
//! An update of the word is one read-modify-write, since a compare-and-exchange that fails changes nothing. What loom does not
//! see of the real system: a wake-up that comes late, after its grant was published (it is then one for no reason, which the
//! loop around the sleep bears), spinning, and the futex call of the operating system itself.

use std::sync::{Mutex, PoisonError};

use interlock_rwlock::sys::{AtomicWord, Futex, Ordering, Sys};
use interlock_rwlock::word as lock;
use loom::sync::atomic::{AtomicU32, AtomicU64};
use loom::thread::{self, Thread};

/// No fault.
pub const NONE: u8 = 0;
/// `Enter` is Relaxed in place of Acquire.
pub const RELAXED_ENTER: u8 = 1;
/// `Wake` is Relaxed in place of Acquire.
pub const RELAXED_WAKE: u8 = 2;
/// `Release` is Relaxed in place of Release.
pub const RELAXED_RELEASE: u8 = 3;
/// `Downgrade` is Relaxed in place of Release.
pub const RELAXED_DOWNGRADE: u8 = 4;
/// The publication of a grant is Relaxed in place of Release.
pub const RELAXED_PUBLISH: u8 = 5;
/// Finding one's grant published is Relaxed in place of Acquire.
pub const RELAXED_GRANT: u8 = 6;
/// Sleepers are woken before the grant is published, not after.
pub const WAKE_FIRST: u8 = 7;
/// The futex sleeps although its value has changed.
pub const NO_RECHECK: u8 = 8;

/// loom with one of the faults above.
pub struct LoomSys<const FAULT: u8 = NONE>;

pub struct Word<const FAULT: u8>(AtomicU64);

pub struct Wait<const FAULT: u8> {
    value: AtomicU32,
    /// Who sleeps here. loom switches threads only at its own operations, so that this and the one before it are one step.
    sleepers: Mutex<Vec<Thread>>,
}

impl<const FAULT: u8> Sys for LoomSys<FAULT> {
    type Word = Word<FAULT>;
    type Futex = Wait<FAULT>;

    /// Fewer than the writers of some models, so that they share one.
    const WRITER_FUTEXES: usize = 2;
    const SPINS_BEFORE_ARRIVAL: u32 = 0;
    const SPINS_BEFORE_SLEEP: u32 = 0;

    fn spin_hint() {}

    fn yield_now() {
        thread::yield_now();
    }
}

impl<const FAULT: u8> AtomicWord for Word<FAULT> {
    fn new(value: u64) -> Self {
        Word(AtomicU64::new(value))
    }

    fn load(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails always: the slow path begins with the same step.
    fn attempt(&self, _: Ordering, _: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        None
    }

    fn update(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        let order = if FAULT == RELAXED_ENTER {
            Ordering::Relaxed
        } else {
            order
        };
        // Reads the newest value; nothing comes between this and the exchange.
        let before = self.0.fetch_add(0, Ordering::Relaxed);
        let after = step(before)?;
        let wakes =
            lock::Word::from_bits(before).must_wake() && lock::Word::from_bits(after).is_held();
        let faulty = match order {
            Ordering::Acquire if wakes => FAULT == RELAXED_WAKE,
            Ordering::Acquire => FAULT == RELAXED_ENTER,
            _ => FAULT == RELAXED_DOWNGRADE,
        };
        let order = if faulty { Ordering::Relaxed } else { order };
        loom::stop_exploring();
        let exchanged = self
            .0
            .compare_exchange(before, after, order, Ordering::Relaxed);
        loom::explore();
        assert!(exchanged.is_ok());
        Some((before, after))
    }

    fn fetch_sub(&self, amount: u64, order: Ordering) -> u64 {
        self.0.fetch_sub(
            amount,
            if FAULT == RELAXED_RELEASE {
                Ordering::Relaxed
            } else {
                order
            },
        )
    }
}

impl<const FAULT: u8> Wait<FAULT> {
    fn wake_sleepers(&self) {
        let sleepers =
            std::mem::take(&mut *self.sleepers.lock().unwrap_or_else(PoisonError::into_inner));
        sleepers.iter().for_each(Thread::unpark);
    }

    fn order(order: Ordering) -> Ordering {
        if FAULT == RELAXED_GRANT {
            Ordering::Relaxed
        } else {
            order
        }
    }
}

impl<const FAULT: u8> Futex for Wait<FAULT> {
    fn new() -> Self {
        Wait {
            value: AtomicU32::new(0),
            sleepers: Mutex::new(Vec::new()),
        }
    }

    fn load(&self, order: Ordering) -> u32 {
        self.value.load(Self::order(order))
    }

    fn swap(&self, value: u32, order: Ordering) -> u32 {
        if FAULT == WAKE_FIRST {
            self.wake_sleepers();
        }
        self.value.swap(
            value,
            if FAULT == RELAXED_PUBLISH {
                Ordering::Relaxed
            } else {
                order
            },
        )
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        self.value.fetch_or(bits, Self::order(order))
    }

    fn wait(&self, expected: u32) {
        if self.value.fetch_add(0, Ordering::Relaxed) != expected && FAULT != NO_RECHECK {
            return;
        }
        self.sleepers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(thread::current());
        thread::park();
    }

    fn wake_all(this: *const Self) {
        if FAULT != WAKE_FIRST {
            // SAFETY: each thread of a model keeps the lock alive until it ends.
            unsafe { &*this }.wake_sleepers();
        }
    }
}
