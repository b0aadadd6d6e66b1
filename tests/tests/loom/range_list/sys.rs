//! loom as the system of a list of ranges, as it is and with faults. Futexes are those of the rwsem's models, with their faults, and
//! mutexes those of the tree's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use interlock::range::list_sys::{Link, ListSys, Pin};
use interlock::range::probe::NoProbe;
use interlock::range::sys::Sys;
use loom::sync::atomic::{AtomicPtr, fence};

use super::epoch;
use crate::range::sys as tree;
use crate::rwsem::sys as futex;

pub use crate::rwsem::sys::{NO_RECHECK, NONE, WAKE_FIRST};

/// A mark is Relaxed in place of Release.
pub const RELAXED_MARK: u8 = 16;
/// An insertion is Relaxed in place of Release.
pub const RELAXED_REPLACE: u8 = 17;
/// There is no fence between to insert and to validate.
pub const NO_FENCE: u8 = 18;
/// Control `SwapsMarked`: a compare-and-swap does not mind the mark.
pub const SWAPS_MARKED: u8 = 19;
/// A node is freed as it is retired.
pub const FREED_AT_ONCE: u8 = 20;

/// loom with one of the faults above.
pub struct LoomSys<const FAULT: u8 = NONE>;

pub struct Pointer<T, const FAULT: u8>(AtomicPtr<T>);

pub struct Pinned<const FAULT: u8>(u64);

/// How many marks may still be set in this schedule: one for each range that is asked for, and for each try that may retreat. loom does
/// not see it.
pub static MARKS: AtomicUsize = AtomicUsize::new(0);

impl<const FAULT: u8> Sys for LoomSys<FAULT> {
    type Guarded<T: Send> = tree::Value<T>;
    type Word = tree::Word<NONE>;
    type Deadline = tree::Passed;
    type Futex = futex::Wait<FAULT>;
    type Probe = NoProbe;

    const LOOKS_BEFORE_ARRIVAL: u32 = 0;
    const SPINS_BEFORE_SLEEP: u32 = 0;
    const READERS_BEFORE_OPEN: u32 = 0;

    fn spin_hint() {}
}

impl<const FAULT: u8> ListSys for LoomSys<FAULT> {
    type Link<T> = Pointer<T, FAULT>;
    type Pin = Pinned<FAULT>;

    fn fence() {
        if FAULT != NO_FENCE {
            fence(Ordering::SeqCst);
        }
    }
}

fn marked<T>(pointer: *mut T) -> *mut T {
    pointer.map_addr(|address| address | 1)
}

impl<T, const FAULT: u8> Link<T> for Pointer<T, FAULT> {
    fn new() -> Self {
        Pointer(AtomicPtr::new(std::ptr::null_mut()))
    }

    fn load(&self) -> *mut T {
        self.0.load(Ordering::Acquire)
    }

    fn store(&self, to: *mut T) {
        self.0.store(to, Ordering::Relaxed);
    }

    fn replace(&self, from: *mut T, to: *mut T) -> Result<(), *mut T> {
        let order = match FAULT {
            RELAXED_REPLACE => Ordering::Relaxed,
            _ => Ordering::AcqRel,
        };
        let exchange = |from, to| self.0.compare_exchange(from, to, order, Ordering::Acquire);
        match exchange(from, to) {
            Err(now) if FAULT == SWAPS_MARKED && now == marked(from) => exchange(now, marked(to)),
            done => done,
        }
        .map(drop)
    }

    /// One read-modify-write: the exchange cannot fail, since nothing comes between.
    fn mark(&self) {
        let marks = MARKS.fetch_sub(1, Ordering::Relaxed);
        assert!(marks > 0, "they retreat from each other");
        let order = match FAULT {
            RELAXED_MARK => Ordering::Relaxed,
            _ => Ordering::Release,
        };
        let mark = |pointer| Some(marked(pointer));
        self.0
            .fetch_update(order, Ordering::Relaxed, mark)
            .expect("it gives one");
    }
}

impl<const FAULT: u8> Pin for Pinned<FAULT> {
    fn pin() -> Self {
        Pinned(epoch::pin())
    }

    unsafe fn node<T>(&self, node: *const T) -> &T {
        epoch::look(node.addr());
        // SAFETY: its memory is kept until the schedule ends.
        unsafe { &*node }
    }

    fn retire<T: Send + Sync + 'static>(&self, unlinked: Arc<T>) {
        epoch::retire(unlinked, FAULT == FREED_AT_ONCE);
    }
}

impl<const FAULT: u8> Drop for Pinned<FAULT> {
    fn drop(&mut self) {
        epoch::unpin(self.0);
    }
}
