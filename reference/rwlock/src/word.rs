//! The whole protocol state of `BatchQueue`, with a budget or without, in one word, each action of the specification a pure function.
//!
//! Writers queue at the tail and there is at most one pending batch of readers, so the queue of `Rwsem.tla` is three counts:
//! the writers ahead of the waiting readers, the waiting readers, the writers behind them.
//!
//! | field   | what                                                            | at its limit                         |
//! |---------|-----------------------------------------------------------------|--------------------------------------|
//! | active  | readers inside                                                  | from half of it on a reader that arrives queues |
//! | writer  | a writer is inside                                              |                                      |
//! | ahead   | writers waiting, ahead of the waiting readers if there are any  | full                                 |
//! | readers | readers waiting                                                 | full                                 |
//! | behind  | writers waiting behind the readers                              | as `ahead`: the sum counts           |
//! | ticket  | of the next writer that queues                                  | wraps                                |
//! | batch   | number of the batch that waiting readers are in                 | wraps                                |
//! | called  | the head of the queue is to look for itself: `roused`           |                                      |
//! | passed  | how many have entered past the head                             | the budget, which is no more         |
//!
//! A [`Layout`] says how wide they are. The last two are there only with a budget; they belong to the head, and every grant clears them.
//!
//! [`WordOf::queue`] gives `None` where the field is full, and changes nothing: the caller yields and tries again, unordered until it has queued.

use core::marker::PhantomData;

use crate::kind::Kind;
use crate::layout::{Layout, NoBudget};

/// The lock's state: who is inside, and who waits, as counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WordOf<L>(u64, PhantomData<fn() -> L>);

/// The word of a lock without a budget.
pub type Word = WordOf<NoBudget>;

/// What an atomic step of the lock is; each name is an action of `Rwsem.tla` or `RwsemBudget.tla`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Action {
    /// `Enter`: a task takes the lock on arrival.
    Enter(Kind),
    /// `Queue`: a task starts to wait.
    Queue(Kind),
    /// `Release`: a holder leaves, and grants nothing yet.
    Release(Kind),
    /// `Downgrade`: the writer inside becomes a reader, and the readers at the head of the queue enter with it.
    Downgrade,
    /// `Wake`: the last holder that left grants the lock to the head of the queue.
    Wake,
    /// `Rouse`: it leaves the lock free, and calls the head, which is to look for itself.
    Rouse,
    /// `Take`: who is called takes the lock, a reader for its whole batch.
    Take,
    /// `Miss`: who is called has looked in vain, and is to be called again.
    Miss,
}

/// The lock goes to waiters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Grant {
    /// To all waiting readers: the number of their batch.
    Readers(u32),
    /// To the first waiting writer: its ticket.
    Writer(u32),
}

/// The fields of a [`Word`], for tests and traces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Counts {
    /// Readers inside, a downgraded writer among them.
    pub active: u32,
    /// A writer is inside.
    pub writer: bool,
    /// Writers that wait ahead of the waiting readers, or alone.
    pub ahead: u32,
    /// Readers that wait.
    pub readers: u32,
    /// Writers that wait behind the waiting readers; 0 if no reader waits.
    pub behind: u32,
}

