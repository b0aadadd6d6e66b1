//! A lock of ranges, for reading and for writing: `specs/range/RangeTree.tla` in threads.
//!
//! It owns no data: ranges are numbers, of bytes, blocks or pages, and what they stand for is the caller's. Two ranges conflict if
//! they overlap and one of them is for writing. As [`RangeLock::new`] makes it, conflicting ranges are held in the order in which they
//! were asked for, so that nobody starves; the price is that a range may wait behind a wide one that waits itself. With
//! [`RangeLock::passing`] a range that conflicts with waiters alone passes them, each of them so many times at most while it waits.
//!
//! A call takes one mutex, for a logarithm of the ranges there and a step for each that overlaps ([`Tree`]); who waits sleeps, and
//! is woken once, when it has its range.
//!
//! Left out: waits that end, and recursion (who holds a range and asks for one that conflicts with it waits for itself). A holder
//! that panics releases its range as its guard is dropped.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::policy::Policy;
use super::sys::{Gate, Guarded, StdSys, Sys};
use super::tree::{Arrival, Mode, Place, Tree};

/// A lock of ranges. See the [module](self) for what it guarantees.
///
/// ```
/// use interlock::range::lock::RangeLock;
///
/// let file = RangeLock::new();
/// let written = file.write(0..4096);
/// let beside = file.read(4096..8192);
/// assert!(file.try_read(4095..4096).is_none());
/// let (head, tail) = written.split(512);
/// drop(tail);
/// assert!(file.try_read(4095..4096).is_some());
/// # drop((beside, head));
/// ```
pub struct RangeLock<S: Sys = StdSys> {
    ranges: S::Guarded<Ranges<S>>,
}

/// What the mutex guards.
pub struct Ranges<S: Sys> {
    tree: Tree,
    /// Where each that waits is woken, by its ticket.
    gates: HashMap<u64, Arc<S::Gate>>,
}

impl<S: Sys> Ranges<S> {
    /// The gates of those that hold their ranges now.
    fn gates(&mut self, ready: Vec<u64>) -> Vec<Arc<S::Gate>> {
        let gates = ready.iter().map(|ticket| self.gates.remove(ticket));
        gates
            .map(|gate| gate.expect("who waits has a gate"))
            .collect()
    }
}

impl RangeLock {
    /// A lock of which nothing is held, first come, first served.
    pub fn new() -> Self {
        RangeLock::with(Policy::TREE_FIFO)
    }

    /// The same, where so many may pass each waiter that conflict with no holder.
    pub fn passing(passes: usize) -> Self {
        RangeLock::with(Policy {
            passes,
            ..Policy::TREE_FIFO
        })
    }
}

impl Default for RangeLock {
    fn default() -> Self {
        RangeLock::new()
    }
}

impl<S: Sys> RangeLock<S> {
    /// A lock of this design.
    pub fn with(policy: Policy) -> Self {
        RangeLock {
            ranges: S::Guarded::new(Ranges {
                tree: Tree::new(policy),
                gates: HashMap::new(),
            }),
        }
    }

