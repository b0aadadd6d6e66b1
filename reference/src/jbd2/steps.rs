//! The steps of a task and of the commit: the actions of `Jbd2Credits.tla`.

use std::collections::BTreeSet;

use super::decisions::{Ask, Look, Test, given_back};
use super::machine::{Action, Credits, Machine, Pc, State, TState, Task, Transaction};
use super::policy::{Conversion, Data, Mutex, Restart, Tail, Wait, Wake};

/// Blocks that a commit writes beside what was dirtied: a descriptor and the commit record.
const OF_COMMIT: Credits = 2;

/// A state seen under a machine's policy.
pub(super) struct View<'a> {
    pub machine: &'a Machine,
    pub state: &'a State,
}

/// What depends on the task.
impl View<'_> {
    fn place(&self, t: Task) -> Option<usize> {
        self.machine.place(t)
    }

    fn pc(&self, t: Task) -> Option<Pc> {
        self.place(t).map(|place| self.state.pc[place])
    }

    /// `Credits`.
    fn credits(&self, t: Task) -> Credits {
        match t {
            Task::Plain(_) => self.machine.load.cost,
            Task::Pages(_) => self.machine.load.page_cost,
            Task::Worker(_) => self.machine.load.reserve,
        }
    }

    fn ask(&self, t: Task) -> Ask {
        let is_ordinary = self.machine.policy.conversion == Conversion::Ordinary;
        let reserves = match t {
            Task::Pages(_) if !is_ordinary => self.machine.load.reserve,
            _ => 0,
        };
        let promised = &self.state.promised;
        Ask {
            total: self.credits(t) + reserves,
            reserves,
            is_promised: matches!(t, Task::Pages(w) if promised.contains(&w)),
        }
    }

    /// `Has`, `Spends`: the credits of a handle, and the blocks that it dirties.
    fn handle(&self, t: Task) -> (Credits, Credits) {
        let load = &self.machine.load;
        let more = match self.pc(t) {
            Some(Pc::Extended) => load.extra,
            _ => 0,
        };
        let dirties = match t {
            Task::Plain(_) => load.uses,
            Task::Pages(_) => load.page_uses,
            Task::Worker(_) => load.convert_uses,
        };
        (self.credits(t) + more, dirties + more)
    }

    /// `Current`: the running transaction, or a new one.
    fn current(&self) -> Transaction {
        match self.state.running.state {
            TState::None => Transaction {
                state: TState::Running,
                out: self.machine.sizes.overhead + self.state.reserved,
                ..Transaction::NONE
            },
            _ => self.state.running.clone(),
        }
    }

    fn look(&self) -> Look<'_> {
        let current = self.current();
        Look {
            policy: &self.machine.policy,
            sizes: &self.machine.sizes,
            running: current.state,
            out: current.out,
            committing: self.state.committing.out,
            free: self.state.free,
            reserved: self.state.reserved,
            promised: self.promised(&self.state.promised),
        }
    }

    /// `Promised`.
    fn promised(&self, to: &BTreeSet<usize>) -> Credits {
        self.machine.load.reserve * to.len() as Credits
    }

    /// `Stopped`: the running transaction after the handle's stop.
    fn stopped(&self, t: Task) -> Transaction {
        let (has, spends) = self.handle(t);
        let mut running = self.state.running.clone();
        running.out -= given_back(&self.machine.policy, has, spends);
        running.updates -= 1;
        running.log += spends;
        running
    }
}

