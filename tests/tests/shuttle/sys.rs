//! shuttle as the system of a lock, of a file, of a journal and of a flusher.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use conformance::own_beds::OwnBeds;
use interlock::device::BlockDevice;
use interlock::errno::Errno;
use interlock::sys::{Monitor, System};
use interlock_rwlock::queued::sys::Guarded;
use interlock_rwlock::sys::{AtomicWord, Futex, Ordering, Sys};
use shuttle::scheduler::Scheduler;
use shuttle::sync::atomic::{AtomicU32, AtomicU64};
use shuttle::sync::{Condvar, Mutex};
use shuttle::thread::{self, JoinHandle};
use shuttle::{Config, FailurePersistence, Runner};

/// Runs the program in each of the scheduler's schedules; returns how many those were.
pub fn explore(
    scheduler: impl Scheduler + 'static,
    program: impl Fn() + Send + Sync + 'static,
) -> usize {
    let mut config = Config::new();
    config.stack_size = 0x4_0000;
    config.failure_persistence = FailurePersistence::None;
    Runner::new(scheduler, config).run(program)
}

/// The system.
pub struct ShuttleSys;

impl Sys for ShuttleSys {
    type Word = StateWord;
    type Beds = OwnBeds<Wait>;

    const SPINS_BEFORE_ARRIVAL: u32 = 2;
    const SPINS_BEFORE_SLEEP: u32 = 1;

    fn spin_hint() {}

    fn yield_now() {
        thread::yield_now();
    }
}

impl System for ShuttleSys {
    type Monitor<T: Send + 'static> = Room<T>;
    type Thread = JoinHandle<()>;

    fn spawn(body: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
        thread::spawn(body)
    }

    fn join(thread: JoinHandle<()>) {
        thread.join().expect("no thread panics");
    }
}

std::thread_local! {
    /// The types of the values that somebody has slept on; all threads of an exploration run in one of the operating system's.
    static SLEPT_ON: RefCell<BTreeSet<&'static str>> = RefCell::default();
}

/// Whether somebody has slept on a value whose type has this name, in an exploration of this thread's.
pub fn slept_on(name: &str) -> bool {
    SLEPT_ON.with_borrow(|slept| slept.iter().any(|path| path.ends_with(name)))
}

/// A monitor.
pub struct Room<T> {
    value: Mutex<T>,
    changed: Condvar,
}

impl<T> Monitor<T> for Room<T> {
    fn new(value: T) -> Self {
        Room {
            value: Mutex::new(value),
            changed: Condvar::new(),
        }
    }

    fn with<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        step(&mut self.value.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn wait<R>(&self, mut step: impl FnMut(&mut T) -> Option<R>) -> R {
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(result) = step(&mut value) {
                return result;
            }
            SLEPT_ON.with_borrow_mut(|slept| slept.insert(std::any::type_name::<T>()));
            let woken = self.changed.wait(value);
            value = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn notify(&self) {
        self.changed.notify_all();
    }
}

/// A value behind a mutex.
pub struct Value<T>(Mutex<T>);

impl<T> Guarded<T> for Value<T> {
    fn new(value: T) -> Self {
        Value(Mutex::new(value))
    }

    fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        act(&mut self.0.lock().expect("nobody panics with it"))
    }
}

/// Another device, between whose I/Os the threads are switched. Clones are the same device.
pub struct Turns<D>(Arc<(AtomicU32, D)>);

impl<D> Clone for Turns<D> {
    fn clone(&self) -> Self {
        Turns(self.0.clone())
    }
}

impl<D> Turns<D> {
    /// That device.
    pub fn new(device: D) -> Self {
        Turns(Arc::new((AtomicU32::new(0), device)))
    }

    fn switch(&self) -> &D {
        let (turn, device) = &*self.0;
        turn.fetch_add(1, Ordering::Relaxed);
        device
    }
}

impl<D: BlockDevice> BlockDevice for Turns<D> {
    fn sector_size(&self) -> usize {
        self.0.1.sector_size()
    }

    fn sectors(&self) -> u64 {
        self.0.1.sectors()
    }

    fn read_at(&self, bytes: &mut [u8], position: u64) -> Result<(), Errno> {
        self.switch().read_at(bytes, position)
    }

    fn write_at(&self, bytes: &[u8], position: u64) -> Result<(), Errno> {
        self.switch().write_at(bytes, position)
    }

    fn flush(&self) -> Result<(), Errno> {
        self.switch().flush()
    }
}

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
        let guard = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
        if self.value.load(Ordering::Relaxed) == expected {
            drop(self.woken.wait(guard));
        }
    }

    fn wake_all(&self) {
        drop(self.sleep.lock());
        self.woken.notify_all();
    }
}
