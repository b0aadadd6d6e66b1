//! A lock of ranges, for reading and for writing: `specs/range/RangeTree.tla` in threads, and `RangeBias.tla`.
//!
//! It owns no data: ranges are numbers, of bytes, blocks or pages, and what they stand for is the caller's. Two ranges conflict if
//! they overlap and one of them is for writing. As [`RangeLock::new`] makes it, conflicting ranges are held in the order in which they
//! arrive, so that nobody starves; the price is that a range may wait behind a wide one that waits itself. With
//! [`RangeLock::passing`] a range that conflicts with waiters alone passes them, each of them so many times at most while it waits.
//!
//! A call takes one mutex, for a logarithm of the ranges there and a step for each that overlaps ([`Tree`](super::tree::Tree)). Who finds its range held,
//! and nobody waiting, looks a few times more before it arrives; who waits sleeps after a while, and is woken once, when it has its
//! range. [`RangeLock::biased`] spares readers the mutex while nobody writes.
//!
//! A wait may end: who gives up leaves, and lets in whom it alone has held back. A wait that ends as the range is granted has the range.
//!
//! Left out: recursion (who holds a range and asks for one that conflicts with it waits for itself). A holder that panics releases its
//! range as its guard is dropped.

use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::bias;
use super::policy::Policy;
use super::probe::{Probe as _, WordStep};
use super::ranges::{Coming, Ranges};
use super::sys::{Guarded, StdSys, Sys};
use super::tree::{Mode, Place};
use interlock_rwlock::sys::{AtomicWord, Ordering};

