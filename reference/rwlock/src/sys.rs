//! What the lock needs from the system: an atomic word, futexes, and a way to yield. Tests put loom's or shuttle's in.

#[cfg(feature = "std")]
use core::sync::atomic::AtomicU32;
use core::sync::atomic::AtomicU64;

pub use core::sync::atomic::Ordering;

use crate::beds::Beds;
#[cfg(feature = "std")]
use crate::beds::Shared;

/// The system that a lock runs on.
pub trait Sys {
    /// The atomic word that holds the lock's state.
    type Word: AtomicWord;
    /// Where those sleep that wait for it.
    type Beds: Beds;

    /// How often a task looks at a held lock that nobody waits for, before it arrives.
    ///
    /// By default about what it costs to sleep and to be woken: with fewer, short holds turn into convoys of sleepers.
    const SPINS_BEFORE_ARRIVAL: u32 = 500;
    /// How often a waiter looks for its grant before it sleeps.
    ///
    /// By default less: a holder that sleeps needs the processor to go on. `make bench`, S3: with 500, a tenth of the writers' grants is
    /// lost.
    const SPINS_BEFORE_SLEEP: u32 = 50;

    /// Tells the processor that this is a spin loop.
    #[inline]
    fn spin_hint() {
        core::hint::spin_loop();
    }

    /// Lets another thread run.
    fn yield_now();
}

/// A system whose lock can be made in a constant, as `lock_api` has it.
///
/// # Safety
///
/// Each call of [`AtomicWord`] on its word is one atomic step with the order that is asked for, as if of `AtomicU64`.
pub unsafe trait ConstSys: Sys {
    /// A word of 0.
    const WORD: Self::Word;
    /// Beds, nobody in them.
    const BEDS: Self::Beds;
}

/// An atomic `u64`.
pub trait AtomicWord {
    /// A word with this value.
    fn new(value: u64) -> Self;

    /// The value.
    fn load(&self, order: Ordering) -> u64;

    /// One attempt at [`AtomicWord::update`]; it may fail for no reason, and then has changed nothing.
    fn attempt(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)>;

    /// Replaces the value by what `step` makes of it, as one atomic step, and returns the values before and after; `None`, and
    /// no change, if `step` gives none. `order` is that of the successful replacement.
    fn update(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)>;

    /// Subtracts, and returns the value before.
    fn fetch_sub(&self, amount: u64, order: Ordering) -> u64;
}

/// An atomic `u32` that threads can sleep on.
pub trait Futex {
    /// A futex with the value 0.
    fn new() -> Self;

    /// The value.
    fn load(&self, order: Ordering) -> u32;

    /// Replaces the value by what `step` makes of it, as one atomic step, and returns the one before.
    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32;

    /// Sets bits, and returns the value before.
    fn fetch_or(&self, bits: u32, order: Ordering) -> u32;

    /// Sleeps until a [`Futex::wake_all`], unless the value is no longer `expected`; may return for no reason.
    fn wait(&self, expected: u32);

    /// Wakes all who sleep here.
    fn wake_all(&self);
}

/// The system of the published lock: the standard library's atomics, and the operating system's futex.
#[cfg(feature = "std")]
pub struct StdSys;

#[cfg(feature = "std")]
impl Sys for StdSys {
    type Word = AtomicU64;
    type Beds = Shared;

    fn yield_now() {
        std::thread::yield_now();
    }
}

// SAFETY: it is `AtomicU64`.
#[cfg(feature = "std")]
unsafe impl ConstSys for StdSys {
    const WORD: AtomicU64 = AtomicU64::new(0);
    const BEDS: Shared = Shared;
}

impl AtomicWord for AtomicU64 {
    fn new(value: u64) -> Self {
        AtomicU64::new(value)
    }

    #[inline]
    fn load(&self, order: Ordering) -> u64 {
        AtomicU64::load(self, order)
    }

    #[inline]
    fn attempt(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        let before = AtomicU64::load(self, Ordering::Relaxed);
        let after = step(before)?;
        self.compare_exchange_weak(before, after, order, Ordering::Relaxed)
            .ok()
            .map(|_| (before, after))
    }

    fn update(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        let mut before = AtomicU64::load(self, Ordering::Relaxed);
        loop {
            let after = step(before)?;
            match self.compare_exchange_weak(before, after, order, Ordering::Relaxed) {
                Ok(_) => return Some((before, after)),
                Err(now) => before = now,
            }
        }
    }

    #[inline]
    fn fetch_sub(&self, amount: u64, order: Ordering) -> u64 {
        AtomicU64::fetch_sub(self, amount, order)
    }
}

#[cfg(feature = "std")]
impl Futex for AtomicU32 {
    fn new() -> Self {
        AtomicU32::new(0)
    }

    #[inline]
    fn load(&self, order: Ordering) -> u32 {
        AtomicU32::load(self, order)
    }

    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        AtomicU32::update(self, order, Ordering::Relaxed, step)
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        AtomicU32::fetch_or(self, bits, order)
    }

    fn wait(&self, expected: u32) {
        atomic_wait::wait(self, expected);
    }

    fn wake_all(&self) {
        atomic_wait::wake_all(self);
    }
}
