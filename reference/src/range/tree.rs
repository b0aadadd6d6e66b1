//! What a range lock decides: an interval tree of the ranges that are held or waited for, each of which counts those that it waits
//! for. Without threads and without a clock: [`RangeLock`](super::lock::RangeLock) and [`Machine`](super::machine::Machine) are it.
//!
//! ```text
//! lock(r):     r.blocking = how many in the tree conflict  ->  insert r, and wait while it is not 0         Lock, Wait
//!              all of them wait, and none has been passed too often  ->  r holds, and each waits for it     Pass
//! unlock(r):   remove r, and take it off the count of each that conflicts                                   Unlock
//! replace(r):  put parts of r in its place: each that conflicted waits for the parts that still do          Narrow
//! give up(r):  as unlock, but only those that came after r have counted it                                  Interrupt
//! ```
//!
//! A range is looked up in a balanced tree, so that a call costs a logarithm of the ranges there, and a step for each that overlaps
//! and for the few that came last. Who leaves looks for others only while somebody waits.

use std::ops::Range;

use super::intervals::Intervals;
use super::policy::{Keeps, Leaves, Policy};

/// What a range is locked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// For reading, beside others that read.
    Read,
    /// For writing, beside nobody.
    Write,
}

/// A range in the tree, by its place in the order of arrival. The parts of a range that was split have one ticket.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Its sequence number.
    pub ticket: u64,
    /// Its cells.
    pub range: Range<u64>,
    /// What it is locked for.
    pub mode: Mode,
}

/// What becomes of a range that arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// It is held: nothing conflicts.
    Lock,
    /// It is held: what conflicts waits, and was passed.
    Pass,
    /// It waits for so many.
    Wait(usize),
}

/// A range in the tree, and its account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The range.
    pub place: Place,
    /// How many ranges it waits for; none if it is held.
    pub blocking: usize,
    /// By how many it has been passed as it waits.
    pub passed: usize,
}

impl Entry {
    fn conflicts(&self, mode: Mode) -> bool {
        self.place.mode == Mode::Write || mode == Mode::Write
    }

    /// Takes one off its account: whether it holds its range now.
    fn take_off(&mut self) -> bool {
        self.blocking -= 1;
        let holds = self.blocking == 0;
        if holds {
            self.passed = 0;
        }
        holds
    }
}

/// The ranges of one lock.
#[derive(Debug, Clone)]
pub struct Tree {
    entries: Intervals,
    /// How many of them wait.
    waiting: usize,
    next: u64,
    policy: Policy,
}

impl Tree {
    /// No range.
    pub fn new(policy: Policy) -> Self {
        Tree::with(policy, [])
    }

    /// These ranges, as [`Tree::entries`] gave them.
    pub fn with(policy: Policy, entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut tree = Tree {
            entries: Intervals::new(),
            waiting: 0,
            next: 0,
            policy,
        };
        for entry in entries {
            tree.next = tree.next.max(entry.place.ticket + 1);
            tree.insert(entry);
        }
        tree
    }

    /// Every range, in the order of arrival.
    pub fn entries(&self) -> Vec<Entry> {
        let mut entries: Vec<Entry> = self.entries.iter().cloned().collect();
        let waiting = entries.iter().filter(|entry| entry.blocking > 0);
        debug_assert_eq!(self.waiting, waiting.count());
        entries.sort_unstable_by_key(|entry| (entry.place.ticket, entry.place.range.start));
        entries
    }

    /// A range arrives. It must not be empty.
    #[inline]
    pub fn lock(&mut self, range: Range<u64>, mode: Mode) -> (Place, Arrival) {
        let arrival = self.arrival(&range, mode);
        (self.arrive(range, mode, arrival), arrival)
    }

    /// The same, if it need not wait. It must not be empty.
    #[inline]
    pub fn try_lock(&mut self, range: Range<u64>, mode: Mode) -> Option<(Place, Arrival)> {
        match self.arrival(&range, mode) {
            Arrival::Wait(_) => None,
            arrival => Some((self.arrive(range, mode, arrival), arrival)),
        }
    }

    /// A range that is held is released: the tickets of those that hold theirs now.
    #[inline]
    pub fn unlock(&mut self, place: &Place) -> Vec<u64> {
        self.remove(place);
        self.release(place, &[])
    }

