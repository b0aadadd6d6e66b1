//! What ThreadSanitizer must report, or `make tsan` is no check: the lock on a word all of whose steps are Relaxed.

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicU64;
use std::thread;

use interlock_rwlock::Kind;
use interlock_rwlock::beds::Shared;
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::NoProbe;
use interlock_rwlock::sys::{AtomicWord, Ordering, StdSys, Sys};
use interlock_rwlock::word::Word;

/// The published lock's system with another word.
struct Racy;

impl Sys for Racy {
    type Word = Relaxed;
    type Beds = Shared;

    fn yield_now() {
        StdSys::yield_now();
    }
}

/// It orders nothing.
struct Relaxed(AtomicU64);

impl AtomicWord for Relaxed {
    fn new(value: u64) -> Self {
        Relaxed(AtomicU64::new(value))
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

struct Guarded {
    lock: RawBarrierRwLock<Racy>,
    value: UnsafeCell<u64>,
}

// SAFETY: there is none: that is what is to be reported.
unsafe impl Sync for Guarded {}

fn main() {
    // Never freed, for the same reason for which the lock of `stress` is a static.
    let guarded: &Guarded = Box::leak(Box::new(Guarded {
        lock: RawBarrierRwLock::with(Word::FREE, NoProbe),
        value: UnsafeCell::new(0),
    }));
    let write = || {
        for _ in 0..50_000 {
            let hold = guarded.lock.hold(Kind::Writer);
            // SAFETY: nobody else is inside, though nothing says so in terms of memory.
            unsafe { *guarded.value.get() += 1 };
            drop(hold);
        }
    };
    let threads = [thread::spawn(write), thread::spawn(write)];
    for thread in threads {
        thread.join().expect("no thread panics");
    }
}