impl<L: Layout> WordOf<L> {
    const ACTIVE: u64 = (1 << L::ACTIVE) - 1;
    const ACTIVE_FULL: u64 = 1 << (L::ACTIVE - 1);
    const WRITER: u64 = 1 << L::ACTIVE;
    const AHEAD_SHIFT: u32 = L::ACTIVE + 1;
    const READERS_SHIFT: u32 = Self::AHEAD_SHIFT + L::COUNT;
    const BEHIND_SHIFT: u32 = Self::READERS_SHIFT + L::COUNT;
    const TICKET_SHIFT: u32 = Self::BEHIND_SHIFT + L::COUNT;
    const BATCH_SHIFT: u32 = Self::TICKET_SHIFT + L::TICKET;
    const CALLED_SHIFT: u32 = Self::BATCH_SHIFT + L::BATCH;
    const COUNT: u64 = (1 << L::COUNT) - 1;
    const TICKETS: u64 = 1 << L::TICKET;
    const BATCHES: u64 = 1 << L::BATCH;
    const QUEUED: u64 = (Self::COUNT << Self::AHEAD_SHIFT)
        | (Self::COUNT << Self::READERS_SHIFT)
        | (Self::COUNT << Self::BEHIND_SHIFT);
    const HELD: u64 = Self::ACTIVE | Self::WRITER;
    /// The fields of those that come next, which no count is part of.
    const NEXT: u64 =
        ((Self::TICKETS - 1) << Self::TICKET_SHIFT) | ((Self::BATCHES - 1) << Self::BATCH_SHIFT);
    const HAS_BUDGET: bool = {
        assert!(L::COUNT < L::ACTIVE && L::COUNT <= L::TICKET);
        assert!(L::BUDGET >> L::PASSED == 0);
        let budget = if L::PASSED > 0 { 1 + L::PASSED } else { 0 };
        assert!(Self::CALLED_SHIFT + budget <= 64);
        L::BUDGET > 0
    };
    /// No bit without a budget.
    const CALLED: u64 = if Self::HAS_BUDGET {
        1 << Self::CALLED_SHIFT
    } else {
        0
    };
    /// What a pass adds.
    const PASS: u64 = Self::CALLED << 1;

    /// `Init`: free, and nobody waits.
    pub const FREE: Self = Self::starting_at(0, 0);

    /// A free lock whose next ticket and batch are given, each modulo its width; for tests of the wrap-around.
    pub const fn starting_at(ticket: u32, batch: u32) -> Self {
        Self::from_bits(
            ((ticket as u64 % Self::TICKETS) << Self::TICKET_SHIFT)
                | ((batch as u64 % Self::BATCHES) << Self::BATCH_SHIFT),
        )
    }

    /// The word as a number.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The word of a number that [`WordOf::bits`] gave.
    pub const fn from_bits(bits: u64) -> Self {
        WordOf(bits, PhantomData)
    }

    /// The fields that the specification of the lock without a budget knows.
    pub const fn counts(self) -> Counts {
        Counts {
            active: (self.0 & Self::ACTIVE) as u32,
            writer: self.0 & Self::WRITER != 0,
            ahead: self.count(Self::AHEAD_SHIFT) as u32,
            readers: self.count(Self::READERS_SHIFT) as u32,
            behind: self.count(Self::BEHIND_SHIFT) as u32,
        }
    }

    /// The same word with other counts, which the caller keeps below their limits; for tests.
    pub const fn with_counts(self, counts: Counts) -> Self {
        let Counts {
            active,
            writer,
            ahead,
            readers,
            behind,
        } = counts;
        let queued = ((ahead as u64) << Self::AHEAD_SHIFT)
            | ((readers as u64) << Self::READERS_SHIFT)
            | ((behind as u64) << Self::BEHIND_SHIFT);
        let inside = active as u64 | if writer { Self::WRITER } else { 0 };
        Self::from_bits((self.0 & !(Self::HELD | Self::QUEUED)) | queued | inside)
    }

    /// Somebody waits.
    pub const fn has_waiters(self) -> bool {
        self.0 & Self::QUEUED != 0
    }

    /// Somebody is inside.
    pub const fn is_held(self) -> bool {
        self.0 & Self::HELD != 0
    }

    /// A writer is inside.
    pub const fn is_write_held(self) -> bool {
        self.0 & Self::WRITER != 0
    }

    /// `roused`: the head has been called, and has not looked yet.
    pub const fn is_called(self) -> bool {
        self.0 & Self::CALLED != 0
    }

    /// How many have entered past the head of the queue.
    pub const fn passed(self) -> u32 {
        if Self::HAS_BUDGET {
            (self.0 >> Self::CALLED_SHIFT >> 1) as u32 & ((1 << L::PASSED) - 1)
        } else {
            0
        }
    }

    /// Somebody waits, and no arrival may pass before the head has the lock.
    #[inline]
    pub const fn is_closed(self) -> bool {
        self.has_waiters() && self.passed() >= L::BUDGET
    }