    /// A range that is held makes room for parts of it, which are held in its place: these, and the tickets of those that hold
    /// theirs now. The parts lie in the range, do not overlap, and none is for writing if the range was not.
    pub fn replace(
        &mut self,
        place: &Place,
        parts: &[(Range<u64>, Mode)],
    ) -> (Vec<Place>, Vec<u64>) {
        self.remove(place);
        let ready = self.release(place, parts);
        let places = parts.iter().map(|(range, mode)| Place {
            ticket: place.ticket,
            range: range.clone(),
            mode: *mode,
        });
        let places: Vec<Place> = places.collect();
        for place in &places {
            self.insert(Entry {
                place: place.clone(),
                blocking: 0,
                passed: 0,
            });
        }
        (places, ready)
    }

    /// What conflicted with a range waits for those of its parts that still do: the tickets of what holds its range now.
    #[inline]
    fn release(&mut self, place: &Place, parts: &[(Range<u64>, Mode)]) -> Vec<u64> {
        let mut ready = Vec::new();
        if self.waiting == 0 {
            return ready;
        }
        let keeps = self.policy.keeps;
        self.entries.overlapping(&place.range, |entry| {
            if entry.blocking == 0 || !entry.conflicts(place.mode) {
                return;
            }
            let waits_for = |(range, mode): &&(Range<u64>, Mode)| {
                overlap(range, &entry.place.range) && entry.conflicts(*mode)
            };
            let count = parts.iter().filter(waits_for).count();
            entry.blocking += match keeps {
                _ if parts.is_empty() => 0,
                Keeps::Parts => count,
                Keeps::Range => count.min(1),
                Keeps::All => count.max(1),
                Keeps::Nothing => 0,
            };
            if entry.take_off() {
                ready.push(entry.place.ticket);
            }
        });
        self.waiting -= ready.len();
        ready
    }

    /// A range that waits gives up: the tickets of those that hold theirs now. `None`, and no change: it does not wait, for it is held.
    pub fn interrupt(&mut self, place: &Place) -> Option<Vec<u64>> {
        let mut waits = false;
        self.entries.overlapping(&place.range, |entry| {
            waits |= entry.place == *place && entry.blocking > 0;
        });
        if !waits {
            return None;
        }
        self.remove(place);
        let mut ready = Vec::new();
        self.entries.overlapping(&place.range, |entry| {
            let counted = self.policy.leaves == Leaves::All || entry.place.ticket > place.ticket;
            if entry.blocking > 0 && entry.conflicts(place.mode) && counted && entry.take_off() {
                ready.push(entry.place.ticket);
            }
        });
        self.waiting -= ready.len();
        Some(ready)
    }

    /// What becomes of such a range if it arrives.
    #[inline]
    fn arrival(&mut self, range: &Range<u64>, mode: Mode) -> Arrival {
        let mut count = 0;
        let mut passes = true;
        self.entries.overlapping(range, |entry| {
            if entry.conflicts(mode) {
                count += 1;
                passes &= entry.blocking > 0 && entry.passed < self.policy.passes;
            }
        });
        match count {
            0 => Arrival::Lock,
            _ if passes => Arrival::Pass,
            _ => Arrival::Wait(count),
        }
    }

    #[inline]
    fn arrive(&mut self, range: Range<u64>, mode: Mode, arrival: Arrival) -> Place {
        if arrival == Arrival::Pass {
            self.entries.overlapping(&range, |entry| {
                if entry.conflicts(mode) {
                    entry.blocking += 1;
                    entry.passed += 1;
                }
            });
        }
        let place = Place {
            ticket: self.next,
            range,
            mode,
        };
        self.next += 1;
        self.insert(Entry {
            place: place.clone(),
            blocking: match arrival {
                Arrival::Wait(conflicts) => conflicts,
                Arrival::Lock | Arrival::Pass => 0,
            },
            passed: 0,
        });
        place
    }

    #[inline]
    fn insert(&mut self, entry: Entry) {
        self.waiting += usize::from(entry.blocking > 0);
        self.entries.insert(entry);
    }

    #[inline]
    fn remove(&mut self, place: &Place) {
        let blocking = self.entries.remove(place);
        debug_assert!(blocking.is_some(), "{place:?} is not in the tree");
        self.waiting -= usize::from(blocking.is_some_and(|blocking| blocking > 0));
    }
}

/// Have they a cell in common? Neither may be empty.
pub(super) fn overlap(left: &Range<u64>, right: &Range<u64>) -> bool {
    left.start < right.end && right.start < left.end
}
