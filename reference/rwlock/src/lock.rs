//! The lock without a value: policy `BatchQueue` of `specs/rwsem/Rwsem.tla`, and with a [budget](Layout::BUDGET)
//! `specs/rwsem/RwsemBudget.tla`.
//!
//! Without a budget, a task that waits gets the lock, if every holder leaves it: a reader is overtaken by nobody, a writer by no other writer and
//! at most once by each reader (one that joins the batch of readers already waiting ahead of it). That holds from the moment
//! the task has queued, for up to 2047 readers and 2047 writers that wait at once; beyond that an arrival yields and tries again,
//! without a place in the queue. These are `specs/rwsem/Rwsem.tla#MutualExclusion`, `specs/rwsem/Rwsem.tla#NoIdleLockWithWaiters`,
//! `specs/rwsem/Rwsem.tla#ReaderProgress` and `specs/rwsem/Rwsem.tla#WriterProgress`, with the bounds of
//! `specs/rwsem/Overtaking.tla#BoundedOvertaking`; with a budget those of the same names in `specs/rwsem/RwsemBudget.tla`, and
//! `specs/rwsem/BudgetOvertaking.tla#BoundedOvertaking`.
//!
//! ```text
//! read, write:   nobody waits, and the lock's state lets me in  ->  I am inside                     Enter
//!                else  ->  I wait: a reader in the one batch of waiting readers, a writer at the tail  Queue
//! unlock:        I leave                                                                            Release
//!                I was the last one inside, and somebody waits  ->  grant the lock to the first
//!                writer, or to all waiting readers if they are at the head of the queue             Wake
//! downgrade:     I become a reader; if waiting readers are at the head of the queue, they enter     Downgrade
//! ```
//!
//! Each line is one atomic step on one word ([`WordOf`]). Between `Release` and `Wake` the lock is free but belongs to the task that
//! released it: there are waiters, so that every arrival queues. The word says whose turn it is: a waiter has the lock as soon as
//! its ticket, or its batch, is no longer among those that wait. Until then it looks at the word, and sleeps in the
//! [bed](crate::beds) of its ticket or batch, which whoever grants it the lock looks into: a grant wakes the writer, or the
//! readers, that it is for.
//!
//! ```text
//! wait:          set SLEEPER in my bed; the word says that I have the lock  ->  go on; sleep while the bed is as I left it; again
//! grant:         the step on the word; then, in the bed of whom it is for: clear SLEEPER, and if it was set, wake
//! ```
//!
//! With a budget the last one that leaves calls the first that waits instead, and leaves the lock free, until so many arrivals have
//! passed that one; then it grants as above.
//!
//! ```text
//! read, write:   the lock's state lets me in, and it is held, or the first that waits is called, and the budget is not spent
//!                ->  I am inside, past those that wait                                              Enter
//! unlock:        I was the last one inside, somebody waits, and the budget is not spent  ->  call the first   Rouse
//! wait:          I am called: the lock's state lets me in  ->  I have it, a reader with its batch   Take
//!                else  ->  I am not called any more, and go on waiting                              Miss
//! ```
//!
//! Without contention a lock and an unlock are one atomic read-modify-write each. Nothing is allocated. A task spins a bounded
//! number of times before it arrives, while nobody waits, and again before it sleeps.

use core::marker::PhantomData;

use crate::beds::{self, Beds};
use crate::kind::Kind;
use crate::layout::{Layout, NoBudget};
use crate::probe::{NoProbe, Probe};
use crate::rules::{Arrival, BatchQueue, Rules};
use crate::sys::{AtomicWord, ConstSys, Ordering, Sys};
use crate::word::{Action, Grant, WordOf};

/// The lock without a value, over its system, a probe, its rules, and the layout of its word. 8 bytes as published.
pub struct RawBarrierRwLock<S: Sys, P = NoProbe, R = BatchQueue, L = NoBudget> {
    word: S::Word,
    beds: S::Beds,
    probe: P,
    rules: PhantomData<(R, L)>,
}

