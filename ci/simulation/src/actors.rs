//! What each actor does, step by step.

use anyhow::{Result, bail};
use interlock::jbd2::machine::{Action, Pc, TState, Task};

use super::clock::{Actor, Event};
use super::phase::{Next, Phase, Wait};
use super::setup::Mode;
use super::world::World;

impl World<'_> {
    /// A thread: write, start a handle, submit, sync.
    pub(super) fn writer(&mut self, writer: usize, phase: Phase) -> Result<Next> {
        let task = self.task(writer);
        match phase {
            Phase::Write => {
                self.take(Action::Start(task))?;
                (self.started[writer], self.woken[writer]) = (self.clock.now(), 0);
                Ok(Next::Go(Phase::Try))
            }
            Phase::Try => self.try_start(writer, task),
            Phase::Space if self.state.mutex.is_some() => {
                Ok(Next::Sleep(Phase::Space, Wait::Mutex))
            }
            Phase::Space => {
                self.take(Action::LockCheckpoint(task))?;
                // The blocks are written before the step that frees them.
                let free = self.state.free;
                let next = self.machine.step(&self.state, Action::MakeSpace(task));
                let blocks = next.map_or(0, |next| next.free - free).unsigned_abs();
                let time = blocks * self.setup.costs.checkpoint_block;
                Ok(match time {
                    0 => Next::Go(Phase::Checkpoint),
                    _ => Next::Write(Phase::Checkpoint, time),
                })
            }
            Phase::Checkpoint => {
                self.take(Action::MakeSpace(task))?;
                self.wake_first(Wait::Mutex);
                Ok(match self.pc(task) {
                    Pc::Try => Next::Go(Phase::Try),
                    Pc::WaitCommit => Next::Sleep(Phase::Space, Wait::Space),
                    _ => Next::Go(Phase::Space),
                })
            }
            Phase::Look => Ok(if self.offer(Action::Look(task)) {
                Next::Go(Phase::Try)
            } else {
                Next::Sleep(Phase::Look, Wait::Reserved)
            }),
            Phase::Handle => {
                match self.setup.mode {
                    Mode::Nolock => self.take(Action::Submit(task))?,
                    Mode::Lock => self.take(Action::Stop(task))?,
                }
                self.tids[writer] = self.tid.0;
                self.write_data(writer);
                Ok(Next::Sleep(Phase::Sync, Wait::Own))
            }
            Phase::Sync => self.sync(writer),
            _ => bail!("no writer does {phase:?}"),
        }
    }

    fn try_start(&mut self, writer: usize, task: Task) -> Result<Next> {
        let was = self.state.running.state;
        self.tally.tries += 1;
        if !self.offer(Action::Try(task)) {
            self.take(Action::Fail(task))?;
            self.take(Action::Undo(task))?;
            self.tally.failed[3] += 1;
            self.tally.stirred += self.give_back();
            return Ok(Next::Sleep(Phase::Look, Wait::Reserved));
        }
        let joinable = matches!(was, TState::Running | TState::None);
        let (failed, next) = match self.pc(task) {
            Pc::Attached => {
                self.tally.grants += 1;
                self.tally.starting += self.since(self.started[writer]);
                self.tally.woken += self.woken[writer];
                self.tally.most_woken = self.tally.most_woken.max(self.woken[writer]);
                return Ok(Next::Go(Phase::Handle));
            }
            Pc::WaitLocked if joinable => (2, Next::Sleep(Phase::Try, Wait::Locked)),
            Pc::WaitLocked => (1, Next::Sleep(Phase::Try, Wait::Locked)),
            Pc::Space => (3, Next::Go(Phase::Space)),
            Pc::WaitReserved => (4, Next::Sleep(Phase::Try, Wait::Reserved)),
            Pc::WaitRoom => (2, Next::Sleep(Phase::Look, Wait::Reserved)),
            pc => bail!("a try leads to {pc:?}"),
        };
        self.tally.failed[failed - 1] += 1;
        Ok(next)
    }

    /// fsync, once the data is on disk and converted: asks for the commit, or has it.
    fn sync(&mut self, writer: usize) -> Result<Next> {
        let (running, committed) = self.tid;
        let mine = self.tids[writer];
        if mine <= committed {
            self.finish();
            return Ok(Next::Go(Phase::Write));
        }
        let transaction = &self.state.running;
        let asks = transaction.state == TState::Running && !transaction.asked;
        if mine == running && asks {
            self.take(Action::AskCommit)?;
        }
        Ok(Next::Sleep(Phase::Sync, Wait::Fsync))
    }

    fn write_data(&mut self, writer: usize) {
        if self.disk.0 == self.setup.costs.depth {
            self.disk.1.push_back(writer);
        } else {
            self.disk.0 += 1;
            self.clock.tell(self.setup.costs.data, Event::Data(writer));
        }
    }

    /// A writer's data is on disk: to be converted, or done.
    pub(super) fn data_is_written(&mut self, writer: usize) {
        match self.disk.1.pop_front() {
            Some(next) => self.clock.tell(self.setup.costs.data, Event::Data(next)),
            None => self.disk.0 -= 1,
        }
        match self.setup.mode {
            Mode::Lock => self.wake(Actor::Writer(writer)),
            Mode::Nolock => {
                self.pages.0.push_back(writer);
                self.call_kworker();
            }
        }
    }

    /// The kworker of the conversions: one page after the other.
    pub(super) fn kworker(&mut self, phase: Phase) -> Result<Next> {
        let worker = Task::Worker(self.pages.1);
        match phase {
            Phase::Fetch => {
                let Some(page) = self.pages.0.pop_front() else {
                    return Ok(Next::Sleep(Phase::Fetch, Wait::Own));
                };
                self.pages.1 = page;
                self.take(Action::Start(Task::Worker(page)))?;
                Ok(Next::Go(Phase::TryReserved))
            }
            Phase::TryReserved => {
                self.take(Action::TryReserved(worker))?;
                if self.pc(worker) != Pc::Attached {
                    return Ok(Next::Sleep(Phase::TryReserved, Wait::Locked));
                }
                self.give_back();
                Ok(Next::Go(Phase::Convert))
            }
            Phase::Convert => {
                self.take(Action::Convert(worker))?;
                self.tids[self.pages.1] = self.tid.0;
                self.wake(Actor::Writer(self.pages.1));
                Ok(Next::Go(Phase::Fetch))
            }
            _ => bail!("no kworker does {phase:?}"),
        }
    }

    /// kjournald2: jbd2_journal_commit_transaction.
    pub(super) fn commit(&mut self, phase: Phase) -> Result<Next> {
        match phase {
            Phase::Ask if self.may_commit() => {
                self.take(Action::CommitLock)?;
                Ok(Next::Go(Phase::Drain))
            }
            Phase::Drain if self.state.running.updates == 0 => {
                self.take(Action::CommitSwitch)?;
                Ok(Next::Go(Phase::Flush))
            }
            Phase::Ask | Phase::Drain => Ok(Next::Sleep(phase, Wait::Own)),
            Phase::Flush => {
                self.take(Action::CommitFlush)?;
                self.tid.0 += 1;
                self.wake_those_who_may(Wait::Locked);
                Ok(Next::Go(Phase::Blocks))
            }
            Phase::Blocks => {
                let free = self.state.free;
                self.take(Action::CommitWrite)?;
                let costs = &self.setup.costs;
                let blocks = (free - self.state.free).unsigned_abs();
                let time = blocks * costs.log_block + 2 * costs.flush;
                Ok(Next::Write(Phase::End, time))
            }
            Phase::End if self.state.mutex.is_some() => Ok(Next::Sleep(Phase::End, Wait::Own)),
            Phase::End => {
                self.take(Action::CommitEnd)?;
                self.tid.1 += 1;
                self.tally.commits += 1;
                self.wake_all(Wait::Fsync);
                self.wake_all(Wait::Space);
                Ok(Next::Go(Phase::Ask))
            }
            _ => bail!("no commit does {phase:?}"),
        }
    }
}
