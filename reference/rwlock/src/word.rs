//! The whole protocol state of `BatchQueue` in one word, each action of the specification a pure function.
//!
//! Writers queue at the tail and there is at most one pending batch of readers, so the queue of `Rwsem.tla` is three counts:
//! the writers ahead of the waiting readers, the waiting readers, the writers behind them.
//!
//! | field   | bits | what                                                            | at its limit                              |
//! |---------|------|-----------------------------------------------------------------|-------------------------------------------|
//! | active  | 14   | readers inside                                                  | from 8192 on a reader that arrives queues |
//! | writer  | 1    | a writer is inside                                              |                                           |
//! | ahead   | 11   | writers waiting, ahead of the waiting readers if there are any  | full at 2047 writers that wait            |
//! | readers | 11   | readers waiting                                                 | full at 2047                              |
//! | behind  | 11   | writers waiting behind the readers                              | as `ahead`: the sum counts                |
//! | ticket  | 12   | of the next writer that queues                                  | wraps                                     |
//! | batch   | 4    | number of the batch that waiting readers are in                 | wraps                                     |
//!
//! [`Word::queue`] gives `None` where the field is full, and changes nothing: the caller yields and tries again, unordered until it has queued.

use crate::kind::Kind;

const ACTIVE: u64 = (1 << 14) - 1;
const ACTIVE_FULL: u64 = 1 << 13;
const WRITER: u64 = 1 << 14;
const AHEAD_SHIFT: u32 = 15;
const READERS_SHIFT: u32 = 26;
const BEHIND_SHIFT: u32 = 37;
const TICKET_SHIFT: u32 = 48;
const BATCH_SHIFT: u32 = 60;
const COUNT: u64 = (1 << 11) - 1;
const TICKETS: u64 = 1 << 12;
const BATCHES: u64 = 1 << 4;
const QUEUED: u64 = (COUNT << AHEAD_SHIFT) | (COUNT << READERS_SHIFT) | (COUNT << BEHIND_SHIFT);

/// The lock's state: who is inside, and who waits, as counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(u64);

/// What an atomic step of the lock is; each name is an action of `Rwsem.tla`.
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
}

/// The lock goes to waiters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Grant {
    /// To all waiting readers: the number of their batch, below 16.
    Readers(u32),
    /// To the first waiting writer: its ticket, below 4096.
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

impl Word {
    /// `Init`: free, and nobody waits.
    pub const FREE: Word = Word::starting_at(0, 0);

    /// A free lock whose next ticket and batch are given, each modulo its width; for tests of the wrap-around.
    pub const fn starting_at(ticket: u32, batch: u32) -> Word {
        Word(
            ((ticket as u64 % TICKETS) << TICKET_SHIFT) | ((batch as u64 % BATCHES) << BATCH_SHIFT),
        )
    }

    /// The word as a number.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The word of a number that [`Word::bits`] gave.
    pub const fn from_bits(bits: u64) -> Word {
        Word(bits)
    }

    /// The fields that the specification knows.
    pub const fn counts(self) -> Counts {
        Counts {
            active: (self.0 & ACTIVE) as u32,
            writer: self.0 & WRITER != 0,
            ahead: self.count(AHEAD_SHIFT) as u32,
            readers: self.count(READERS_SHIFT) as u32,
            behind: self.count(BEHIND_SHIFT) as u32,
        }
    }

    /// The same ticket and batch with other counts, which the caller keeps below their limits; for tests.
    pub const fn with_counts(self, counts: Counts) -> Word {
        let Counts {
            active,
            writer,
            ahead,
            readers,
            behind,
        } = counts;
        let queued = ((ahead as u64) << AHEAD_SHIFT)
            | ((readers as u64) << READERS_SHIFT)
            | ((behind as u64) << BEHIND_SHIFT);
        let inside = active as u64 | if writer { WRITER } else { 0 };
        Word((self.0 >> TICKET_SHIFT << TICKET_SHIFT) | queued | inside)
    }

    /// Somebody waits.
    pub const fn has_waiters(self) -> bool {
        self.0 & QUEUED != 0
    }

    /// Somebody is inside.
    pub const fn is_held(self) -> bool {
        self.0 & (ACTIVE | WRITER) != 0
    }

    /// A writer is inside.
    pub const fn is_write_held(self) -> bool {
        self.0 & WRITER != 0
    }

    /// `Enter`: a task of this kind takes the lock, if the lock's state lets it in and nobody waits.
    #[inline]
    pub const fn enter(self, kind: Kind) -> Option<Word> {
        let (excluded, unit) = match kind {
            Kind::Reader => (QUEUED | WRITER | ACTIVE_FULL, 1),
            Kind::Writer => (QUEUED | WRITER | ACTIVE, WRITER),
        };
        if self.0 & excluded == 0 {
            Some(Word(self.0 + unit))
        } else {
            None
        }
    }

