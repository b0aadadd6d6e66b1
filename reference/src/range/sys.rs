//! What a range lock needs from the system: a mutex, a word, futexes to sleep on, and who looks on. Tests put loom's or shuttle's in.

use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Instant;

pub use interlock_rwlock::queued::sys::Guarded;
use interlock_rwlock::sys::{AtomicWord, Futex, Ordering};
use parking_lot::{Condvar, Mutex};

use super::probe::{NoProbe, Probe};
use super::tree::{Place, Tree};

/// The system that a range lock runs on.
pub trait Sys {
    /// A value behind a mutex.
    type Guarded<T: Send>: Guarded<T>;
    /// The word in which readers count themselves.
    type Word: AtomicWord;
    /// When a wait ends.
    type Deadline: Copy;
    /// Where threads sleep.
    type Futex: TimedFutex<Self::Deadline> + Send + Sync;
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
    #[inline]
    fn spin_hint() {
        std::hint::spin_loop();
    }

    /// What a wait that ends does: [`Tree::interrupt`], in which tests put faults.
    #[inline]
    fn interrupt(tree: &mut Tree, place: &Place) -> Option<Vec<u64>> {
        tree.interrupt(place)
    }
}

/// A futex at which a wait may end.
pub trait TimedFutex<D>: Futex {
    /// [`Futex::wait`], until the deadline at most: `true`, if it is that.
    fn wait_until(&self, expected: u32, deadline: D) -> bool;
}

/// The system of the published lock: the standard library's, and the mutex that costs least if nobody waits for it.
pub struct StdSys;

impl Sys for StdSys {
    type Guarded<T: Send> = Behind<T>;
    type Word = AtomicU64;
    type Deadline = Instant;
    type Futex = Bed;
    type Probe = NoProbe;

    // About what it costs to sleep and to be woken: with none, ranges that are held shortly turn into convoys of sleepers.
    const LOOKS_BEFORE_ARRIVAL: u32 = 8;
    const SPINS_BEFORE_SLEEP: u32 = 500;
    const READERS_BEFORE_OPEN: u32 = 16;
}

/// A futex on `parking_lot`'s condition variable: where waits may end, the crate of the operating system's has none.
pub struct Bed {
    value: AtomicU32,
    sleep: Mutex<()>,
    woken: Condvar,
}

impl Bed {
    fn sleep(&self, expected: u32, deadline: Option<Instant>) -> bool {
        let mut guard = self.sleep.lock();
        // Who changes the value takes the mutex before it wakes.
        if self.value.load(Ordering::Relaxed) != expected {
            return false;
        }
        match deadline {
            None => {
                self.woken.wait(&mut guard);
                false
            }
            Some(deadline) => self.woken.wait_until(&mut guard, deadline).timed_out(),
        }
    }
}

impl Futex for Bed {
    fn new() -> Self {
        Bed {
            value: AtomicU32::new(0),
            sleep: Mutex::new(()),
            woken: Condvar::new(),
        }
    }

    #[inline]
    fn load(&self, order: Ordering) -> u32 {
        self.value.load(order)
    }

    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        Futex::update(&self.value, order, step)
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        self.value.fetch_or(bits, order)
    }

    fn wait(&self, expected: u32) {
        self.sleep(expected, None);
    }

    fn wake_all(&self) {
        drop(self.sleep.lock());
        self.woken.notify_all();
    }
}

impl TimedFutex<Instant> for Bed {
    fn wait_until(&self, expected: u32, deadline: Instant) -> bool {
        self.sleep(expected, Some(deadline))
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