/// A lock of ranges. See the [module](self) for what it guarantees.
///
/// It keeps `specs/range/RangeTree.tla#Exclusion`, `specs/range/RangeTree.tla#NobodyWaitsInVain` and
/// `specs/range/RangeTree.tla#EachGetsIn`; where nobody passes, `specs/range/RangeTree.tla#Fifo` too.
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
    /// Who reads while nobody writes counts itself here. Closed for good if the lock is not biased.
    word: S::Word,
    ranges: S::Guarded<Ranges<S>>,
    probe: S::Probe,
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

    /// As [`RangeLock::new`], for what is read much and seldom written: while nobody writes, a reader takes no mutex, but counts
    /// itself in a word, as in an rwsem. The price is a writer's, and that of a range that is held behind it: it waits for the
    /// readers that are counted when it comes, whatever they read, though for none that comes after it. For the same reason
    /// [`RangeLock::try_write`] may find a range locked that nobody has.
    pub fn biased() -> Self {
        RangeLock::biased_with(Policy::TREE_FIFO)
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
        RangeLock::made(policy, false)
    }

    /// A lock of this design that is biased to readers.
    pub fn biased_with(policy: Policy) -> Self {
        RangeLock::made(policy, true)
    }

    fn made(policy: Policy, biased: bool) -> Self {
        RangeLock {
            word: S::Word::new(if biased { 0 } else { bias::CLOSED }),
            ranges: S::Guarded::new(Ranges::new(policy, biased)),
            probe: S::Probe::default(),
        }
    }

    /// Who sees what this lock does.
    pub fn probe(&self) -> &S::Probe {
        &self.probe
    }

    /// Locks a range for reading, and waits for it if need be.
    ///
    /// # Panics
    /// If the range is empty.
    #[inline]
    pub fn read(&self, range: Range<u64>) -> RangeGuard<'_, S> {
        let held = match self.count(&range) {
            Some(counted) => counted,
            None => self.lock(&range, Mode::Read),
        };
        self.guard(range, held)
    }

    /// Locks a range for writing, and waits for it if need be.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn write(&self, range: Range<u64>) -> RangeGuard<'_, S> {
        check(&range);
        let held = self.lock(&range, Mode::Write);
        self.guard(range, held)
    }

    /// Locks a range for reading, if it need not wait.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn try_read(&self, range: Range<u64>) -> Option<RangeGuard<'_, S>> {
        let held = self.count(&range).or_else(|| {
            self.probe.about();
            let place = self
                .ranges
                .with(|ranges| ranges.try_lock(&self.probe, &range, Mode::Read))?;
            Some(Held::Placed(place.ticket, Mode::Read))
        })?;
        Some(self.guard(range, held))
    }

    /// Locks a range for writing, if it need not wait.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn try_write(&self, range: Range<u64>) -> Option<RangeGuard<'_, S>> {
        check(&range);
        self.probe.about();
        let place = self.ranges.with(|ranges| {
            if ranges.try_close(&self.word, &self.probe) {
                ranges.try_lock(&self.probe, &range, Mode::Write)
            } else {
                None
            }
        })?;
        Some(self.guard(range, Held::Placed(place.ticket, Mode::Write)))
    }

    /// Locks a range for reading, and waits for it if need be, until the deadline at most.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn try_read_until(
        &self,
        range: Range<u64>,
        deadline: S::Deadline,
    ) -> Option<RangeGuard<'_, S>> {
        self.lock_until(range, Mode::Read, Some(deadline))
    }

    /// Locks a range for writing, and waits for it if need be, until the deadline at most. If the lock is [biased](RangeLock::biased),
    /// readers that have come meanwhile are in the tree, as beside a writer that does not give up.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn try_write_until(
        &self,
        range: Range<u64>,
        deadline: S::Deadline,
    ) -> Option<RangeGuard<'_, S>> {
        self.lock_until(range, Mode::Write, Some(deadline))
    }

    /// `Enter`, if the word is open.
    #[inline]
    fn count(&self, range: &Range<u64>) -> Option<Held> {
        check(range);
        self.word.update(Ordering::Acquire, bias::enter)?;
        self.probe.word(WordStep::Enter);
        Some(Held::Counted)
    }

    fn lock(&self, range: &Range<u64>, mode: Mode) -> Held {
        let ticket = self.arrive(range, mode, None);
        Held::Placed(ticket.expect("no deadline ends the wait"), mode)
    }

    fn lock_until(
        &self,
        range: Range<u64>,
        mode: Mode,
        deadline: Option<S::Deadline>,
    ) -> Option<RangeGuard<'_, S>> {
        check(&range);
        let counted = match mode {
            Mode::Read => self.count(&range),
            Mode::Write => None,
        };
        let arrives = || Some(Held::Placed(self.arrive(&range, mode, deadline)?, mode));
        let held = counted.or_else(arrives)?;
        Some(self.guard(range, held))
    }

    /// The ticket of a range that is held. `None`: the wait has ended before.
    #[inline]
    fn arrive(&self, range: &Range<u64>, mode: Mode, deadline: Option<S::Deadline>) -> Option<u64> {
        let mut looks = 0;
        loop {
            let may_look = looks < S::LOOKS_BEFORE_ARRIVAL;
            self.probe.about();
            let coming = self.ranges.with(|ranges| {
                let part = (range.clone(), mode);
                ranges.come(&self.word, &self.probe, part, may_look)
            });
            match coming {
                Coming::Holds(ticket) => return Some(ticket),
                Coming::Waits(ticket, gate) => {
                    let holds = gate.wait(deadline) || !self.give_up(ticket, range, mode);
                    return holds.then_some(ticket);
                }
                Coming::Looks => {
                    (0..1 << looks).for_each(|_| S::spin_hint());
                    looks += 1;
                }
            }
        }
    }

    /// The wait of this range ends. `false`: it was granted.
    #[cold]
    fn give_up(&self, ticket: u64, range: &Range<u64>, mode: Mode) -> bool {
        let place = Place {
            ticket,
            range: range.clone(),
            mode,
        };
        self.probe.about();
        let gates = self
            .ranges
            .with(|ranges| ranges.give_up(&self.probe, &place));
        gates.iter().flatten().for_each(|gate| gate.open());
        gates.is_some()
    }

    #[inline]
    fn guard(&self, range: Range<u64>, held: Held) -> RangeGuard<'_, S> {
        let lock = self;
        RangeGuard { lock, range, held }
    }

    /// Puts parts of a range that is held in its place, and wakes those that hold theirs now.
    fn replace(&self, place: &Place, parts: &[(Range<u64>, Mode)]) -> Vec<Place> {
        self.probe.about();
        let (places, gates) = self
            .ranges
            .with(|ranges| ranges.replace(&self.probe, place, parts));
        gates.iter().for_each(|gate| gate.open());
        places
    }

    /// `Leave`, and `Drain` of the last one.
    #[inline]
    fn leave(&self) {
        // Releases what was read; and the last one passes on what those before it have released.
        let before = self.word.fetch_sub(bias::ONE, Ordering::AcqRel);
        self.probe.word(WordStep::Leave);
        if bias::is_last(before) {
            self.drain();
        }
    }

    #[cold]
    fn drain(&self) {
        let gates = self.ranges.with(|ranges| ranges.drain(&self.probe));
        gates.iter().for_each(|gate| gate.open());
    }
}

