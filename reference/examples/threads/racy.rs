//! A system that keeps threads apart, and orders nothing: every step on its words and monitors is Relaxed, and who would sleep yields, since
//! a sleep that another thread ends comes after what that one has done.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use interlock::range::list_sys::{Link, ListSys, Pin};
use interlock::range::probe::NoProbe;
use interlock::range::sys::{StdSys as Ranges, Sys as RangeSys, TimedFutex};
use interlock::sys::{Monitor, System};
use interlock_rwlock::beds::Beds;
use interlock_rwlock::queued::rules::Queued;
use interlock_rwlock::queued::sys::{Flag, Guarded};
use interlock_rwlock::sys::{AtomicWord, Futex, Ordering, StdSys, Sys};
use interlock_rwlock::word::Grant;

/// The system.
pub struct Racy;

/// A word.
pub struct Word(AtomicU64);

impl AtomicWord for Word {
    fn new(value: u64) -> Self {
        Word(AtomicU64::new(value))
    }

    fn load(&self, _: Ordering) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn attempt(&self, _: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        self.0.attempt(Ordering::Relaxed, step)
    }

    fn update(&self, _: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        AtomicWord::update(&self.0, Ordering::Relaxed, step)
    }

    fn fetch_sub(&self, amount: u64, _: Ordering) -> u64 {
        self.0.fetch_sub(amount, Ordering::Relaxed)
    }
}

/// A futex at which nobody sleeps.
pub struct Restless(AtomicU32);

impl Futex for Restless {
    fn new() -> Self {
        Restless(AtomicU32::new(0))
    }

    fn load(&self, _: Ordering) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    fn update(&self, _: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        let step = |value| Some(step(value));
        let updated = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        updated.expect("each step gives a value")
    }

    fn fetch_or(&self, bits: u32, _: Ordering) -> u32 {
        self.0.fetch_or(bits, Ordering::Relaxed)
    }

    fn wait(&self, _: u32) {
        thread::yield_now();
    }

    fn wake_all(&self) {}
}

impl TimedFutex<Instant> for Restless {
    fn wait_until(&self, expected: u32, deadline: Instant) -> bool {
        self.wait(expected);
        Instant::now() >= deadline
    }
}

/// The one bed of all.
#[derive(Clone)]
pub struct OneBed;

impl Beds for OneBed {
    type Futex = Restless;

    fn new() -> Self {
        OneBed
    }

    fn bed(&self, _: usize, _: Grant) -> &Restless {
        static BED: Restless = Restless(AtomicU32::new(0));
        &BED
    }
}

/// A value behind a spin lock.
pub struct Spun<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: there is none in terms of memory: that is what is to be reported.
unsafe impl<T: Send> Sync for Spun<T> {}

impl<T> Guarded<T> for Spun<T> {
    fn new(value: T) -> Self {
        Spun {
            taken: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        while self.taken.swap(true, Ordering::Relaxed) {
            thread::yield_now();
        }
        // SAFETY: nobody else is here, though nothing says so in terms of memory.
        let result = act(unsafe { &mut *self.value.get() });
        self.taken.store(false, Ordering::Relaxed);
        result
    }
}

impl<T> Monitor<T> for Spun<T> {
    fn new(value: T) -> Self {
        Guarded::new(value)
    }

    fn with<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        Guarded::with(self, step)
    }

    fn wait<R>(&self, mut step: impl FnMut(&mut T) -> Option<R>) -> R {
        loop {
            if let Some(result) = Guarded::with(self, &mut step) {
                return result;
            }
            thread::yield_now();
        }
    }

    fn notify(&self) {}
}

impl Sys for Racy {
    type Word = Word;
    type Beds = OneBed;

    fn yield_now() {
        StdSys::yield_now();
    }
}

impl System for Racy {
    type Monitor<T: Send + 'static> = Spun<T>;
    type Thread = JoinHandle<()>;

    fn spawn(body: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
        StdSys::spawn(body)
    }

    fn join(thread: JoinHandle<()>) {
        StdSys::join(thread);
    }
}

/// A flag.
pub struct Unordered(AtomicBool);

impl Flag for Unordered {
    fn new() -> Self {
        Unordered(AtomicBool::new(false))
    }

    fn is_set(&self, _: Ordering) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, _: Ordering) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl interlock_rwlock::queued::sys::Sys for Racy {
    type Guarded<T: Send> = Spun<T>;
    type Flag = Unordered;
    type Thread = ();
    type Deadline = Instant;
    type Rules = Queued;

    const SPINS_BEFORE_SLEEP: u32 = 0;

    fn current() {}

    fn park(deadline: Option<Instant>) -> bool {
        thread::yield_now();
        deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn unpark((): &()) {}
}

impl RangeSys for Racy {
    type Guarded<T: Send> = Spun<T>;
    type Word = Word;
    type Deadline = Instant;
    type Futex = Restless;
    type Probe = NoProbe;

    const LOOKS_BEFORE_ARRIVAL: u32 = Ranges::LOOKS_BEFORE_ARRIVAL;
    const SPINS_BEFORE_SLEEP: u32 = Ranges::SPINS_BEFORE_SLEEP;
    const READERS_BEFORE_OPEN: u32 = Ranges::READERS_BEFORE_OPEN;
}

/// A link, whose nodes are seen as they were left, or not.
pub struct Loose<T>(AtomicPtr<T>);

impl<T> Link<T> for Loose<T> {
    fn new() -> Self {
        Loose(AtomicPtr::default())
    }

    fn load(&self) -> *mut T {
        self.0.load(Ordering::Relaxed)
    }

    fn store(&self, to: *mut T) {
        self.0.store(to, Ordering::Relaxed);
    }

    fn replace(&self, from: *mut T, to: *mut T) -> Result<(), *mut T> {
        self.0
            .compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed)
            .map(drop)
    }

    fn mark(&self) {
        self.0.fetch_or(1, Ordering::Relaxed);
    }
}

/// As the published list's.
pub struct Pinned(<Ranges as ListSys>::Pin);

impl Pin for Pinned {
    fn pin() -> Self {
        Pinned(Pin::pin())
    }

    unsafe fn node<T>(&self, node: *const T) -> &T {
        // SAFETY: the caller's.
        unsafe { self.0.node(node) }
    }

    fn retire<T: Send + Sync + 'static>(&self, unlinked: Arc<T>) {
        self.0.retire(unlinked);
    }
}

impl ListSys for Racy {
    type Link<T> = Loose<T>;
    type Pin = Pinned;

    fn fence() {
        Ranges::fence();
    }
}