    /// `Queue`: a task of this kind waits, for the grant that is returned; a reader in the one pending batch, a writer at the
    /// tail. `None` if the field is full.
    pub const fn queue(self, kind: Kind) -> Option<(Word, Grant)> {
        match kind {
            Kind::Reader => {
                if self.count(READERS_SHIFT) == COUNT {
                    return None;
                }
                Some((
                    Word(self.0 + (1 << READERS_SHIFT)),
                    Grant::Readers(self.batch() as u32),
                ))
            }
            Kind::Writer => {
                if self.waiting_writers() == COUNT {
                    return None;
                }
                let shift = if self.count(READERS_SHIFT) > 0 {
                    BEHIND_SHIFT
                } else {
                    AHEAD_SHIFT
                };
                Some((
                    Word(self.0 + (1 << shift)).next_ticket(),
                    Grant::Writer(self.ticket() as u32),
                ))
            }
        }
    }

    /// Whether a task that has queued for this grant has it: its ticket, or its batch, waits no more. True until the task has left the
    /// lock, since no other writer, or batch, is granted it before; what comes after that is for another task.
    pub const fn is_granted(self, grant: Grant) -> bool {
        match grant {
            Grant::Readers(batch) => batch as u64 != self.batch(),
            Grant::Writer(ticket) => {
                // So many have queued since.
                let later = (self.ticket() + TICKETS - 1 - ticket as u64) % TICKETS;
                later >= self.waiting_writers()
            }
        }
    }

    /// What [`Word::release`] subtracts, for a holder of this kind (a downgraded writer is a reader).
    pub const fn unit(kind: Kind) -> u64 {
        match kind {
            Kind::Reader => 1,
            Kind::Writer => WRITER,
        }
    }

    /// `Release`: a holder leaves.
    #[inline]
    pub const fn release(self, kind: Kind) -> Word {
        Word(self.0 - Word::unit(kind))
    }

    /// After a `Release`: the task was the last one inside and somebody waits, so that it must go on to [`Word::wake`]. Until it
    /// does, the lock is free but belongs to that task, and every arrival queues.
    #[inline]
    pub const fn must_wake(self) -> bool {
        !self.is_held() && self.has_waiters()
    }

    /// `Wake`: the lock goes to the first writer, or to all waiting readers if they are at the head. `None`, and nothing
    /// changed, if nobody waits.
    pub const fn wake(self) -> (Word, Option<Grant>) {
        if self.count(AHEAD_SHIFT) > 0 {
            let first = (self.ticket() + TICKETS - self.waiting_writers()) % TICKETS;
            return (
                Word(self.0 - (1 << AHEAD_SHIFT) + WRITER),
                Some(Grant::Writer(first as u32)),
            );
        }
        self.grant_readers()
    }

    /// `Downgrade`: the writer inside becomes a reader; the waiting readers enter with it if no writer is ahead of them.
    pub const fn downgrade(self) -> (Word, Option<Grant>) {
        let word = Word(self.0 - WRITER + 1);
        if word.count(AHEAD_SHIFT) > 0 {
            (word, None)
        } else {
            word.grant_readers()
        }
    }

    /// All waiting readers enter; the writers behind them are then at the head.
    const fn grant_readers(self) -> (Word, Option<Grant>) {
        let readers = self.count(READERS_SHIFT);
        if readers == 0 {
            return (self, None);
        }
        let inside = self.0 & (ACTIVE | WRITER);
        let tickets = self.0 & ((TICKETS - 1) << TICKET_SHIFT);
        let next_batch = (self.batch() + 1) % BATCHES;
        let word = (inside + readers)
            | (self.count(BEHIND_SHIFT) << AHEAD_SHIFT)
            | tickets
            | (next_batch << BATCH_SHIFT);
        (Word(word), Some(Grant::Readers(self.batch() as u32)))
    }

    const fn count(self, shift: u32) -> u64 {
        (self.0 >> shift) & COUNT
    }

    const fn waiting_writers(self) -> u64 {
        self.count(AHEAD_SHIFT) + self.count(BEHIND_SHIFT)
    }

    const fn ticket(self) -> u64 {
        (self.0 >> TICKET_SHIFT) % TICKETS
    }

    const fn batch(self) -> u64 {
        self.0 >> BATCH_SHIFT
    }

    const fn next_ticket(self) -> Word {
        let next = (self.ticket() + 1) % TICKETS;
        Word((self.0 & !((TICKETS - 1) << TICKET_SHIFT)) | (next << TICKET_SHIFT))
    }
}

impl core::fmt::Debug for Word {
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
            " | {ahead}w {readers}r {behind}w | ticket {} batch {})",
            self.ticket(),
            self.batch()
        )
    }
}
