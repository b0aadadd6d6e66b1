//! What an actor is at: its next step, what it sleeps for, and what follows a step.

use super::costs::Nanos;
use super::tally::Site;

/// What an actor is to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// A writer writes and calls fsync; then its handle starts.
    Write,
    /// It tries to start the handle.
    Try,
    /// It waits for space in the log: takes the mutex.
    Space,
    /// It has the mutex.
    Checkpoint,
    /// It waits for reserved credits, and looks whether they fit.
    Look,
    /// It has the handle.
    Handle,
    /// Its data is on disk; the commit is to follow.
    Sync,
    /// The kworker looks for a page to convert.
    Fetch,
    /// It tries to start the page's reserved handle.
    TryReserved,
    /// It has it.
    Convert,
    /// The commit thread looks whether a commit is asked for.
    Ask,
    /// It waits until all handles have stopped.
    Drain,
    /// It lets the next transaction begin.
    Flush,
    /// It prepares the blocks.
    Blocks,
    /// They are in the log.
    End,
}

/// What an actor sleeps for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Reserved credits.
    Reserved,
    /// The next transaction.
    Locked,
    /// j_checkpoint_mutex.
    Mutex,
    /// A commit that may bring space.
    Space,
    /// The commit of what was written.
    Fsync,
    /// Something that it alone waits for: its data, a page to convert, work for the commit thread.
    Own,
}

impl Wait {
    /// Where a writer that sleeps so waits, in the report's terms.
    pub fn site(self) -> Site {
        match self {
            Wait::Reserved => Site::Reserved,
            Wait::Locked => Site::Locked,
            Wait::Mutex | Wait::Space => Site::Space,
            Wait::Fsync => Site::Commit,
            Wait::Own => Site::Writeback,
        }
    }
}

/// What an actor does after its step.
pub(super) enum Next {
    Go(Phase),
    Sleep(Phase, Wait),
    /// Waits for its I/O, which takes so long.
    Write(Phase, Nanos),
}
