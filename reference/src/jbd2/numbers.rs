//! What the threads of a journal share, as plain numbers.

use std::collections::VecDeque;

use super::decisions::{Look, given_back};
use super::machine::{Credits, Sizes, TState};
use super::policy::Policy;
use super::probe::Who;
use super::refused::{Reason, Refused};

/// A transaction's number: t_tid. The first is 1.
pub type Tid = u64;

/// A transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transaction {
    /// t_tid; 0 if there is no transaction.
    pub tid: Tid,
    /// t_state.
    pub state: TState,
    /// t_outstanding_credits.
    pub out: Credits,
    /// t_updates: how many handles it has.
    pub updates: u32,
    /// The blocks that its handles have dirtied.
    pub log: Credits,
    /// The blocks that it has taken in the log, once they are written.
    pub blocks: Credits,
    /// Its commit is asked for.
    pub asked: bool,
}

impl Transaction {
    /// There is no transaction.
    pub const NONE: Transaction = Transaction {
        tid: 0,
        state: TState::None,
        out: 0,
        updates: 0,
        log: 0,
        blocks: 0,
        asked: false,
    };
}

/// A journal as it is at some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers {
    /// j_running_transaction.
    pub running: Transaction,
    /// j_committing_transaction.
    pub committing: Transaction,
    /// j_free, in blocks.
    pub free: Credits,
    /// The blocks of each committed transaction, oldest first.
    pub checkpoint: VecDeque<Credits>,
    /// j_reserved_credits.
    pub reserved: Credits,
    /// Who waits for reserved credits in turn, and for how many; first to come first.
    pub queue: VecDeque<(Who, Credits)>,
    /// To whom reserved credits are handed over that are not yet charged.
    pub promised: Vec<(Who, Credits)>,
    /// Who holds j_checkpoint_mutex.
    pub mutex: Option<Who>,
    /// j_commit_sequence: the last transaction whose commit has ended.
    pub committed: Tid,
    /// Why the journal has given up.
    pub aborted: Option<Reason>,
    /// No more handles are started.
    pub closed: bool,
}

impl Numbers {
    /// An empty log of these sizes.
    pub(super) fn new(sizes: &Sizes) -> Numbers {
        Numbers {
            running: Transaction::NONE,
            committing: Transaction::NONE,
            free: sizes.log,
            checkpoint: VecDeque::new(),
            reserved: 0,
            queue: VecDeque::new(),
            promised: Vec::new(),
            mutex: None,
            committed: 0,
            aborted: None,
            closed: false,
        }
    }

    /// As the decisions see it.
    pub(super) fn look<'a>(&self, policy: &'a Policy, sizes: &'a Sizes) -> Look<'a> {
        Look {
            policy,
            sizes,
            running: self.running.state,
            out: self.running.out,
            committing: self.committing.out,
            free: self.free,
            reserved: self.reserved,
            promised: self.promised.iter().map(|(_, credits)| credits).sum(),
        }
    }

    /// Why nobody starts a handle any more.
    pub(super) fn over(&self) -> Option<Refused> {
        let closed = self.closed.then_some(Refused::Closed);
        self.aborted.map(Refused::Aborted).or(closed)
    }

    /// `Current`: begins a transaction if none is running.
    pub(super) fn begin(&mut self, overhead: Credits) {
        if self.running.state == TState::None {
            self.running = Transaction {
                tid: self.committed.max(self.committing.tid) + 1,
                state: TState::Running,
                out: overhead + self.reserved,
                ..Transaction::NONE
            };
        }
    }

    /// `Stopped`: a handle of so many credits leaves the running transaction, of which it has spent some.
    pub(super) fn stop(&mut self, policy: &Policy, has: Credits, spends: Credits) {
        self.running.out -= given_back(policy, has, spends);
        self.running.updates -= 1;
        self.running.log += spends;
    }

    /// A reservation is no more.
    pub(super) fn unreserve(&mut self, credits: Credits) {
        self.reserved -= credits;
        if self.running.state != TState::None {
            self.running.out -= credits;
        }
    }

    /// Who was promised credits has taken them, or wants them no more.
    pub(super) fn forget(&mut self, who: Who) {
        if let Some(place) = self.promised.iter().position(|(to, _)| *to == who) {
            self.promised.remove(place);
        }
    }
}
