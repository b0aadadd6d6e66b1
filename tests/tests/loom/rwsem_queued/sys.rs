//! loom as the system of the lock with a queue of names, as it is and with faults.

use std::marker::PhantomData;
use std::sync::Arc;

use interlock_rwlock::queued::rules::{Queued, Rules};
use interlock_rwlock::queued::sys::{Flag, Ordering, Sys};
use loom::sync::atomic::AtomicBool;
use loom::thread::{self, Thread};

use crate::range::sys::Value;

/// No fault.
pub const NONE: u8 = 0;
/// A gate is opened with Relaxed in place of Release.
pub const RELAXED_OPEN: u8 = 1;
/// Who comes through a gate looks with Relaxed in place of Acquire.
pub const RELAXED_COME: u8 = 2;
/// Who sleeps is not woken.
pub const NOT_WOKEN: u8 = 3;

/// loom with one of the faults above, and rules.
pub struct LoomSys<const FAULT: u8 = NONE, R = Queued>(PhantomData<R>);

pub struct Open<const FAULT: u8> {
    open: AtomicBool,
    /// What both sides touch next, so that loom has one come through before the other is woken. No order comes of it.
    next: AtomicBool,
}

/// A thread that may sleep.
#[derive(Clone)]
pub struct Sleeper {
    thread: Thread,
    /// A wake-up has come. What was done before it is seen after the sleep.
    woken: Arc<AtomicBool>,
    /// It sleeps: loom's own wake-up would also end what it waits for elsewhere, a mutex or another thread's end. loom does not see
    /// this: it switches threads at its own operations alone.
    sleeps: Arc<std::sync::atomic::AtomicBool>,
}

loom::thread_local! {
    static SELF: Sleeper = Sleeper {
        thread: thread::current(),
        woken: Arc::new(AtomicBool::new(false)),
        sleeps: Arc::default(),
    };
}

impl Sleeper {
    pub fn current() -> Sleeper {
        SELF.with(Sleeper::clone)
    }

    /// Sleeps until it is woken, which may have been before.
    pub fn park() {
        let Sleeper { woken, sleeps, .. } = Sleeper::current();
        if !woken.swap(false, Ordering::Acquire) {
            sleeps.store(true, Ordering::Relaxed);
            thread::park();
            woken.swap(false, Ordering::Acquire);
        }
    }

    pub fn unpark(&self) {
        self.woken.store(true, Ordering::Release);
        if self.sleeps.swap(false, Ordering::Relaxed) {
            self.thread.unpark();
        }
    }
}

impl<const FAULT: u8, R: Rules> Sys for LoomSys<FAULT, R> {
    type Guarded<T: Send> = Value<T>;
    type Flag = Open<FAULT>;
    type Thread = Sleeper;
    /// It has passed.
    type Deadline = ();
    type Rules = R;

    /// A look before the sleep sees a gate that was opened, and no wake-up.
    const SPINS_BEFORE_SLEEP: u32 = 1;

    fn spin_hint() {}

    fn current() -> Sleeper {
        Sleeper::current()
    }

    fn park(deadline: Option<()>) -> bool {
        if deadline.is_none() {
            Sleeper::park();
        }
        deadline.is_some()
    }

    fn unpark(sleeper: &Sleeper) {
        if FAULT != NOT_WOKEN {
            sleeper.unpark();
        }
    }
}

impl<const FAULT: u8> Flag for Open<FAULT> {
    fn new() -> Self {
        Open {
            open: AtomicBool::new(false),
            next: AtomicBool::new(false),
        }
    }

    fn is_set(&self, order: Ordering) -> bool {
        let relaxed = FAULT == RELAXED_COME;
        let order = if relaxed { Ordering::Relaxed } else { order };
        let open = self.open.load(order);
        if open {
            self.next.fetch_or(true, Ordering::Relaxed);
        }
        open
    }

    fn set(&self, order: Ordering) {
        let relaxed = FAULT == RELAXED_OPEN;
        let order = if relaxed { Ordering::Relaxed } else { order };
        self.open.store(true, order);
        self.next.fetch_or(true, Ordering::Relaxed);
    }
}
