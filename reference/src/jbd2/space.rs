//! The wait for space in the log: __jbd2_log_wait_for_space, 6.18.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::admission::{Admission, Shared};
use super::machine::{Credits, Pc, TState};
use super::numbers::Tid;
use super::policy::Mutex;
use super::probe::{Probe, Step, Who};
use super::refused::{Reason, Refused};
use super::rules::{Queue, Rules};
use crate::errno::Errno;
use crate::sys::System;

/// What has become of the oldest committed transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkpointed {
    /// All of its blocks are at home, durably.
    Written,
    /// One of them is owned by this transaction, which is running or being committed: its commit comes first.
    Newer(Tid),
}

/// Writes committed transactions home.
pub trait Store: Send + Sync {
    /// Writes the oldest committed transaction home. It is called once at a time, with j_checkpoint_mutex held and nothing else.
    /// May start no handle and wait for no commit. If it panics the journal aborts. The transaction's blocks are free some time after it says
    /// [`Checkpointed::Written`], and then it is not asked for this transaction again. No commit ends while it is called.
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

/// Where somebody goes who has looked for space with j_checkpoint_mutex.
enum Looked {
    Try,
    Space,
    /// To wait for this transaction's commit.
    Waits(Tid),
}

/// Where somebody goes who has waited for j_checkpoint_mutex, or for a commit.
enum Waited {
    On,
    /// The journal is over.
    Gone,
}

impl<R: Rules, S: System, P: Probe> Admission<R, S, P> {
    /// Waits until there is space for a handle of so many credits, or the journal is over.
    pub(super) fn wait_for_space(&self, who: Who, total: Credits, store: &impl Store) {
        loop {
            let locked = self.until(Some(who), Queue::Mutex, |shared| {
                self.lock_checkpoint(shared, who)
            });
            if let Waited::Gone = locked {
                return;
            }
            self.probe.about(Some(who));
            let to = match self.step(|shared| self.looks(shared, who, total)) {
                Some(to) => to,
                None => match self.write_home(who, store) {
                    Ok(Checkpointed::Written) => self.step(|shared| {
                        shared.home = true;
                        self.make_space(shared, who, total)
                    }),
                    Ok(Checkpointed::Newer(tid)) => self.step(|shared| {
                        self.find(shared, who, tid);
                        Looked::Waits(tid)
                    }),
                    Err(errno) => self.step(|shared| {
                        self.fails(shared, who, Reason::Device(errno));
                        Looked::Try
                    }),
                },
            };
            match to {
                Looked::Space => {}
                Looked::Waits(tid) => {
                    if let Waited::Gone = self.committed(who, tid) {
                        return;
                    }
                }
                Looked::Try => return,
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
            let locked = self.until(Some(who), Queue::Mutex, |shared| {
                self.lock_checkpoint(shared, who)
            });
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
                Some(false) => self.write_home(who, store),
            };
            match written {
                Ok(Checkpointed::Written) => self.step(|shared| self.freed(shared, who)),
                Ok(Checkpointed::Newer(tid)) => {
                    self.step(|shared| self.find(shared, who, tid));
                    self.committed(who, tid);
                }
                Err(errno) => self.step(|shared| self.fails(shared, who, Reason::Device(errno))),
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

    /// Has the oldest transaction written home. If that panics the journal aborts, and the panic goes on to who has asked for it.
    fn write_home(&self, who: Who, store: &impl Store) -> Result<Checkpointed, Errno> {
        let written = catch_unwind(AssertUnwindSafe(|| store.checkpoint()));
        written.unwrap_or_else(|panic| {
            self.step(|shared| self.fails(shared, who, Reason::Panicked));
            resume_unwind(panic)
        })
    }

    fn fails(&self, shared: &mut Shared<S>, who: Who, reason: Reason) {
        self.unlock(shared);
        self.give_up(shared, reason);
        self.told(shared, Step::CheckpointFails(who));
    }

    fn unlock(&self, shared: &mut Shared<S>) {
        shared.numbers.mutex = None;
        shared.queues.wake_first(Queue::Mutex);
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
    fn looks(&self, shared: &mut Shared<S>, who: Who, total: Credits) -> Option<Looked> {
        let look = shared.numbers.look(&self.policy, &self.sizes);
        let writes =
            !look.has_space(total) && !shared.home && !shared.numbers.checkpoint.is_empty();
        (!writes).then(|| self.make_space(shared, who, total))
    }

    /// `MakeSpace`. A commit may have made space while the oldest transaction was written home: then its blocks are free only
    /// when somebody needs them.
    fn make_space(&self, shared: &mut Shared<S>, who: Who, total: Credits) -> Looked {
        let look = shared.numbers.look(&self.policy, &self.sizes);
        let committing = shared.numbers.committing;
        let (to, pc) = if look.has_space(total) {
            (Looked::Try, Pc::Try)
        } else if let Some(blocks) = shared.numbers.checkpoint.pop_front() {
            shared.home = false;
            shared.numbers.free += blocks;
            (Looked::Space, Pc::Space)
        } else if committing.state != TState::None {
            (Looked::Waits(committing.tid), Pc::WaitCommit)
        } else {
            self.give_up(shared, Reason::NoSpace);
            (Looked::Try, Pc::Try)
        };
        if pc != Pc::WaitCommit || self.policy.mutex == Mutex::Dropped {
            self.unlock(shared);
        }
        self.told(shared, Step::MakeSpace(who, pc));
        to
    }

    /// `FindNewer`, `FindCommitting`. Of a transaction that has stopped no handle yet the machine says nothing; it is waited for too.
    fn find(&self, shared: &mut Shared<S>, who: Who, tid: Tid) {
        let running = shared.numbers.running;
        let is_running = running.state != TState::None && running.tid == tid;
        if is_running {
            self.ask(shared);
        }
        if self.policy.mutex == Mutex::Dropped {
            self.unlock(shared);
        }
        self.told(
            shared,
            match is_running {
                true => Step::FindNewer(who),
                false => Step::FindCommitting(who),
            },
        );
    }

    /// jbd2_log_wait_commit of this transaction, whatever else is asked for. No step of the machine's: there the commit's end moves
    /// those on who wait for it.
    fn committed(&self, who: Who, tid: Tid) -> Waited {
        loop {
            let ended = self.step(|shared| {
                let is_over = shared.numbers.over().is_some();
                if !is_over && shared.numbers.committed < tid {
                    return Err(shared.queues.sleep(Queue::DoneCommit));
                }
                if shared.numbers.mutex == Some(who) {
                    self.unlock(shared);
                }
                Ok(match is_over {
                    true => Waited::Gone,
                    false => Waited::On,
                })
            });
            match ended {
                Ok(waited) => return waited,
                Err(cell) => cell.wait(),
            };
        }
    }
}
