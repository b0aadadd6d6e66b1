//! The rules that a journal follows, its variant among them, as a type, so that tests can put faulty ones in.

use super::decisions::Look;
use super::machine::Credits;
use super::numbers::Numbers;
use super::policy::Policy;

/// Who waits for reserved credits when some are given back.
pub struct Release<'a> {
    pub(super) look: Look<'a>,
    pub(super) asks: &'a [Credits],
}

impl Release<'_> {
    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.asks.len()
    }

    /// How many of them, from the first to come on, the credits serve.
    pub fn fitting(&self) -> usize {
        self.look.fitting(self.asks.iter().copied())
    }
}

/// A wait queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// j_wait_transaction_locked, of ordinary handles and of reserved ones.
    Locked,
    /// j_wait_reserved: those who are served in turn, as in [`Numbers::queue`].
    InTurn,
    /// j_wait_reserved: those who are not.
    Reserved,
    /// j_checkpoint_mutex.
    Mutex,
    /// j_wait_done_commit.
    DoneCommit,
    /// j_wait_updates.
    Updates,
    /// j_wait_commit.
    Commit,
}

impl Queue {
    /// All of them.
    pub const ALL: [Queue; 7] = [
        Queue::Locked,
        Queue::InTurn,
        Queue::Reserved,
        Queue::Mutex,
        Queue::DoneCommit,
        Queue::Updates,
        Queue::Commit,
    ];
}

/// What queues are woken for, whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A commit is asked for.
    Asked,
    /// The last handle of a transaction has stopped.
    Stopped,
    /// A transaction takes no more handles, and the next one may begin: T_FLUSH.
    Flushed,
    /// A commit has ended.
    Ended,
    /// The journal is aborted, or closed.
    Over,
}

impl Event {
    /// The queues.
    pub fn wakes(self) -> &'static [Queue] {
        match self {
            Event::Asked => &[Queue::Commit],
            Event::Stopped => &[Queue::Updates],
            Event::Flushed => &[Queue::Locked],
            Event::Ended => &[Queue::DoneCommit],
            Event::Over => &Queue::ALL,
        }
    }
}

/// The rules of a journal. What has a default here is right; writes and flushes fail with `E`.
pub trait Rules: Send + Sync + 'static {
    /// The variant; its decisions on handles and space are used too.
    const POLICY: Policy;

    /// The places of those whom a release of reserved credits wakes, in rising order. Under a policy that hands over the credits
    /// are theirs.
    fn wakes(release: &Release<'_>) -> Vec<usize>;

    /// See [`Event::wakes`].
    fn woken_by(event: Event) -> &'static [Queue] {
        event.wakes()
    }

    /// A start that has failed the second or the fourth test takes back what it has added to the running transaction, of which
    /// so many credits are reserved.
    fn undo(numbers: &mut Numbers, total: Credits, reserves: Credits) {
        numbers.running.out -= total;
        numbers.reserved -= reserves;
    }

    /// The blocks that a commit revokes in the log, of those that its transaction has revoked.
    fn revokes(revoked: Vec<u64>) -> Vec<u64> {
        revoked
    }

    /// jbd2_journal_commit_transaction: a transaction goes to the log, its commit record when all else is durable, and is committed
    /// when that is.
    fn commit<E>(
        write: impl FnOnce() -> Result<(), E>,
        write_record: impl FnOnce() -> Result<(), E>,
        flush: impl Fn() -> Result<(), E>,
    ) -> Result<(), E> {
        write()?;
        flush()?;
        write_record()?;
        flush()
    }

    /// jbd2_log_do_checkpoint, jbd2_cleanup_journal_tail: the oldest transaction's blocks go home, and when they are durable the log
    /// begins behind it.
    fn checkpoint<E>(
        write_home: impl FnOnce() -> Result<(), E>,
        flush: impl FnOnce() -> Result<(), E>,
        update_tail: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        write_home()?;
        flush()?;
        update_tail()
    }

    /// A checkpoint writes no more, after which those look again who are to revoke one of its blocks.
    fn written_home(wake: impl FnOnce()) {
        wake();
    }
}

/// Linux: every release wakes all who wait, and each tests anew (`"all"`).
pub struct WakeAll;

impl Rules for WakeAll {
    const POLICY: Policy = Policy::UPSTREAM;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        (0..release.waiting()).collect()
    }
}

/// The cure: the credits go to those who came first, as far as they last, and nobody passes them (`"hand-over"`).
pub struct HandOver;

impl Rules for HandOver {
    const POLICY: Policy = Policy::HAND_OVER;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        (0..release.fitting()).collect()
    }
}