    /// Locks a range for reading, and waits for it if need be.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn read(&self, range: Range<u64>) -> RangeGuard<'_, S> {
        self.lock(range, Mode::Read)
    }

    /// Locks a range for writing, and waits for it if need be.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn write(&self, range: Range<u64>) -> RangeGuard<'_, S> {
        self.lock(range, Mode::Write)
    }

    /// Locks a range for reading, if it need not wait.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn try_read(&self, range: Range<u64>) -> Option<RangeGuard<'_, S>> {
        self.try_lock(range, Mode::Read)
    }

    /// Locks a range for writing, if it need not wait.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn try_write(&self, range: Range<u64>) -> Option<RangeGuard<'_, S>> {
        self.try_lock(range, Mode::Write)
    }

    fn lock(&self, range: Range<u64>, mode: Mode) -> RangeGuard<'_, S> {
        assert!(
            !range.is_empty(),
            "{range:?} is empty: there is nothing to lock"
        );
        let (place, gate) = self.ranges.with(|ranges| {
            let (place, arrival) = ranges.tree.lock(range, mode);
            let gate = matches!(arrival, Arrival::Wait(_)).then(|| {
                let gate = Arc::new(S::Gate::new());
                ranges.gates.insert(place.ticket, Arc::clone(&gate));
                gate
            });
            (place, gate)
        });
        if let Some(gate) = gate {
            gate.wait();
        }
        RangeGuard { lock: self, place }
    }

    fn try_lock(&self, range: Range<u64>, mode: Mode) -> Option<RangeGuard<'_, S>> {
        assert!(
            !range.is_empty(),
            "{range:?} is empty: there is nothing to lock"
        );
        let place = self
            .ranges
            .with(|ranges| ranges.tree.try_lock(range, mode))?;
        Some(RangeGuard { lock: self, place })
    }

    /// Puts parts of a range that is held in its place, and wakes those that hold theirs now.
    fn replace(&self, place: &Place, parts: &[(Range<u64>, Mode)]) -> Vec<Place> {
        let (places, gates) = self.ranges.with(|ranges| {
            let (places, ready) = ranges.tree.replace(place, parts);
            (places, ranges.gates(ready))
        });
        gates.iter().for_each(|gate| gate.open());
        places
    }
}

/// A range that is held, until this is dropped.
#[must_use = "the range is released at once"]
pub struct RangeGuard<'a, S: Sys = StdSys> {
    lock: &'a RangeLock<S>,
    place: Place,
}

impl<S: Sys> RangeGuard<'_, S> {
    /// The range.
    pub fn range(&self) -> Range<u64> {
        self.place.range.clone()
    }

    /// What it is held for.
    pub fn mode(&self) -> Mode {
        self.place.mode
    }

    /// The parts before `at`, and from there on.
    ///
    /// # Panics
    /// If one of them would be empty; the range is released.
    pub fn split(self, at: u64) -> (Self, Self) {
        let Place { range, mode, .. } = self.place.clone();
        assert!(
            range.start < at && at < range.end,
            "{at} does not split {range:?} in two"
        );
        let lock = self.lock;
        let parts = [(range.start..at, mode), (at..range.end, mode)];
        let [head, tail]: [Place; 2] = self.become_parts(&parts).try_into().expect("two parts");
        (
            RangeGuard { lock, place: head },
            RangeGuard { lock, place: tail },
        )
    }

    /// Keeps a part, and releases the rest.
    ///
    /// # Panics
    /// If the part is empty, or not one of the range; the range is held as before until the guard is dropped.
    pub fn shrink(&mut self, to: Range<u64>) {
        let Place { range, mode, .. } = &self.place;
        assert!(
            range.start <= to.start && to.start < to.end && to.end <= range.end,
            "{to:?} is no part of {range:?}"
        );
        self.place = self.lock.replace(&self.place, &[(to, *mode)]).remove(0);
    }

    /// Goes on for reading. One that was for reading stays as it is.
    pub fn downgrade(&mut self) {
        if self.place.mode == Mode::Write {
            let part = (self.range(), Mode::Read);
            self.place = self.lock.replace(&self.place, &[part]).remove(0);
        }
    }

    /// Parts in the place of the range, which is no longer this guard's to release.
    fn become_parts(self, parts: &[(Range<u64>, Mode)]) -> Vec<Place> {
        let places = self.lock.replace(&self.place, parts);
        std::mem::forget(self);
        places
    }
}

impl<S: Sys> Drop for RangeGuard<'_, S> {
    fn drop(&mut self) {
        self.lock.replace(&self.place, &[]);
    }
}

impl<S: Sys> fmt::Debug for RangeGuard<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {:?}", self.place.mode, self.place.range)
    }
}
