//! The commit thread's steps, and who asks for a commit and waits for it: jbd2_journal_commit_transaction, 6.18.

use super::admission::{Admission, Shared};
use super::machine::{Credits, TState};
use super::numbers::{Tid, Transaction};
use super::probe::{Probe, Step};
use super::refused::{Reason, Refused};
use super::rules::{Event, Queue, Rules};
use crate::sys::System;

/// A transaction that is being committed, and that no handle joins any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committing {
    /// Its number.
    pub tid: Tid,
    /// The blocks that its handles have dirtied.
    pub log: Credits,
}

impl<R: Rules, S: System, P: Probe> Admission<R, S, P> {
    /// Asks for the commit of the running transaction, if a handle has dirtied something in it; returns the transaction to wait
    /// for, that one or the one that is being committed (jbd2_journal_start_commit). Does not wait.
    pub fn ask_commit(&self) -> Option<Tid> {
        self.step(|shared| {
            let running = shared.numbers.running;
            if !running.asked && running.log > 0 {
                self.ask(shared);
                self.told(shared, Step::AskCommit);
            }
            let asked = shared.numbers.running.asked.then_some(running.tid);
            let committing = shared.numbers.committing;
            asked.or((committing.state != TState::None).then_some(committing.tid))
        })
    }

    /// Waits until the transaction's commit has ended (jbd2_log_wait_commit). Somebody has to have asked for it.
    ///
    /// # Errors
    ///
    /// [`Refused::Aborted`]; [`Refused::Closed`] if it was not asked for.
    pub fn wait_commit(&self, tid: Tid) -> Result<(), Refused> {
        loop {
            let ended = self.step(|shared| {
                let numbers = &shared.numbers;
                let is_asked = numbers.running.asked && numbers.running.tid == tid;
                let comes = is_asked || numbers.committing.tid == tid;
                match numbers.over() {
                    _ if numbers.committed >= tid => Ok(Ok(())),
                    Some(Refused::Closed) if comes => Err(shared.queues.sleep(Queue::DoneCommit)),
                    Some(refused) => Ok(Err(refused)),
                    None => Err(shared.queues.sleep(Queue::DoneCommit)),
                }
            });
            match ended {
                Ok(result) => return result,
                Err(cell) => cell.wait(),
            };
        }
    }

    /// For the commit thread, which there is one of: waits until a commit is asked for, and takes the transaction, once its
    /// handles have stopped, away from those that come. None: the journal is aborted, or closed with no commit asked for.
    /// [`Admission::wrote`] and [`Admission::ended`] are to follow.
    pub fn next_commit(&self) -> Option<Committing> {
        let is_locked = self.until(None, Queue::Commit, |shared| {
            let numbers = &mut shared.numbers;
            let is_idle = numbers.committing.state == TState::None;
            if numbers.aborted.is_some() {
                return Some(false);
            }
            if !numbers.running.asked || !is_idle {
                return numbers.closed.then_some(false);
            }
            numbers.running.state = TState::Locked;
            self.told(shared, Step::CommitLock);
            Some(true)
        });
        let is_switched = is_locked
            && self.until(None, Queue::Updates, |shared| {
                if shared.numbers.aborted.is_some() {
                    return Some(false);
                }
                if shared.numbers.running.updates > 0 {
                    return None;
                }
                shared.numbers.running.state = TState::Switch;
                self.told(shared, Step::CommitSwitch);
                Some(true)
            });
        is_switched.then(|| {
            self.probe.about(None);
            self.step(|shared| self.commit_flush(shared))
        })
    }

    /// T_FLUSH: what is reserved goes on to the next transaction, and all who wait for one are woken.
    fn commit_flush(&self, shared: &mut Shared<S>) -> Committing {
        let numbers = &mut shared.numbers;
        numbers.committing = Transaction {
            state: TState::Flush,
            out: numbers.running.out - numbers.reserved,
            ..numbers.running
        };
        numbers.running = Transaction::NONE;
        let Transaction { tid, log, .. } = numbers.committing;
        self.wake(shared, Event::Flushed);
        self.told(shared, Step::CommitFlush);
        Committing { tid, log }
    }

    /// For the commit thread, before it writes: whether the log has room for so many blocks. If not, the journal is to be aborted.
    pub fn has_room(&self, blocks: u32) -> bool {
        Credits::from(blocks) <= self.numbers().free
    }

    /// For the commit thread: the log has taken so many blocks of the transaction, descriptors and commit record included. The
    /// machine's number is those that were dirtied, and two.
    ///
    /// # Errors
    ///
    /// [`Refused::Aborted`], if the log was full: the journal then is.
    pub fn wrote(&self, blocks: u32) -> Result<(), Refused> {
        self.probe.about(None);
        self.step(|shared| {
            if shared.numbers.free < 1 {
                self.give_up(shared, Reason::LogFull);
                self.told(shared, Step::Abort);
                return Err(Refused::Aborted(Reason::LogFull));
            }
            let blocks = Credits::from(blocks);
            shared.numbers.free -= blocks;
            let committing = &mut shared.numbers.committing;
            committing.state = TState::Tail;
            committing.out = 0;
            committing.blocks = blocks;
            self.told(shared, Step::CommitWrite);
            Ok(())
        })
    }

    /// For the commit thread: the transaction's commit is durable. Waits for j_checkpoint_mutex, and wakes who waits for the
    /// commit. A transaction that has dirtied nothing needs no checkpoint: its blocks are free with those before it.
    pub fn ended(&self) {
        self.until(None, Queue::Mutex, |shared| {
            let numbers = &mut shared.numbers;
            if numbers.mutex.is_some() {
                return None;
            }
            let Transaction {
                tid, log, blocks, ..
            } = numbers.committing;
            if log > 0 {
                numbers.checkpoint.push_back(blocks);
            } else if let Some(last) = numbers.checkpoint.back_mut() {
                *last += blocks;
            } else {
                numbers.free += blocks;
            }
            numbers.committing = Transaction::NONE;
            numbers.committed = tid;
            self.wake(shared, Event::Ended);
            // Who was to be woken next for the mutex, had this been one who takes it.
            shared.queues.wake_first(Queue::Mutex);
            self.told(shared, Step::CommitEnd);
            Some(())
        });
    }
}