impl<S: Sys<Deadline = Instant>> RangeLock<S> {
    /// Locks a range for reading, and waits for it if need be, so long at most. A time that is too long for the clock is endless.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use interlock::range::lock::RangeLock;
    ///
    /// let file = RangeLock::new();
    /// let written = file.write(0..4096);
    /// assert!(file.try_read_for(0..8192, Duration::from_millis(1)).is_none());
    /// drop(written);
    /// assert!(file.try_read_for(0..8192, Duration::ZERO).is_some());
    /// ```
    ///
    /// # Panics
    /// If the range is empty.
    pub fn try_read_for(&self, range: Range<u64>, timeout: Duration) -> Option<RangeGuard<'_, S>> {
        self.lock_until(range, Mode::Read, Instant::now().checked_add(timeout))
    }

    /// Locks a range for writing, and waits for it if need be, so long at most: as [`RangeLock::try_write_until`]. A time that is too long
    /// for the clock is endless.
    ///
    /// # Panics
    /// If the range is empty.
    pub fn try_write_for(&self, range: Range<u64>, timeout: Duration) -> Option<RangeGuard<'_, S>> {
        self.lock_until(range, Mode::Write, Instant::now().checked_add(timeout))
    }
}

#[inline]
fn check(range: &Range<u64>) {
    assert!(
        !range.is_empty(),
        "{range:?} is empty: there is nothing to lock"
    );
}

/// How a range is held. Without the range, which the guard of one that is counted keeps in registers.
#[derive(Clone, Copy)]
enum Held {
    /// For reading, counted in the word.
    Counted,
    /// In the tree, with this ticket.
    Placed(u64, Mode),
}

/// A range that is held, until this is dropped.
#[must_use = "the range is released at once"]
pub struct RangeGuard<'a, S: Sys = StdSys> {
    lock: &'a RangeLock<S>,
    range: Range<u64>,
    held: Held,
}

