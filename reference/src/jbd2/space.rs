//! The wait for space in the log: __jbd2_log_wait_for_space, 6.18.

use super::admission::{Admission, Shared};
use super::machine::{Credits, Pc, TState};
use super::policy::Mutex;
use super::probe::{Probe, Step, Who};
use super::refused::{Reason, Refused};
use super::waiting::Discipline;
use crate::dio::sys::System;
use crate::errno::Errno;

/// What has become of the oldest committed transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpointed {
    /// All of its blocks are at home, durably.
    Written,
    /// One of them is owned by a newer transaction, which has to commit first.
    Newer,
}

/// Writes committed transactions home.
pub trait Store: Send + Sync {
    /// Writes the oldest committed transaction home. It is called once at a time, with j_checkpoint_mutex held and nothing else.
    /// May start no handle, wait for no commit, and not panic. The transaction's blocks are free some time after it says
    /// [`Checkpointed::Written`], and then it is not asked for this transaction again. [`Checkpointed::Newer`] it says only
    /// while another is running or being committed.
    ///
    /// # Errors
    ///
    /// The device's; the journal then aborts.
    fn checkpoint(&self) -> Result<Checkpointed, Errno>;
}

/// A store that has nothing to write.
pub struct Nothing;

impl Store for Nothing {
    fn checkpoint(&self) -> Result<Checkpointed, Errno> {
        Ok(Checkpointed::Written)
    }
}

/// Where somebody goes who has waited for j_checkpoint_mutex, or for a commit.
enum Waited {
    On,
    /// The journal is over.
    Gone,
}

