//! What a range lock needs from the system: a mutex, a word, futexes to sleep on, and who looks on. Tests put loom's or shuttle's in.

use std::sync::atomic::{AtomicU32, AtomicU64};

pub use interlock_rwlock::queued::sys::Guarded;
use interlock_rwlock::sys::{AtomicWord, Futex};
use parking_lot::Mutex;

use super::probe::{NoProbe, Probe};

/// The system that a range lock runs on.
pub trait Sys {
    /// A value behind a mutex.
    type Guarded<T: Send>: Guarded<T>;
    /// The word in which readers count themselves.
    type Word: AtomicWord;
    /// Where one thread sleeps.
    type Futex: Futex + Send + Sync;
    /// Who sees what the lock does.
    type Probe: Probe;

    /// How often a task looks at a range that somebody holds and nobody waits for, before it arrives. Twice as long passes
    /// before each further look.
    const LOOKS_BEFORE_ARRIVAL: u32;
    /// How often a waiter looks for its range before it sleeps.
    const SPINS_BEFORE_SLEEP: u32;
    /// How many readers in a row find that nobody writes, before the word is opened to them.
    const READERS_BEFORE_OPEN: u32;

    /// Tells the processor that this is a spin loop.
    fn spin_hint();
}

/// The system of the published lock: the standard library's, the operating system's futex, and the mutex that costs least if nobody
/// waits for it.
pub struct StdSys;

impl Sys for StdSys {
    type Guarded<T: Send> = Behind<T>;
    type Word = AtomicU64;
    type Futex = AtomicU32;
    type Probe = NoProbe;

    // About what it costs to sleep and to be woken: with none, ranges that are held shortly turn into convoys of sleepers.
    const LOOKS_BEFORE_ARRIVAL: u32 = 8;
    const SPINS_BEFORE_SLEEP: u32 = 500;
    const READERS_BEFORE_OPEN: u32 = 16;

    #[inline]
    fn spin_hint() {
        std::hint::spin_loop();
    }
}

/// A value behind `parking_lot`'s mutex.
pub struct Behind<T>(Mutex<T>);

impl<T> Guarded<T> for Behind<T> {
    fn new(value: T) -> Self {
        Behind(Mutex::new(value))
    }

    #[inline]
    fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        act(&mut self.0.lock())
    }
}
