//! Where those sleep that wait for a lock: a futex for each ticket of a writer and each batch of readers.
//!
//! They are no part of the lock, which may be gone when its last holder gets to wake somebody.

#[cfg(feature = "std")]
use core::sync::atomic::AtomicU32;

use crate::sys::{Futex, Ordering};
use crate::word::Grant;

/// Somebody sleeps here, or is about to. The other bits count the wake-ups, so that none is missed by who is about to.
const SLEEPER: u32 = 1;

/// The beds of a lock. A clone is the same beds, and does not need the lock.
pub trait Beds: Clone + 'static {
    /// A bed.
    type Futex: Futex;

    /// Beds, nobody in them.
    fn new() -> Self;

    /// The bed of who waits for this grant of the lock at this address: the same for the same arguments. Others may sleep there too; they
    /// are woken for nothing then.
    fn bed(&self, lock: usize, grant: Grant) -> &Self::Futex;
}

/// Sleeps until `is_granted`, which whoever makes it so tells by [`wake`].
pub(crate) fn sleep(bed: &impl Futex, is_granted: impl Fn() -> bool) {
    loop {
        // Acquire, with the Release in `wake`: whoever comes here too late to be woken sees why.
        let value = bed.fetch_or(SLEEPER, Ordering::Acquire) | SLEEPER;
        if is_granted() {
            return;
        }
        bed.wait(value);
    }
}

/// Wakes who sleeps here, or is about to.
pub(crate) fn wake(bed: &impl Futex) {
    let before = bed.update(Ordering::Release, |value| {
        (value & !SLEEPER).wrapping_add(SLEEPER << 1)
    });
    if before & SLEEPER != 0 {
        bed.wake_all();
    }
}

/// The published locks' beds, which all of them share.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub struct Shared;

/// So many that of the writers of a lock, up to as many, no two sleep in one.
#[cfg(feature = "std")]
const BEDS: usize = 1024;

#[cfg(feature = "std")]
static SHARED: [AtomicU32; BEDS] = [const { AtomicU32::new(0) }; BEDS];

#[cfg(feature = "std")]
impl Beds for Shared {
    type Futex = AtomicU32;

    fn new() -> Self {
        Shared
    }

    fn bed(&self, lock: usize, grant: Grant) -> &AtomicU32 {
        let number = match grant {
            Grant::Writer(ticket) => ticket as usize,
            // Half a table away from the writers that wait next to them.
            Grant::Readers(batch) => BEDS / 2 + batch as usize,
        };
        // Fibonacci hashing: locks that are neighbours begin far from each other.
        let first = (lock as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        &SHARED[(first as usize).wrapping_add(number) % BEDS]
    }
}
