//! shuttle as the system of a lock: its word and its futex.

use interlock_rwlock::sys::{AtomicWord, Futex, Ordering};
use shuttle::sync::atomic::{AtomicU32, AtomicU64};
use shuttle::sync::{Condvar, Mutex};

/// A word of shuttle's.
pub struct StateWord(AtomicU64);

impl AtomicWord for StateWord {
    fn new(value: u64) -> Self {
        StateWord(AtomicU64::new(value))
    }

    fn load(&self, order: Ordering) -> u64 {
        self.0.load(order)
    }

    fn attempt(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        self.update(order, step)
    }

    /// One step: shuttle switches threads only before it.
    fn update(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        let before = self.0.fetch_update(order, Ordering::Relaxed, &step).ok()?;
        step(before).map(|after| (before, after))
    }

    fn fetch_sub(&self, amount: u64, order: Ordering) -> u64 {
        self.0.fetch_sub(amount, order)
    }
}

/// A futex of shuttle's.
pub struct Wait {
    value: AtomicU32,
    sleep: Mutex<()>,
    woken: Condvar,
}

impl Futex for Wait {
    fn new() -> Self {
        Wait {
            value: AtomicU32::new(0),
            sleep: Mutex::new(()),
            woken: Condvar::new(),
        }
    }

    fn load(&self, order: Ordering) -> u32 {
        self.value.load(order)
    }

    /// One step: shuttle switches threads only before it.
    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        let step = |value| Some(step(value));
        let updated = self.value.fetch_update(order, Ordering::Relaxed, step);
        updated.expect("there is always a next value")
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        self.value.fetch_or(bits, order)
    }

    fn wait(&self, expected: u32) {
        let guard = self.sleep.lock().expect("no sleeper panics");
        if self.value.load(Ordering::Relaxed) == expected {
            drop(self.woken.wait(guard));
        }
    }

    fn wake_all(&self) {
        drop(self.sleep.lock());
        self.woken.notify_all();
    }
}
