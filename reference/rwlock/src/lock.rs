//! The lock without a value: policy `BatchQueue` of `specs/rwsem/Rwsem.tla`.
//!
//! A task that waits gets the lock, if every holder leaves it: a reader is overtaken by nobody, a writer by no other writer and
//! at most once by each reader (one that joins the batch of readers already waiting ahead of it). That holds from the moment
//! the task has queued, for up to 2047 readers and 2047 writers that wait at once; beyond that an arrival yields and tries again,
//! without a place in the queue.
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
//! Each line is one atomic step on one word ([`Word`]). Between `Release` and `Wake` the lock is free but belongs to the task that
//! released it: there are waiters, so that every arrival queues. A waiter waits on a futex word, one for the batch of readers
//! and four for the writers, by ticket: a grant is first a step on the word, then a store to the futex word that says which
//! ticket or batch has the lock, then a wake-up, if a sleeper has set its bit there.
//!
//! Without contention a lock and an unlock are one atomic read-modify-write each. Nothing is allocated. A task spins a bounded
//! number of times before it arrives, while nobody waits, and again before it sleeps.

use core::marker::PhantomData;

use crate::kind::Kind;
use crate::probe::{NoProbe, Probe};
use crate::protocol::{Arrival, BatchQueue, Protocol};
#[cfg(feature = "std")]
use crate::sys::StdSys;
use crate::sys::{AtomicWord, Futex, Ordering, Sys};
use crate::word::{Action, Grant, Word};

/// Room for [`Sys::WRITER_FUTEXES`].
const WRITER_FUTEXES: usize = 4;

/// A waiter sleeps, or is about to.
const SLEEPER: u32 = 1;

/// The lock without a value, over its system, a probe, and its rules. 32 bytes as published.
pub struct RawBarrierRwLock<S: Sys, P = NoProbe, R = BatchQueue> {
    word: S::Word,
    reader_futex: S::Futex,
    writer_futexes: [S::Futex; WRITER_FUTEXES],
    probe: P,
    rules: PhantomData<R>,
}

#[cfg(feature = "std")]
impl RawBarrierRwLock<StdSys> {
    /// A free lock.
    pub const fn new() -> Self {
        RawBarrierRwLock {
            word: StdSys::word(Word::FREE.bits()),
            reader_futex: StdSys::futex(),
            writer_futexes: [const { StdSys::futex() }; WRITER_FUTEXES],
            probe: NoProbe,
            rules: PhantomData,
        }
    }
}

#[cfg(feature = "std")]
impl Default for RawBarrierRwLock<StdSys> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Sys, P: Probe, R: Protocol> RawBarrierRwLock<S, P, R> {
    /// A lock in a state that nobody waits in, and that `probe` observes.
    pub fn with(word: Word, probe: P) -> Self {
        RawBarrierRwLock {
            word: S::Word::new(word.bits()),
            reader_futex: S::Futex::new(),
            writer_futexes: core::array::from_fn(|_| S::Futex::new()),
            probe,
            rules: PhantomData,
        }
    }

    /// The state at some moment between the call and the return.
    pub fn snapshot(&self) -> Word {
        Word::from_bits(self.word.load())
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
        let before = Word::from_bits(self.word.fetch_sub(Word::unit(kind), Ordering::Release));
        let after = before.release(kind);
        self.probe.step(before, Action::Release(kind), after);
        if R::must_wake(after) {
            self.wake();
        }
    }

    /// Turns a lock held for writing into one held for reading; no other writer gets in between.
    ///
    /// # Safety
    ///
    /// The caller holds the lock for writing.
    pub unsafe fn downgrade(&self) {
        // Release: a reader that enters next sees what was written.
        let step = self.word.update(Ordering::Release, |bits| {
            Some(R::downgrade(Word::from_bits(bits)).0.bits())
        });
        self.granted(Action::Downgrade, step, R::downgrade);
    }

