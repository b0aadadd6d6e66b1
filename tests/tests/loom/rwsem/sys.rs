//! loom as the lock's system, as it is and with faults.
//!
//! An update of the word is one read-modify-write, since a compare-and-exchange that fails changes nothing. What loom does not
//! see of the real system: a wake-up that comes late, after its grant was published (it is then one for no reason, which the
//! loop around the sleep bears), an exchange that fails for no reason, the futex call of the operating system itself, and that
//! `StdSys` passes each order on.
//!
//! The fast path and the spins make no step that the slow path does not, so that most models leave them out: an attempt fails
//! always, and nobody spins. Nor do they read a word that is no longer the newest: who reads one goes to sleep, and looks again.
//! With `FAST` an attempt is one, each spin is one look, and a look may find an old word, if no order forbids it.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use conformance::own_beds::OwnBeds;
use interlock_rwlock::layout::Budget;
use interlock_rwlock::sys::{AtomicWord, ConstSys, Futex, Ordering, Sys};
use interlock_rwlock::word::WordOf;
use loom::sync::atomic::{AtomicU32, AtomicU64};
use loom::thread::{self, Thread};

/// No fault.
pub const NONE: u8 = 0;
/// `Enter` is Relaxed in place of Acquire.
pub const RELAXED_ENTER: u8 = 1;
/// `Release` is Relaxed in place of Release.
pub const RELAXED_RELEASE: u8 = 3;
/// `Downgrade` is Relaxed in place of Release.
pub const RELAXED_DOWNGRADE: u8 = 4;
/// Looking for sleepers, or opening a gate, is Relaxed in place of Release.
pub const RELAXED_PUBLISH: u8 = 5;
/// Finding that one has the lock is Relaxed in place of Acquire.
pub const RELAXED_GRANT: u8 = 6;
/// Sleepers are woken before the grant is published, not after.
pub const WAKE_FIRST: u8 = 7;
/// The futex sleeps although its value has changed.
pub const NO_RECHECK: u8 = 8;

/// The fast path's `Enter` is Relaxed in place of Acquire.
pub const RELAXED_FAST_ENTER: u8 = 9;
/// A spinner's `Enter` is Relaxed in place of Acquire.
pub const RELAXED_SPIN_ENTER: u8 = 10;
/// Looking at a futex, or saying that one is about to sleep there, is Relaxed in place of Acquire.
pub const RELAXED_SLEEP: u8 = 11;

/// `Take` is Relaxed in place of Acquire, in a word with a budget of 1.
pub const RELAXED_TAKE: u8 = 12;

/// loom with one of the faults above.
pub struct LoomSys<const FAULT: u8 = NONE, const FAST: bool = false>;

pub struct Word<const FAULT: u8, const FAST: bool = false> {
    value: AtomicU64,
    /// An attempt has failed: whoever makes one from now on may be a spinner. loom does not see it.
    failed: AtomicBool,
}

pub struct Wait<const FAULT: u8> {
    value: AtomicU32,
    /// Who sleeps here. loom switches threads only at its own operations, so that this and the one before it are one step.
    sleepers: Mutex<Vec<Thread>>,
}

impl<const FAULT: u8, const FAST: bool> Sys for LoomSys<FAULT, FAST> {
    type Word = Word<FAULT, FAST>;
    type Beds = OwnBeds<Wait<FAULT>>;

    const SPINS_BEFORE_ARRIVAL: u32 = FAST as u32;
    const SPINS_BEFORE_SLEEP: u32 = FAST as u32;

    fn spin_hint() {}

    fn yield_now() {
        thread::yield_now();
    }
}

// SAFETY: loom's atomics, with a weaker order where a test asks for that.
unsafe impl<const FAULT: u8, const FAST: bool> ConstSys for LoomSys<FAULT, FAST> {
    const WORD: Word<FAULT, FAST> = panic!("loom makes its words while it runs");
    const BEDS: OwnBeds<Wait<FAULT>> = panic!("loom makes its futexes while it runs");
}

impl<const FAULT: u8, const FAST: bool> Word<FAULT, FAST> {
    /// What `step` makes of the newest value, as one step, if it makes anything.
    fn exchange(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        // Reads the newest value; nothing comes between this and the exchange.
        let before = self.value.fetch_add(0, Ordering::Relaxed);
        let after = step(before)?;
        let called = |bits| WordOf::<Budget<1>>::from_bits(bits).is_called();
        let relaxed = FAULT == RELAXED_TAKE && called(before) && !called(after);
        let order = if relaxed { Ordering::Relaxed } else { order };
        loom::stop_exploring();
        let exchanged = self
            .value
            .compare_exchange(before, after, order, Ordering::Relaxed);
        loom::explore();
        assert!(exchanged.is_ok());
        Some((before, after))
    }
}

impl<const FAULT: u8, const FAST: bool> AtomicWord for Word<FAULT, FAST> {
    fn new(value: u64) -> Self {
        Word {
            value: AtomicU64::new(value),
            failed: AtomicBool::new(false),
        }
    }

    fn load(&self, order: Ordering) -> u64 {
        let relaxed = FAULT == RELAXED_GRANT;
        let order = if relaxed { Ordering::Relaxed } else { order };
        if FAST {
            self.value.load(order)
        } else {
            self.value.fetch_add(0, order)
        }
    }

    fn attempt(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        if !FAST {
            return None;
        }
        let spins = self.failed.load(Ordering::Relaxed);
        let relaxed = match FAULT {
            RELAXED_FAST_ENTER => !spins,
            RELAXED_SPIN_ENTER => spins,
            _ => false,
        };
        let order = if relaxed { Ordering::Relaxed } else { order };
        let exchanged = self.exchange(order, step);
        if exchanged.is_none() {
            self.failed.store(true, Ordering::Relaxed);
        }
        exchanged
    }

    fn update(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        let faulty = match order {
            Ordering::Acquire => FAULT == RELAXED_ENTER,
            _ => FAULT == RELAXED_DOWNGRADE,
        };
        self.exchange(if faulty { Ordering::Relaxed } else { order }, step)
    }

    fn fetch_sub(&self, amount: u64, order: Ordering) -> u64 {
        self.value.fetch_sub(
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
}

impl<const FAULT: u8> Futex for Wait<FAULT> {
    fn new() -> Self {
        Wait {
            value: AtomicU32::new(0),
            sleepers: Mutex::new(Vec::new()),
        }
    }

    fn load(&self, order: Ordering) -> u32 {
        let relaxed = FAULT == RELAXED_SLEEP;
        self.value
            .load(if relaxed { Ordering::Relaxed } else { order })
    }

    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        if FAULT == WAKE_FIRST {
            self.wake_sleepers();
        }
        let relaxed = FAULT == RELAXED_PUBLISH;
        let order = if relaxed { Ordering::Relaxed } else { order };
        // As for the word.
        let before = self.value.fetch_add(0, Ordering::Relaxed);
        loom::stop_exploring();
        let exchanged = self
            .value
            .compare_exchange(before, step(before), order, Ordering::Relaxed);
        loom::explore();
        assert!(exchanged.is_ok());
        before
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        let relaxed = FAULT == RELAXED_SLEEP;
        self.value
            .fetch_or(bits, if relaxed { Ordering::Relaxed } else { order })
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

    fn wake_all(&self) {
        if FAULT != WAKE_FIRST {
            self.wake_sleepers();
        }
    }
}