/// Each step is `None` unless it is enabled.
impl View<'_> {
    pub fn step(&self, action: Action) -> Option<State> {
        match action {
            Action::Start(t) => self.start(t),
            Action::Try(t) => self.try_ordinary(t),
            Action::Refuse(t) => self.refuse(t),
            Action::TryReserved(t) => self.try_reserved(t),
            Action::Extend(t) => self.extend(t),
            Action::Restart(t) => self.restart(t),
            Action::Stop(t) => self.stop(t),
            Action::Submit(t) => self.submit(t),
            Action::Unreserve(t) => self.unreserve(t),
            Action::Convert(t) => self.convert(t),
            Action::LockCheckpoint(t) => self.lock_checkpoint(t),
            Action::MakeSpace(t) => self.make_space(t),
            Action::FindNewer(t) => self.find_newer(t),
            Action::Committed(t) => self.committed(t),
            Action::AskCommit => self.ask_commit(),
            Action::CommitLock => self.commit_lock(),
            Action::CommitSwitch => self.commit_switch(),
            Action::CommitFlush => self.commit_flush(),
            Action::CommitWrite => self.commit_write(),
            Action::CommitEnd => self.commit_end(),
        }
    }

    /// The state, if t is there, with t gone on to `to`.
    fn goes(&self, t: Task, from: Pc, to: Pc) -> Option<State> {
        let place = self
            .place(t)
            .filter(|place| self.state.pc[*place] == from)?;
        let mut next = self.state.clone();
        next.pc[place] = to;
        Some(next)
    }

    fn is_ordinary(&self, t: Task) -> bool {
        let ordinary = self.machine.policy.conversion == Conversion::Ordinary;
        ordinary || !matches!(t, Task::Worker(_))
    }

    fn start(&self, t: Task) -> Option<State> {
        let before = self.machine.policy.wait == Wait::Before;
        let starts = match t {
            Task::Plain(_) => true,
            Task::Pages(w) => !before || !self.state.writeback[w],
            Task::Worker(w) => self.state.writeback[w],
        };
        let fits = self.ask(t).total <= self.look().user_max();
        let next = self.goes(t, Pc::Idle, if fits { Pc::Try } else { Pc::Refused })?;
        starts.then_some(next)
    }

    fn try_ordinary(&self, t: Task) -> Option<State> {
        if !self.is_ordinary(t) || self.state.aborted {
            return None;
        }
        let (look, ask) = (self.look(), self.ask(t));
        let test = look.fails(ask);
        let to = match test {
            None => Pc::Attached,
            Some(Test::Space) => Pc::Space,
            Some(Test::Half) => Pc::WaitReserved,
            Some(Test::Room) if look.too_much_reserved(ask) => Pc::WaitReserved,
            Some(Test::Running | Test::Room) => Pc::WaitLocked,
        };
        let mut next = self.goes(t, Pc::Try, to)?;
        next.running = self.current();
        match to {
            Pc::Attached => {
                next.running.out += ask.total;
                next.running.updates += 1;
                next.reserved += ask.reserves;
                if let Task::Pages(w) = t {
                    next.promised.remove(&w);
                }
            }
            Pc::WaitReserved
                if test == Some(Test::Half) && self.machine.policy.wake == Wake::HandOver =>
            {
                if let Task::Pages(w) = t {
                    next.queue.push(w);
                }
            }
            Pc::WaitLocked => next.running.asked = true,
            _ => {}
        }
        Some(next)
    }

    /// `WakeReserved`: those who wait for reserved credits try again, when so many stay reserved and promised as `next` says.
    fn wake_reserved(&self, next: &mut State) {
        let look = Look {
            reserved: next.reserved,
            promised: self.promised(&next.promised),
            ..self.look()
        };
        let asks = next.queue.iter().map(|_| self.machine.load.reserve);
        let fitting = look.fitting(asks);
        next.promised.extend(next.queue.drain(..fitting));
        let sleeps = |place: usize| {
            let of_page = |w: &usize| self.place(Task::Pages(*w)) == Some(place);
            next.queue.iter().any(of_page)
        };
        for (place, pc) in next.pc.iter_mut().enumerate() {
            if *pc == Pc::WaitReserved && !sleeps(place) {
                *pc = Pc::Try;
            }
        }
    }

    fn refuse(&self, t: Task) -> Option<State> {
        let mut next = self.goes(t, Pc::Try, Pc::Refused)?;
        if let Task::Pages(w) = t {
            next.promised.remove(&w);
        }
        self.wake_reserved(&mut next);
        self.state.aborted.then_some(next)
    }

    fn try_reserved(&self, t: Task) -> Option<State> {
        if self.is_ordinary(t) || self.state.aborted {
            return None;
        }
        if !self.look().reserved_joins() {
            let to = match self.state.running.state {
                TState::Switch => Pc::WaitSwitch,
                _ => Pc::WaitLocked,
            };
            return self.goes(t, Pc::Try, to);
        }
        let mut next = self.goes(t, Pc::Try, Pc::Attached)?;
        next.running = self.current();
        next.running.updates += 1;
        next.reserved -= self.machine.load.reserve;
        self.wake_reserved(&mut next);
        Some(next)
    }

    fn extend(&self, t: Task) -> Option<State> {
        let extra = self.machine.load.extra;
        if extra <= 0 || !matches!(t, Task::Plain(_)) {
            return None;
        }
        let running = &self.state.running;
        let look = Look {
            running: running.state,
            out: running.out,
            ..self.look()
        };
        if !look.may_extend(extra) {
            return self.goes(t, Pc::Attached, Pc::Denied);
        }
        let mut next = self.goes(t, Pc::Attached, Pc::Extended)?;
        next.running.out += extra;
        Some(next)
    }

    fn restart(&self, t: Task) -> Option<State> {
        let mut next = self.goes(t, Pc::Denied, Pc::Try)?;
        if self.machine.policy.restart == Restart::Stops {
            next.running = self.stopped(t);
        }
        next.running.asked = true;
        Some(next)
    }

    fn stop(&self, t: Task) -> Option<State> {
        let from = self
            .pc(t)
            .filter(|pc| matches!(pc, Pc::Attached | Pc::Extended))?;
        let mut next = self.goes(t, from, Pc::Idle)?;
        next.running = self.stopped(t);
        matches!(t, Task::Plain(_)).then_some(next)
    }

    /// A writepages thread that has waited for its page's writeback stops its handle.
    fn leaves_page(&self, t: Task) -> Option<(usize, State)> {
        let Task::Pages(w) = t else { return None };
        let mut next = self.goes(t, Pc::Attached, Pc::Idle)?;
        next.running = self.stopped(t);
        (!self.state.writeback[w]).then_some((w, next))
    }

    fn submit(&self, t: Task) -> Option<State> {
        let (w, mut next) = self.leaves_page(t)?;
        next.writeback[w] = true;
        if self.machine.policy.data == Data::Ordered {
            next.running.data.insert(w);
        }
        Some(next)
    }

    fn unreserve(&self, t: Task) -> Option<State> {
        let (_, mut next) = self.leaves_page(t)?;
        let reserves = self.ask(t).reserves;
        next.reserved -= reserves;
        if self.machine.policy.unreserve {
            next.running.out -= reserves;
        }
        self.wake_reserved(&mut next);
        Some(next)
    }

    fn convert(&self, t: Task) -> Option<State> {
        let Task::Worker(w) = t else { return None };
        let mut next = self.goes(t, Pc::Attached, Pc::Idle)?;
        next.writeback[w] = false;
        next.running = self.stopped(t);
        Some(next)
    }

    fn lock_checkpoint(&self, t: Task) -> Option<State> {
        let mut next = self.goes(t, Pc::Space, Pc::Checkpoint)?;
        next.mutex = Some(t);
        self.state.mutex.is_none().then_some(next)
    }

    /// j_checkpoint_mutex of those who are about to wait for a commit.
    fn mutex_in_wait(&self) -> Option<Task> {
        match self.machine.policy.mutex {
            Mutex::Held => self.state.mutex,
            Mutex::Dropped => None,
        }
    }

    fn make_space(&self, t: Task) -> Option<State> {
        let enough = self.look().has_space(self.ask(t).total);
        let oldest = self.state.checkpoint.first();
        let commit = self.state.committing.state != TState::None;
        let abort = self.machine.policy.abort;
        let to = match oldest {
            _ if enough => Pc::Try,
            Some(_) => Pc::Space,
            None if commit => Pc::WaitCommit,
            None if abort => Pc::Try,
            None => Pc::Space,
        };
        let mut next = self.goes(t, Pc::Checkpoint, to)?;
        next.mutex = None;
        match oldest {
            _ if enough => {}
            Some(blocks) => {
                next.free += blocks;
                next.checkpoint.remove(0);
            }
            None if commit => next.mutex = self.mutex_in_wait(),
            None => next.aborted |= abort,
        }
        Some(next)
    }

    fn find_newer(&self, t: Task) -> Option<State> {
        let mut next = self.goes(t, Pc::Checkpoint, Pc::WaitCommit)?;
        let commit = self.state.committing.state != TState::None;
        if self.state.checkpoint.is_empty() || (self.state.running.log <= 0 && !commit) {
            return None;
        }
        if !commit {
            next.running.asked = true;
        }
        next.mutex = self.mutex_in_wait();
        Some(next)
    }

    fn committed(&self, t: Task) -> Option<State> {
        let mut next = self.goes(t, Pc::WaitCommit, Pc::Space)?;
        let ended = self.state.committing.state == TState::None && !self.state.running.asked;
        next.mutex = self.state.mutex.filter(|holder| *holder != t);
        ended.then_some(next)
    }

    fn ask_commit(&self) -> Option<State> {
        let running = &self.state.running;
        let asks = running.state == TState::Running && !running.asked && running.log > 0;
        let mut next = self.state.clone();
        next.running.asked = true;
        asks.then_some(next)
    }

    fn commit_lock(&self) -> Option<State> {
        let (running, committing) = (&self.state.running, &self.state.committing);
        let locks = (running.state, committing.state) == (TState::Running, TState::None);
        let mut next = self.state.clone();
        next.running.state = TState::Locked;
        (locks && running.asked).then_some(next)
    }

    fn commit_switch(&self) -> Option<State> {
        let running = &self.state.running;
        let mut next = self.state.clone();
        next.running.state = TState::Switch;
        (running.state == TState::Locked && running.updates == 0).then_some(next)
    }

    fn commit_flush(&self) -> Option<State> {
        let mut next = self.state.clone();
        next.committing = std::mem::replace(&mut next.running, Transaction::NONE);
        next.committing.state = TState::Flush;
        next.committing.out -= self.state.reserved;
        for pc in &mut next.pc {
            if matches!(pc, Pc::WaitLocked | Pc::WaitSwitch) {
                *pc = Pc::Try;
            }
        }
        (self.state.running.state == TState::Switch).then_some(next)
    }

    fn commit_write(&self) -> Option<State> {
        let committing = &self.state.committing;
        let on_disk = |page: &usize| !self.state.writeback[*page];
        if committing.state != TState::Flush || !committing.data.iter().all(on_disk) {
            return None;
        }
        let mut next = self.state.clone();
        next.free -= committing.log + OF_COMMIT;
        next.committing.state = TState::Tail;
        next.committing.out = 0;
        next.committing.data.clear();
        (self.state.free >= 1).then_some(next)
    }

    fn commit_end(&self) -> Option<State> {
        let committing = &self.state.committing;
        if committing.state != TState::Tail || self.state.mutex.is_some() {
            return None;
        }
        let mut next = self.state.clone();
        next.committing = Transaction::NONE;
        let blocks = committing.log + OF_COMMIT;
        if committing.log > 0 {
            next.checkpoint.push(blocks);
            if self.machine.policy.tail == Tail::Newest {
                next.free += blocks;
            }
        } else if let Some(last) = next.checkpoint.last_mut() {
            *last += blocks;
        } else {
            next.free += blocks;
        }
        Some(next)
    }
}