    /// `Enter`: a task of this kind takes the lock, if the lock's state lets it in and nobody waits, or it may pass those that do.
    #[inline]
    pub const fn enter(self, kind: Kind) -> Option<Self> {
        if self.0 & (Self::excluded(kind) | Self::QUEUED) == 0 {
            return Some(Self::from_bits(self.0 + Self::unit(kind)));
        }
        if Self::HAS_BUDGET && self.0 & Self::excluded(kind) == 0 && self.may_pass() {
            return Some(Self::from_bits(self.0 + Self::unit(kind) + Self::PASS));
        }
        None
    }

    /// `MayPass`: some of the budget is left, and the lock is not that of a task between its `Release` and its `Wake`.
    const fn may_pass(self) -> bool {
        self.passed() < L::BUDGET && (self.is_held() || self.is_called())
    }

    /// The bits with which a task of this kind cannot be inside.
    const fn excluded(kind: Kind) -> u64 {
        match kind {
            Kind::Reader => Self::WRITER | Self::ACTIVE_FULL,
            Kind::Writer => Self::HELD,
        }
    }

    /// `Queue`: a task of this kind waits, for the grant that is returned; a reader in the one pending batch, a writer at the
    /// tail. `None` if the field is full.
    pub const fn queue(self, kind: Kind) -> Option<(Self, Grant)> {
        match kind {
            Kind::Reader => {
                if self.count(Self::READERS_SHIFT) == Self::COUNT {
                    return None;
                }
                Some((
                    Self::from_bits(self.0 + (1 << Self::READERS_SHIFT)),
                    Grant::Readers(self.batch() as u32),
                ))
            }
            Kind::Writer => {
                if self.waiting_writers() == Self::COUNT {
                    return None;
                }
                let shift = if self.count(Self::READERS_SHIFT) > 0 {
                    Self::BEHIND_SHIFT
                } else {
                    Self::AHEAD_SHIFT
                };
                Some((
                    Self::from_bits(self.0 + (1 << shift)).next_ticket(),
                    Grant::Writer(self.ticket() as u32),
                ))
            }
        }
    }

    /// Whether a task that has queued for this grant has it: its ticket, or its batch, waits no more. True until the task has left the
    /// lock, since no other writer, or batch, is granted it before; what comes after that is for another task. Who passes has no
    /// ticket, and changes no batch.
    pub const fn is_granted(self, grant: Grant) -> bool {
        match grant {
            Grant::Readers(batch) => batch as u64 != self.batch(),
            Grant::Writer(ticket) => {
                // So many have queued since.
                let later = (self.ticket() + Self::TICKETS - 1 - ticket as u64) % Self::TICKETS;
                later >= self.waiting_writers()
            }
        }
    }

    /// What [`WordOf::release`] subtracts, for a holder of this kind (a downgraded writer is a reader).
    pub const fn unit(kind: Kind) -> u64 {
        match kind {
            Kind::Reader => 1,
            Kind::Writer => Self::WRITER,
        }
    }

    /// `Release`: a holder leaves.
    #[inline]
    pub const fn release(self, kind: Kind) -> Self {
        Self::from_bits(self.0 - Self::unit(kind))
    }

    /// After a `Release`: the task was the last one inside, somebody waits, and the head has not been called, so that it must go on to
    /// [`WordOf::wake`] or [`WordOf::rouse`]. Until it does, the lock is free but belongs to that task, and every arrival queues.
    #[inline]
    pub const fn must_wake(self) -> bool {
        self.0 & (Self::HELD | Self::CALLED) == 0 && self.has_waiters()
    }

    /// `Wake`: the lock goes to the first writer, or to all waiting readers if they are at the head. `None`, and nothing
    /// changed, if nobody waits.
    pub const fn wake(self) -> (Self, Option<Grant>) {
        if self.count(Self::AHEAD_SHIFT) > 0 {
            let granted = self.0 - (1 << Self::AHEAD_SHIFT) + Self::WRITER;
            return (Self::from_bits(granted).settled(), Some(self.head()));
        }
        self.grant_readers()
    }

    /// `Rouse`: the lock stays free, and who waits for the grant that is returned is called. `None` if the budget is spent, or
    /// nobody waits.
    pub const fn rouse(self) -> Option<(Self, Grant)> {
        if !self.has_waiters() || self.is_closed() {
            return None;
        }
        Some((Self::from_bits(self.0 | Self::CALLED), self.head()))
    }