impl<W: Discipline, S: System, P: Probe> Admission<W, S, P> {
    /// Waits until there is space for a handle of so many credits, or the journal is over.
    pub(super) fn wait_for_space(&self, who: Who, total: Credits, store: &impl Store) {
        loop {
            let locked = self.until(
                Some(who),
                |queues| &mut queues.mutex,
                |shared| self.lock_checkpoint(shared, who),
            );
            if let Waited::Gone = locked {
                return;
            }
            self.probe.about(Some(who));
            let to = match self.step(|shared| self.looks(shared, who, total)) {
                Some(to) => to,
                None => match store.checkpoint() {
                    Ok(Checkpointed::Written) => self.step(|shared| {
                        shared.home = true;
                        self.make_space(shared, who, total)
                    }),
                    Ok(Checkpointed::Newer) => self.step(|shared| self.find_newer(shared, who)),
                    Err(errno) => self.step(|shared| {
                        self.fails(shared, who, errno);
                        Pc::Try
                    }),
                },
            };
            match to {
                Pc::Space => {}
                Pc::WaitCommit => {
                    let committed = self.until(
                        Some(who),
                        |queues| &mut queues.done_commit,
                        |shared| self.committed(shared, who),
                    );
                    if let Waited::Gone = committed {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// Has `store` write every committed transaction home, and frees their blocks (jbd2_journal_flush).
    ///
    /// # Errors
    ///
    /// [`Refused::Aborted`]; [`Refused::Closed`].
    pub fn checkpoint(&self, who: Who, store: &impl Store) -> Result<(), Refused> {
        loop {
            let locked = self.until(
                Some(who),
                |queues| &mut queues.mutex,
                |shared| self.lock_checkpoint(shared, who),
            );
            if let Waited::Gone = locked {
                return self.check();
            }
            let is_home = self.step(|shared| {
                if shared.numbers.checkpoint.is_empty() {
                    self.unlock(shared);
                    return None;
                }
                Some(shared.home)
            });
            let written = match is_home {
                None => return Ok(()),
                Some(true) => Ok(Checkpointed::Written),
                Some(false) => store.checkpoint(),
            };
            match written {
                Ok(Checkpointed::Written) => self.step(|shared| self.freed(shared, who)),
                Ok(Checkpointed::Newer) => {
                    self.step(|shared| self.find_newer(shared, who));
                    self.until(
                        Some(who),
                        |queues| &mut queues.done_commit,
                        |shared| self.committed(shared, who),
                    );
                }
                Err(errno) => self.step(|shared| self.fails(shared, who, errno)),
            }
        }
    }

    /// The oldest transaction is home, and its blocks are free, whether somebody needs them or not.
    fn freed(&self, shared: &mut Shared<S>, who: Who) {
        shared.home = false;
        shared.numbers.free += shared.numbers.checkpoint.pop_front().unwrap_or_default();
        self.unlock(shared);
        self.told(shared, Step::MakeSpace(who, Pc::Space));
    }

    fn fails(&self, shared: &mut Shared<S>, who: Who, errno: Errno) {
        self.unlock(shared);
        self.give_up(shared, Reason::Device(errno));
        self.told(shared, Step::CheckpointFails(who));
    }

    fn unlock(&self, shared: &mut Shared<S>) {
        shared.numbers.mutex = None;
        shared.queues.wake_first(|queues| &mut queues.mutex);
    }

    fn lock_checkpoint(&self, shared: &mut Shared<S>, who: Who) -> Option<Waited> {
        if shared.numbers.over().is_some() {
            return Some(Waited::Gone);
        }
        if shared.numbers.mutex.is_some() {
            return None;
        }
        shared.numbers.mutex = Some(who);
        self.told(shared, Step::LockCheckpoint(who));
        Some(Waited::On)
    }

    /// `MakeSpace`, unless the oldest transaction is to be written home first.
    fn looks(&self, shared: &mut Shared<S>, who: Who, total: Credits) -> Option<Pc> {
        let look = shared.numbers.look(&self.policy, &self.sizes);
        let writes =
            !look.has_space(total) && !shared.home && !shared.numbers.checkpoint.is_empty();
        (!writes).then(|| self.make_space(shared, who, total))
    }

    /// `MakeSpace`. A commit may have made space while the oldest transaction was written home: then its blocks are free only
    /// when somebody needs them.
    fn make_space(&self, shared: &mut Shared<S>, who: Who, total: Credits) -> Pc {
        let look = shared.numbers.look(&self.policy, &self.sizes);
        let commits = shared.numbers.committing.state != TState::None;
        let to = if look.has_space(total) {
            Pc::Try
        } else if let Some(blocks) = shared.numbers.checkpoint.pop_front() {
            shared.home = false;
            shared.numbers.free += blocks;
            Pc::Space
        } else if commits {
            Pc::WaitCommit
        } else {
            self.give_up(shared, Reason::NoSpace);
            Pc::Try
        };
        if to != Pc::WaitCommit || self.policy.mutex == Mutex::Dropped {
            self.unlock(shared);
        }
        self.told(shared, Step::MakeSpace(who, to));
        to
    }

    /// `FindNewer`. Of a running transaction that has stopped no handle yet the machine says nothing; its commit is asked for too.
    fn find_newer(&self, shared: &mut Shared<S>, who: Who) -> Pc {
        let numbers = &shared.numbers;
        let commits = numbers.committing.state != TState::None;
        if !commits && numbers.running.state != TState::None {
            self.ask(shared);
        }
        if self.policy.mutex == Mutex::Dropped {
            self.unlock(shared);
        }
        self.told(shared, Step::FindNewer(who));
        Pc::WaitCommit
    }

    /// `Committed`. As in the machine, which has no transaction numbers: until no commit is under way or asked for.
    fn committed(&self, shared: &mut Shared<S>, who: Who) -> Option<Waited> {
        let numbers = &shared.numbers;
        let is_over = numbers.over().is_some();
        if !is_over && (numbers.committing.state != TState::None || numbers.running.asked) {
            return None;
        }
        if numbers.mutex == Some(who) {
            self.unlock(shared);
        }
        if is_over {
            return Some(Waited::Gone);
        }
        self.told(shared, Step::Committed(who));
        Some(Waited::On)
    }
}