impl<S: Sys> RangeGuard<'_, S> {
    /// The range.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// What it is held for.
    pub fn mode(&self) -> Mode {
        match self.held {
            Held::Counted => Mode::Read,
            Held::Placed(_, mode) => mode,
        }
    }

    /// Where it is in the tree, if it is there.
    fn place(&self) -> Option<Place> {
        match self.held {
            Held::Counted => None,
            Held::Placed(ticket, mode) => Some(Place {
                ticket,
                range: self.range(),
                mode,
            }),
        }
    }

    /// Puts another place in the one that this is.
    fn placed(
        &mut self,
        Place {
            ticket,
            range,
            mode,
        }: Place,
    ) {
        self.range = range;
        self.held = Held::Placed(ticket, mode);
    }

    /// The parts before `at`, and from there on.
    ///
    /// # Panics
    /// If one of them would be empty; the range is released.
    pub fn split(self, at: u64) -> (Self, Self) {
        let Range { start, end } = self.range();
        assert!(
            start < at && at < end,
            "{at} does not split {start}..{end} in two"
        );
        let (head, tail) = (start..at, at..end);
        let lock = self.lock;
        let held = match self.place() {
            None => {
                // One more beside this one, in a word that may be closed: the crowd leaves when both have.
                lock.word
                    .update(Ordering::Relaxed, |word| Some(word + bias::ONE));
                [Held::Counted; 2]
            }
            Some(place) => {
                let parts = [head.clone(), tail.clone()].map(|part| (part, place.mode));
                let places = lock.replace(&place, &parts);
                <[Place; 2]>::try_from(places)
                    .expect("two parts")
                    .map(|part| Held::Placed(part.ticket, part.mode))
            }
        };
        // What it held is the parts' now.
        std::mem::forget(self);
        (lock.guard(head, held[0]), lock.guard(tail, held[1]))
    }

    /// Keeps a part, and releases the rest. A reader that a [biased](RangeLock::biased) lock counts keeps writers from the rest too.
    ///
    /// # Panics
    /// If the part is empty, or not one of the range; the range is held as before until the guard is dropped.
    pub fn shrink(&mut self, to: Range<u64>) {
        let Range { start, end } = self.range();
        assert!(
            start <= to.start && to.start < to.end && to.end <= end,
            "{to:?} is no part of {start}..{end}"
        );
        match self.place() {
            None => self.range = to,
            Some(place) => {
                let part = (to, place.mode);
                self.placed(self.lock.replace(&place, &[part]).remove(0));
            }
        }
    }

    /// Goes on for reading. One that was for reading stays as it is.
    pub fn downgrade(&mut self) {
        if let Some(place) = self.place()
            && place.mode == Mode::Write
        {
            let part = (self.range(), Mode::Read);
            self.placed(self.lock.replace(&place, &[part]).remove(0));
        }
    }
}

impl<S: Sys> Drop for RangeGuard<'_, S> {
    #[inline]
    fn drop(&mut self) {
        match self.place() {
            None => self.lock.leave(),
            Some(place) => {
                self.lock.probe.about();
                let unlock = |ranges: &mut Ranges<S>| ranges.unlock(&self.lock.probe, &place);
                let gates = self.lock.ranges.with(unlock);
                gates.iter().for_each(|gate| gate.open());
            }
        }
    }
}

impl<S: Sys> fmt::Debug for RangeGuard<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {:?}", self.mode(), self.range())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who writes, and gives up, gives parts of it back or goes on for reading, writes no more when all of it is gone: readers are
    /// counted again.
    #[test]
    fn a_lock_opens_again_when_all_parts_of_writers_are_gone() {
        let lock = RangeLock::biased();
        let mut written = lock.write(0..8);
        assert!(lock.try_write_for(0..8, Duration::ZERO).is_none());
        written.shrink(0..4);
        let (head, mut tail) = written.split(2);
        tail.downgrade();
        drop((head, tail));
        for _ in 0..StdSys::READERS_BEFORE_OPEN {
            assert!(matches!(lock.read(0..1).held, Held::Placed(..)));
        }
        assert!(matches!(lock.read(0..1).held, Held::Counted));
    }

    /// One that asks for a range which a waiter alone keeps from it passes that waiter, as often as the lock was made for.
    #[test]
    fn who_waits_is_passed_as_often_as_was_asked_for() {
        for passes in [0, 1, 2] {
            let lock = RangeLock::passing(passes);
            let held = lock.write(0..4);
            let part = (0..8, Mode::Write);
            // It waits as soon as it has come: nobody has to sleep for it.
            let waits = lock
                .ranges
                .with(|ranges| ranges.come(&lock.word, &lock.probe, part, false));
            assert!(matches!(waits, Coming::Waits(..)));
            for _ in 0..passes {
                assert!(lock.try_write(4..8).is_some());
            }
            assert!(lock.try_write(4..8).is_none());
            drop(held);
        }
    }
}
