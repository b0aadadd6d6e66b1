//! The hook through which tests and traces see each atomic step of the handles and the commit.

use super::machine::{Credits, Pc};
use super::numbers::Numbers;
pub use interlock_rwlock::probe::NoProbe;

/// Who starts a handle: a name that the caller gives, for the probe alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Who(pub u32);

/// A step; in `Jbd2Credits.tla` the action of the same name, but for those said to be none there. A [`Pc`] is what the task does
/// after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// A handle of so many credits is asked for, with so many reserved for later.
    Start {
        /// Who asks.
        who: Who,
        /// For how many credits.
        credits: Credits,
        /// What it reserves.
        reserve: Credits,
    },
    /// `Start` of a worker: a reserved handle is asked for.
    StartReserved {
        /// Who asks.
        who: Who,
        /// The reservation.
        credits: Credits,
    },
    /// start_this_handle of an ordinary handle.
    Try(Who, Pc),
    /// Its fourth test fails: it has added what is too much.
    Fail(Who),
    /// It has taken that back, and waits.
    Undo(Who),
    /// wait_event(j_wait_reserved) returns.
    Look(Who),
    /// It is refused: -EROFS.
    Refuse(Who),
    /// start_this_handle of a reserved handle.
    TryReserved(Who, Pc),
    /// jbd2_journal_extend.
    Extend {
        /// Whose handle.
        who: Who,
        /// By how many credits.
        extra: Credits,
        /// It has got them.
        granted: bool,
    },
    /// jbd2__journal_restart, up to the start anew, with so many credits.
    Restart {
        /// Whose handle.
        who: Who,
        /// What it asks for now.
        credits: Credits,
    },
    /// jbd2_journal_stop of a handle without a reservation.
    Stop(Who),
    /// The same of one that leaves its reservation for later.
    Submit(Who),
    /// The same of one that gives its reservation back.
    Unreserve(Who),
    /// The same of a handle that was reserved.
    Convert(Who),
    /// jbd2_journal_free_reserved of a reservation of so many credits that is no handle's; no action.
    FreeReserved(Credits),
    /// Takes j_checkpoint_mutex.
    LockCheckpoint(Who),
    /// Looks for space with it.
    MakeSpace(Who, Pc),
    /// A checkpoint finds a buffer that the running transaction owns.
    FindNewer(Who),
    /// The same, and the one that commits owns it.
    FindCommitting(Who),
    /// A checkpoint fails, and the journal aborts; no action.
    CheckpointFails(Who),
    /// fsync, or the commit interval.
    AskCommit,
    /// Ordinary handles no longer join.
    CommitLock,
    /// All handles have stopped.
    CommitSwitch,
    /// What is reserved goes on to the next transaction.
    CommitFlush,
    /// The log takes the blocks.
    CommitWrite,
    /// The log's tail is updated.
    CommitEnd,
    /// The journal is aborted from outside; no action.
    Abort,
    /// The journal is closed; no action.
    Close,
}

/// Sees the steps of a journal's tasks, in the thread that takes them. The steps, in the order in which `step` is called, are a
/// path of the machine, as long as the handles' sizes are the machine's and none of the steps is one that it does not have.
pub trait Probe: Send + Sync + 'static {
    /// A task, or the commit thread (`None`), is about to try its next step, and is inside no other. May wait.
    fn about(&self, _who: Option<Who>) {}

    /// A step is taken, and leaves these numbers. Must not wait, nor call the journal.
    fn step(&self, step: Step, now: &Numbers);
}

impl Probe for NoProbe {
    #[inline]
    fn step(&self, _: Step, _: &Numbers) {}
}