    /// Who waits for this grant is at the head, and has been called: it must look.
    pub const fn calls(self, grant: Grant) -> bool {
        self.is_called()
            && self.has_waiters()
            && match (self.head(), grant) {
                (Grant::Readers(head), Grant::Readers(number))
                | (Grant::Writer(head), Grant::Writer(number)) => head == number,
                _ => false,
            }
    }

    /// `Take`: who waits for this grant, and is called, takes the lock, if the lock's state lets it in; a reader for its whole batch.
    pub const fn take(self, grant: Grant) -> Option<Self> {
        let kind = match grant {
            Grant::Readers(_) => Kind::Reader,
            Grant::Writer(_) => Kind::Writer,
        };
        if self.calls(grant) && self.0 & Self::excluded(kind) == 0 {
            Some(self.wake().0)
        } else {
            None
        }
    }

    /// `Miss`: who is called has looked in vain.
    pub const fn miss(self) -> Self {
        Self::from_bits(self.0 & !Self::CALLED)
    }

    /// `Downgrade`: the writer inside becomes a reader; the waiting readers enter with it if no writer is ahead of them.
    pub const fn downgrade(self) -> (Self, Option<Grant>) {
        let word = Self::from_bits(self.0 - Self::WRITER + 1);
        if word.count(Self::AHEAD_SHIFT) > 0 {
            (word, None)
        } else {
            word.grant_readers()
        }
    }

    /// All waiting readers enter; the writers behind them are then at the head.
    const fn grant_readers(self) -> (Self, Option<Grant>) {
        let readers = self.count(Self::READERS_SHIFT);
        if readers == 0 {
            return (self, None);
        }
        let inside = self.0 & Self::HELD;
        let tickets = self.0 & ((Self::TICKETS - 1) << Self::TICKET_SHIFT);
        let next_batch = (self.batch() + 1) % Self::BATCHES;
        let word = (inside + readers)
            | (self.count(Self::BEHIND_SHIFT) << Self::AHEAD_SHIFT)
            | tickets
            | (next_batch << Self::BATCH_SHIFT);
        (Self::from_bits(word), Some(self.head()))
    }

    /// `Settle`: the head has gone, and its call and who passed it with it.
    const fn settled(self) -> Self {
        Self::from_bits(self.0 & (Self::HELD | Self::QUEUED | Self::NEXT))
    }

    const fn count(self, shift: u32) -> u64 {
        (self.0 >> shift) & Self::COUNT
    }

    const fn waiting_writers(self) -> u64 {
        self.count(Self::AHEAD_SHIFT) + self.count(Self::BEHIND_SHIFT)
    }

    const fn ticket(self) -> u64 {
        (self.0 >> Self::TICKET_SHIFT) % Self::TICKETS
    }

    /// What the head of the queue waits for, if somebody waits: the first writer's ticket, or the batch of readers ahead of all.
    const fn head(self) -> Grant {
        if self.count(Self::AHEAD_SHIFT) > 0 {
            let first = (self.ticket() + Self::TICKETS - self.waiting_writers()) % Self::TICKETS;
            Grant::Writer(first as u32)
        } else {
            Grant::Readers(self.batch() as u32)
        }
    }

    const fn batch(self) -> u64 {
        (self.0 >> Self::BATCH_SHIFT) % Self::BATCHES
    }

    const fn next_ticket(self) -> Self {
        let next = (self.ticket() + 1) % Self::TICKETS;
        let others = self.0 & !((Self::TICKETS - 1) << Self::TICKET_SHIFT);
        Self::from_bits(others | (next << Self::TICKET_SHIFT))
    }
}

impl<L: Layout> core::fmt::Debug for WordOf<L> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Counts {
            active,
            writer,
            ahead,
            readers,
            behind,
        } = self.counts();
        f.write_str("Word(")?;
        match writer {
            true => f.write_str("writer")?,
            false => write!(f, "{active} readers")?,
        }
        write!(
            f,
            " | {ahead}w {readers}r {behind}w | ticket {} batch {}",
            self.ticket(),
            self.batch()
        )?;
        if Self::HAS_BUDGET {
            write!(f, " | passed {}", self.passed())?;
        }
        f.write_str(if self.is_called() { ", called)" } else { ")" })
    }
}
