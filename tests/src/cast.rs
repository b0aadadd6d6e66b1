//! The threads of a puppet play, and which of them run: when all rest nothing more happens, which no clock is needed to tell.
//!
//! A thread rests when it hangs on a string, waits for another, or has ended. Who lets another go on counts it as running first, so
//! that the count is never too low. A thread that waits for a mutex runs: nobody rests with one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use interlock::range;
use interlock::range::atomicity;
use interlock::sys::{Monitor, StdMonitor, System};
use interlock_rwlock::probe::NoProbe;
use interlock_rwlock::sys::{Futex, Ordering, StdSys, Sys};

use crate::own_beds::OwnBeds;

/// The threads of one play.
#[derive(Clone, Default)]
pub struct Cast(Arc<Mutex<Threads>>);

#[derive(Default)]
struct Threads {
    running: usize,
    /// How many were started.
    started: usize,
    /// Who waits, by the address of what it waits at.
    waiting: BTreeMap<usize, BTreeSet<usize>>,
}

/// What a thread is in a play.
#[derive(Clone, Default)]
struct Role {
    cast: Cast,
    number: usize,
}

thread_local! {
    static ROLE: RefCell<Role> = RefCell::default();
}

/// What the current thread is.
fn role() -> Role {
    ROLE.with_borrow(Role::clone)
}

impl Cast {
    /// A new one, which the current thread directs: to it belongs what that makes on [`Puppets`]. The director does not count.
    pub fn directed() -> Cast {
        ROLE.take();
        role().cast
    }

    /// Starts a thread of the play.
    pub fn spawn<R: Send + 'static>(
        &self,
        body: impl FnOnce() -> R + Send + 'static,
    ) -> JoinHandle<R> {
        let mut threads = self.threads();
        threads.running += 1;
        threads.started += 1;
        let role = Role {
            cast: self.clone(),
            number: threads.started,
        };
        thread::spawn(move || {
            let _running = Running(role.cast.clone());
            ROLE.set(role);
            body()
        })
    }

    /// The current thread hangs on a string from now on.
    pub fn rests(&self) {
        let mut threads = self.threads();
        // When the play is over, nobody counts who goes on.
        threads.running = threads.running.saturating_sub(1);
    }

    /// A thread that hangs on a string is let go.
    pub fn goes_on(&self) {
        self.threads().running += 1;
    }

    /// Nobody runs, and nobody will unless the director does something.
    pub fn all_rest(&self) -> bool {
        self.threads().running == 0
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Role {
    /// If there is still reason to, it waits at this address from now on, unless it did before.
    fn waits(&self, at: usize, has_reason: impl FnOnce() -> bool) {
        let mut threads = self.cast.threads();
        if has_reason() && threads.waiting.entry(at).or_default().insert(self.number) {
            threads.running = threads.running.saturating_sub(1);
        }
    }

    /// It waits no more, woken or not.
    fn is_up(&self, at: usize) {
        let mut threads = self.cast.threads();
        let waiting = threads.waiting.get_mut(&at);
        if waiting.is_some_and(|waiting| waiting.remove(&self.number)) {
            threads.running += 1;
        }
    }

    /// It wakes all who wait at this address.
    fn wakes(&self, at: usize) {
        let mut threads = self.cast.threads();
        let woken = threads.waiting.remove(&at).unwrap_or_default();
        threads.running += woken.len();
    }
}

/// Of a thread that runs: it rests when this is dropped, after a panic too.
struct Running(Cast);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.rests();
    }
}

/// The system of the published code, on which a [`Cast`] is told who waits.
pub struct Puppets;

impl Sys for Puppets {
    type Word = AtomicU64;
    type Beds = OwnBeds<Bed>;

    fn yield_now() {
        StdSys::yield_now();
    }
}

impl System for Puppets {
    type Monitor<T: Send + 'static> = Room<T>;
    type Thread = JoinHandle<()>;

    fn spawn(body: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
        role().cast.spawn(body)
    }

    fn join(thread: JoinHandle<()>) {
        StdSys::join(thread);
    }
}

impl range::sys::Sys for Puppets {
    type Guarded<T: Send> = <range::sys::StdSys as range::sys::Sys>::Guarded<T>;
    type Word = AtomicU64;
    type Deadline = Infallible;
    type Futex = Bed;
    type Probe = NoProbe;

    const LOOKS_BEFORE_ARRIVAL: u32 = range::sys::StdSys::LOOKS_BEFORE_ARRIVAL;
    const SPINS_BEFORE_SLEEP: u32 = range::sys::StdSys::SPINS_BEFORE_SLEEP;
    const READERS_BEFORE_OPEN: u32 = range::sys::StdSys::READERS_BEFORE_OPEN;
}

impl atomicity::sys::System for Puppets {
    type Cell = AtomicU64;
    type Monitor<T: Send + 'static> = Room<T>;
}

/// A futex.
pub struct Bed(AtomicU32);

impl Futex for Bed {
    fn new() -> Self {
        Bed(Futex::new())
    }

    fn load(&self, order: Ordering) -> u32 {
        self.0.load(order)
    }

    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        Futex::update(&self.0, order, step)
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        self.0.fetch_or(bits, order)
    }

    fn wait(&self, expected: u32) {
        let (role, at) = (role(), address(self));
        // Who changes the value later wakes later, and finds this thread.
        role.waits(at, || self.load(Ordering::Relaxed) == expected);
        self.0.wait(expected);
        role.is_up(at);
    }

    fn wake_all(&self) {
        role().wakes(address(self));
        self.0.wake_all();
    }
}

/// No wait has a deadline.
impl range::sys::TimedFutex<Infallible> for Bed {
    fn wait_until(&self, _: u32, deadline: Infallible) -> bool {
        match deadline {}
    }
}

/// A monitor.
pub struct Room<T>(StdMonitor<T>);

impl<T> Monitor<T> for Room<T> {
    fn new(value: T) -> Self {
        Room(StdMonitor::new(value))
    }

    fn with<R>(&self, step: impl FnOnce(&mut T) -> R) -> R {
        self.0.with(step)
    }

    fn wait<R>(&self, mut step: impl FnMut(&mut T) -> Option<R>) -> R {
        let (role, at) = (role(), address(self));
        self.0.wait(|value| {
            let result = step(value);
            match result {
                Some(_) => role.is_up(at),
                None => role.waits(at, || true),
            }
            result
        })
    }

    fn notify(&self) {
        // Whoever is counted as waiting now has left the value alone, and is woken.
        self.0.with(|_| role().wakes(address(self)));
        self.0.notify();
    }
}

fn address<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}
