//! loom as the system of a lock of ranges, as it is and with faults. A range's gate sleeps on the futex of the other lock's models,
//! with its faults.

use std::marker::PhantomData;

use conformance::range_faults::{leave_in_silence, lose_grant};
use interlock::range::bias;
use interlock::range::probe::{NoProbe, Probe};
use interlock::range::sys::{Guarded, Sys, TimedFutex};
use interlock::range::tree::{Place, Tree};
use interlock_rwlock::sys::{AtomicWord, Ordering};
use loom::sync::Mutex;
use loom::sync::atomic::AtomicU64;

use crate::rwsem::sys::Wait;
pub use crate::rwsem::sys::{NO_RECHECK, NONE, RELAXED_PUBLISH, RELAXED_SLEEP, WAKE_FIRST};

/// `Enter` is Relaxed in place of Acquire.
pub const RELAXED_ENTER: u8 = 101;
/// `Leave` is Relaxed in place of AcqRel.
pub const RELAXED_LEAVE: u8 = 102;
/// `Leave` is Release in place of AcqRel.
pub const RELEASE_LEAVE: u8 = 103;
/// `Close` is Relaxed in place of Acquire.
pub const RELAXED_CLOSE: u8 = 104;
/// `Open` is Relaxed in place of Release.
pub const RELAXED_OPEN: u8 = 105;
/// `Enter` looks whether the word is open, and counts in another step.
pub const LOOKS_FIRST: u8 = 106;
/// `Close` is said, and leaves the word open.
pub const STAYS_OPEN: u8 = 107;
/// Who gives up as it is granted its range goes without it.
pub const LOSES_GRANT: u8 = 108;
/// Who gives up lets nobody in.
pub const LEAVES_IN_SILENCE: u8 = 109;

/// loom with one of the faults above.
pub struct LoomSys<const FAULT: u8 = NONE, P = NoProbe>(PhantomData<P>);

pub struct Value<T>(Mutex<T>);

pub struct Word<const FAULT: u8>(AtomicU64);

impl<const FAULT: u8, P: Probe> Sys for LoomSys<FAULT, P> {
    type Guarded<T: Send> = Value<T>;
    type Word = Word<FAULT>;
    type Deadline = Passed;
    type Futex = Wait<FAULT>;
    type Probe = P;

    const LOOKS_BEFORE_ARRIVAL: u32 = 1;
    const SPINS_BEFORE_SLEEP: u32 = 1;
    const READERS_BEFORE_OPEN: u32 = 1;

    fn spin_hint() {}

    fn interrupt(tree: &mut Tree, place: &Place) -> Option<Vec<u64>> {
        match FAULT {
            LOSES_GRANT => lose_grant(tree, place),
            LEAVES_IN_SILENCE => leave_in_silence(tree, place),
            _ => tree.interrupt(place),
        }
    }
}

/// A deadline that has passed when one is about to sleep: what is done before that is done before the wait ends.
#[derive(Clone, Copy)]
pub struct Passed;

impl<const FAULT: u8> TimedFutex<Passed> for Wait<FAULT> {
    fn wait_until(&self, _: u32, Passed: Passed) -> bool {
        true
    }
}

impl<T> Guarded<T> for Value<T> {
    fn new(value: T) -> Self {
        Value(Mutex::new(value))
    }

    fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        act(&mut self.0.lock().expect("nobody panics with it"))
    }
}

impl<const FAULT: u8> AtomicWord for Word<FAULT> {
    fn new(value: u64) -> Self {
        Word(AtomicU64::new(value))
    }

    fn load(&self, order: Ordering) -> u64 {
        self.0.load(order)
    }

    fn attempt(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        self.update(order, step)
    }

    fn update(&self, order: Ordering, step: impl Fn(u64) -> Option<u64>) -> Option<(u64, u64)> {
        // Reads the newest value; nothing comes between this and the exchange.
        let before = self.0.fetch_add(0, Ordering::Relaxed);
        let after = step(before)?;
        if FAULT == LOOKS_FIRST && after == before + bias::ONE {
            return Some((self.0.fetch_add(bias::ONE, order), after));
        }
        if FAULT == STAYS_OPEN && bias::close(before) == Some(after) {
            return Some((before, after));
        }
        let relaxed = match (before & bias::CLOSED, after & bias::CLOSED) {
            (0, 0) => FAULT == RELAXED_ENTER,
            (0, _) => FAULT == RELAXED_CLOSE,
            (_, 0) => FAULT == RELAXED_OPEN,
            _ => false,
        };
        let order = if relaxed { Ordering::Relaxed } else { order };
        loom::stop_exploring();
        let exchanged = self
            .0
            .compare_exchange(before, after, order, Ordering::Relaxed);
        loom::explore();
        assert!(exchanged.is_ok());
        Some((before, after))
    }

    fn fetch_sub(&self, amount: u64, order: Ordering) -> u64 {
        let order = match FAULT {
            RELAXED_LEAVE => Ordering::Relaxed,
            RELEASE_LEAVE => Ordering::Release,
            _ => order,
        };
        self.0.fetch_sub(amount, order)
    }
}