impl<S: Sys, L: Layout> RawBarrierRwLock<S, NoProbe, BatchQueue, L> {
    /// A free lock, of a word of 0.
    pub(crate) const fn free(word: S::Word, beds: S::Beds) -> Self {
        assert!(WordOf::<L>::FREE.bits() == 0);
        RawBarrierRwLock {
            word,
            beds,
            probe: NoProbe,
            rules: PhantomData,
        }
    }
}

impl<S: ConstSys, L: Layout> RawBarrierRwLock<S, NoProbe, BatchQueue, L> {
    /// A free lock.
    pub const fn new() -> Self {
        <Self as lock_api::RawRwLock>::INIT
    }
}

impl<S: ConstSys, L: Layout> Default for RawBarrierRwLock<S, NoProbe, BatchQueue, L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Sys, P: Probe<L>, R: Rules<L>, L: Layout> RawBarrierRwLock<S, P, R, L> {
    /// A lock in a state that nobody waits in, and that `probe` observes.
    pub fn with(word: WordOf<L>, probe: P) -> Self {
        RawBarrierRwLock {
            word: S::Word::new(word.bits()),
            beds: S::Beds::new(),
            probe,
            rules: PhantomData,
        }
    }

    /// The state at some moment between the call and the return.
    pub fn snapshot(&self) -> WordOf<L> {
        WordOf::from_bits(self.word.load(Ordering::Relaxed))
    }

    /// The probe.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// Takes the lock, and waits for it if need be. The caller must [`release`](Self::release) it, as the same kind.
    #[inline]
    pub fn acquire(&self, kind: Kind) {
        let entered = self
            .word
            .attempt(Ordering::Acquire, |bits| Self::entered(bits, kind));
        match entered {
            Some(step) => self.took(Action::Enter(kind), step),
            None => self.acquire_slowly(kind),
        }
    }

    /// Takes the lock if it can do so at once.
    #[inline]
    pub fn try_acquire(&self, kind: Kind) -> bool {
        match self
            .word
            .update(Ordering::Acquire, |bits| Self::entered(bits, kind))
        {
            Some(step) => {
                self.took(Action::Enter(kind), step);
                true
            }
            None => false,
        }
    }

    /// Gives the lock back.
    ///
    /// # Safety
    ///
    /// The caller holds the lock, for this kind.
    #[inline]
    pub unsafe fn release(&self, kind: Kind) {
        let before = WordOf::from_bits(
            self.word
                .fetch_sub(WordOf::<L>::unit(kind), Ordering::Release),
        );
        let after = before.release(kind);
        self.probe.step(before, Action::Release(kind), after);
        // Before all else, and of the word as it was: without contention there is this test alone.
        if before.has_waiters() {
            self.see_to_waiters(after);
        }
    }

    /// Turns a lock held for writing into one held for reading; no other writer gets in between.
    ///
    /// # Safety
    ///
    /// The caller holds the lock for writing.
    pub unsafe fn downgrade(&self) {
        // Release: a reader that enters next sees what was written.
        self.grant(Ordering::Release, |word| {
            let (after, granted) = R::downgrade(word);
            (after, Action::Downgrade, granted)
        });
    }