    /// [`acquire`](Self::acquire), to be released when what it returns is dropped.
    pub fn hold(&self, kind: Kind) -> Hold<'_, S, P, R> {
        self.acquire(kind);
        Hold { lock: self, kind }
    }

    /// [`try_acquire`](Self::try_acquire), to be released when what it returns is dropped.
    pub fn try_hold(&self, kind: Kind) -> Option<Hold<'_, S, P, R>> {
        let lock = self;
        self.try_acquire(kind).then(|| Hold { lock, kind })
    }

    fn entered(bits: u64, kind: Kind) -> Option<u64> {
        R::enter(Word::from_bits(bits), kind).map(Word::bits)
    }

    #[cold]
    fn acquire_slowly(&self, kind: Kind) {
        if self.spin_before_arrival(kind) {
            return;
        }
        loop {
            let step = self.word.update(Ordering::Acquire, |bits| {
                match R::arrive(Word::from_bits(bits), kind) {
                    (_, Arrival::Full) => None,
                    (after, _) => Some(after.bits()),
                }
            });
            let Some(step) = step else {
                S::yield_now();
                continue;
            };
            match R::arrive(Word::from_bits(step.0), kind).1 {
                Arrival::Queued(grant) => {
                    self.took(Action::Queue(kind), step);
                    self.wait_for(grant);
                }
                _ => self.took(Action::Enter(kind), step),
            }
            return;
        }
    }

    /// True: it has entered. A task that spins has not arrived: it gives up as soon as anybody waits.
    fn spin_before_arrival(&self, kind: Kind) -> bool {
        for _ in 0..S::SPINS_BEFORE_ARRIVAL {
            if self.snapshot().has_waiters() {
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

    #[cold]
    fn wake(&self) {
        // Acquire: what all who were inside have done comes before what the next holder does.
        let step = self.word.update(Ordering::Acquire, |bits| {
            Some(R::wake(Word::from_bits(bits)).0.bits())
        });
        self.granted(Action::Wake, step, R::wake);
    }

    /// Reports a step that may grant the lock, and publishes the grant.
    fn granted(
        &self,
        action: Action,
        step: Option<(u64, u64)>,
        rule: fn(Word) -> (Word, Option<Grant>),
    ) {
        let Some(step) = step else { return };
        self.took(action, step);
        if let (_, Some(grant)) = rule(Word::from_bits(step.0)) {
            self.publish(grant);
        }
    }

    /// The futex word of a grant, and what it says once the grant is published. Never 0, which is how it begins.
    fn mark(&self, grant: Grant) -> (&S::Futex, u32) {
        match grant {
            Grant::Readers(batch) => (&self.reader_futex, (batch + 1) << 1),
            Grant::Writer(ticket) => (
                &self.writer_futexes[ticket as usize % S::WRITER_FUTEXES],
                (ticket + 1) << 1,
            ),
        }
    }

    fn publish(&self, grant: Grant) {
        let (futex, mark) = self.mark(grant);
        let address = core::ptr::from_ref(futex);
        // From here on the lock is another task's, which may end its life: only the address is used.
        if futex.swap(mark, Ordering::Release) & SLEEPER != 0 {
            S::Futex::wake_all(address);
        }
    }

    /// The mark of an earlier grant cannot be taken for this one: between two grants with one mark the same futex word has had
    /// others, and a waiter's own grant is the last one there until it has left.
    fn wait_for(&self, grant: Grant) {
        let (futex, mark) = self.mark(grant);
        let is_mine = |value: u32| value & !SLEEPER == mark;
        for _ in 0..S::SPINS_BEFORE_SLEEP {
            if is_mine(futex.load(Ordering::Acquire)) {
                return;
            }
            S::spin_hint();
        }
        loop {
            // The bit is set before each sleep; the futex looks once more whether the value is still that.
            let value = futex.fetch_or(SLEEPER, Ordering::Acquire);
            if is_mine(value) {
                return;
            }
            futex.wait(value | SLEEPER);
        }
    }

    #[inline]
    fn took(&self, action: Action, (before, after): (u64, u64)) {
        self.probe
            .step(Word::from_bits(before), action, Word::from_bits(after));
    }
}

/// The lock is held until this is dropped, on any system: `lock_api`'s guards are for the published lock only.
pub struct Hold<'a, S: Sys, P: Probe, R: Protocol> {
    lock: &'a RawBarrierRwLock<S, P, R>,
    kind: Kind,
}

impl<S: Sys, P: Probe, R: Protocol> Drop for Hold<'_, S, P, R> {
    fn drop(&mut self) {
        // SAFETY: acquired for this kind when this was made, and released nowhere else.
        unsafe { self.lock.release(self.kind) }
    }
}