    /// [`acquire`](Self::acquire), to be released when what it returns is dropped.
    pub fn hold(&self, kind: Kind) -> Hold<'_, S, P, R, L> {
        self.acquire(kind);
        Hold { lock: self, kind }
    }

    /// [`try_acquire`](Self::try_acquire), to be released when what it returns is dropped.
    pub fn try_hold(&self, kind: Kind) -> Option<Hold<'_, S, P, R, L>> {
        let lock = self;
        self.try_acquire(kind).then(|| Hold { lock, kind })
    }

    fn entered(bits: u64, kind: Kind) -> Option<u64> {
        R::enter(WordOf::from_bits(bits), kind).map(WordOf::bits)
    }

    #[cold]
    fn acquire_slowly(&self, kind: Kind) {
        if self.spin_before_arrival(kind) {
            return;
        }
        loop {
            let step = self.word.update(Ordering::Acquire, |bits| {
                match R::arrive(WordOf::from_bits(bits), kind) {
                    (_, Arrival::Full) => None,
                    (after, _) => Some(after.bits()),
                }
            });
            let Some(step) = step else {
                S::yield_now();
                continue;
            };
            match R::arrive(WordOf::from_bits(step.0), kind).1 {
                Arrival::Queued(grant) => {
                    self.took(Action::Queue(kind), step);
                    self.wait_for(grant);
                }
                _ => self.took(Action::Enter(kind), step),
            }
            return;
        }
    }

    /// True: it has entered. A task that spins has not arrived: it gives up as soon as anybody waits whom it may not pass.
    fn spin_before_arrival(&self, kind: Kind) -> bool {
        for _ in 0..S::SPINS_BEFORE_ARRIVAL {
            if self.snapshot().is_closed() {
                return false;
            }
            if let Some(step) = self
                .word
                .attempt(Ordering::Acquire, |bits| Self::entered(bits, kind))
            {
                self.took(Action::Enter(kind), step);
                return true;
            }
            S::spin_hint();
        }
        false
    }

    /// A release has made the word this, and somebody waits.
    #[cold]
    fn see_to_waiters(&self, released: WordOf<L>) {
        if !R::must_wake(released) {
            return;
        }
        // Relaxed: each Release before it heads a sequence of read-modify-writes that goes on with this one, and that who is granted
        // the lock, or takes it, reads from.
        self.grant(Ordering::Relaxed, R::see_to);
    }

    /// A step that may grant the lock or call the head, and the wake-up of whom it is granted to, or who is called.
    fn grant(
        &self,
        order: Ordering,
        rule: impl Fn(WordOf<L>) -> (WordOf<L>, Action, Option<Grant>),
    ) {
        // After the step the lock is another task's, which may end its life: no more of it is used than its address was.
        let (beds, lock) = (self.beds.clone(), self.address());
        let step = self
            .word
            .update(order, |bits| Some(rule(WordOf::from_bits(bits)).0.bits()));
        let Some(step) = step else { return };
        let (_, action, wakes) = rule(WordOf::from_bits(step.0));
        self.took(action, step);
        if let Some(grant) = wakes {
            beds::wake(beds.bed(lock, grant));
        }
    }

    fn wait_for(&self, grant: Grant) {
        for _ in 0..S::SPINS_BEFORE_SLEEP {
            let word = WordOf::<L>::from_bits(self.word.load(Ordering::Acquire));
            if word.is_granted(grant) || (R::take(word, grant).is_some() && self.looks(grant)) {
                return;
            }
            S::spin_hint();
        }
        beds::sleep(self.beds.bed(self.address(), grant), || {
            let word = WordOf::<L>::from_bits(self.word.load(Ordering::Acquire));
            word.is_granted(grant) || (word.calls(grant) && self.looks(grant))
        });
    }

    /// Who is called looks, for this grant; true: it has taken the lock. If not, it waits on.
    #[cold]
    fn looks(&self, grant: Grant) -> bool {
        // Acquire, for a Take: it sees what was done under the lock.
        let step = self.word.update(Ordering::Acquire, |bits| {
            R::look(WordOf::from_bits(bits), grant).map(|(after, ..)| after.bits())
        });
        let looked = step.and_then(|step| Some((step, R::look(WordOf::from_bits(step.0), grant)?)));
        let Some((step, (_, action, wakes))) = looked else {
            return false;
        };
        self.took(action, step);
        // One of its batch may have looked between the step before this one and this, and be about to sleep.
        if let Some(batch) = wakes {
            beds::wake(self.beds.bed(self.address(), batch));
        }
        action == Action::Take
    }

    fn address(&self) -> usize {
        core::ptr::from_ref(self).addr()
    }

    #[inline]
    fn took(&self, action: Action, (before, after): (u64, u64)) {
        self.probe
            .step(WordOf::from_bits(before), action, WordOf::from_bits(after));
    }
}

/// The lock is held until this is dropped, on any system: `lock_api`'s guards are for the published lock only.
pub struct Hold<'a, S: Sys, P: Probe<L>, R: Rules<L>, L: Layout = NoBudget> {
    lock: &'a RawBarrierRwLock<S, P, R, L>,
    kind: Kind,
}

impl<S: Sys, P: Probe<L>, R: Rules<L>, L: Layout> Drop for Hold<'_, S, P, R, L> {
    fn drop(&mut self) {
        // SAFETY: acquired for this kind when this was made, and released nowhere else.
        unsafe { self.lock.release(self.kind) }
    }
}
