//! The steps of a task and of the commit: the actions of `Jbd2Credits.tla`.

use super::decisions::{Ask, Look, Test, given_back};
use super::machine::{Action, Credits, Machine, Pc, State, TState, Task, Transaction};
use super::policy::{Conversion, Data, Granted, Mutex, Restart, Tail, Wait};

/// Blocks that a commit writes beside what was dirtied: a descriptor and the commit record.
const OF_COMMIT: Credits = 2;

/// A state that takes steps under a machine's policy.
pub(super) struct Steps<'a> {
    pub machine: &'a Machine,
    pub state: &'a mut State,
}

/// What depends on the task.
impl Steps<'_> {
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
            Some(Pc::Extended) => self.extras(t),
            _ => 0,
        };
        let dirties = match t {
            Task::Plain(_) => load.uses,
            Task::Pages(_) => load.page_uses,
            Task::Worker(_) => load.convert_uses,
        };
        (self.credits(t) + more, dirties + more)
    }

    /// `Extras`.
    fn extras(&self, t: Task) -> Credits {
        match t {
            Task::Plain(_) => self.machine.load.extra,
            Task::Pages(_) => 0,
            Task::Worker(_) => self.machine.load.convert_extra,
        }
    }

    /// t_outstanding_credits of a new transaction.
    fn of_new(&self) -> Credits {
        self.machine.sizes.overhead + self.state.reserved
    }

    /// `Current`: the running transaction is a new one, if there was none.
    fn begin(&mut self) {
        if self.state.running.state == TState::None {
            let out = self.of_new();
            self.state.running = Transaction {
                state: TState::Running,
                out,
                ..Transaction::NONE
            };
        }
    }

    fn look(&self) -> Look<'_> {
        let (running, out) = match self.state.running.state {
            TState::None => (TState::Running, self.of_new()),
            state => (state, self.state.running.out),
        };
        Look {
            policy: &self.machine.policy,
            sizes: &self.machine.sizes,
            running,
            out,
            committing: self.state.committing.out,
            free: self.state.free,
            reserved: self.state.reserved,
            promised: match self.machine.policy.granted {
                Granted::Apart => self.granted(self.state.promised.len()),
                Granted::Reserved => 0,
            },
        }
    }

    /// The credits that are handed over to so many.
    fn granted(&self, count: usize) -> Credits {
        self.machine.load.reserve * count as Credits
    }

    /// What of these counts as reserved already.
    fn granted_reserved(&self, count: usize) -> Credits {
        match self.machine.policy.granted {
            Granted::Apart => 0,
            Granted::Reserved => self.granted(count),
        }
    }

    /// `Stopped`: the running transaction after the handle's stop.
    fn stop_handle(&mut self, t: Task) {
        let (has, spends) = self.handle(t);
        let running = &mut self.state.running;
        running.out -= given_back(&self.machine.policy, has, spends);
        running.updates -= 1;
        running.log += spends;
    }
}

/// Each step is `None` unless it is enabled; then it changes nothing.
impl Steps<'_> {
    pub fn step(&mut self, action: Action) -> Option<()> {
        match action {
            Action::Start(t) => self.start(t),
            Action::Try(t) => self.try_ordinary(t),
            Action::Fail(t) => self.fail(t),
            Action::Undo(t) => self.undo(t),
            Action::Look(t) => self.look_again(t),
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
            Action::FindCommitting(t) => self.find_committing(t),
            _ if !self.is_writable() => None,
            Action::AskCommit => self.ask_commit(),
            Action::CommitLock => self.commit_lock(),
            Action::CommitSwitch => self.commit_switch(),
            Action::CommitFlush => self.commit_flush(),
            Action::CommitWrite => self.commit_write(),
            Action::CommitEnd => self.commit_end(),
        }
    }

    /// The task's place, if it is there and at `from`.
    fn at(&self, t: Task, from: Pc) -> Option<usize> {
        self.place(t).filter(|place| self.state.pc[*place] == from)
    }

    fn is_ordinary(&self, t: Task) -> bool {
        let ordinary = self.machine.policy.conversion == Conversion::Ordinary;
        ordinary || !matches!(t, Task::Worker(_))
    }

    fn start(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Idle)?;
        let before = self.machine.policy.wait == Wait::Before;
        let starts = match t {
            Task::Plain(_) => true,
            Task::Pages(w) => !before || !self.state.writeback[w],
            Task::Worker(w) => self.state.writeback[w],
        };
        let fits = self.ask(t).total <= self.look().user_max();
        starts.then(|| self.state.pc[place] = if fits { Pc::Try } else { Pc::Refused })
    }

    fn try_ordinary(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Try)?;
        if !self.is_ordinary(t) || self.state.aborted {
            return None;
        }
        let (look, ask) = (self.look(), self.ask(t));
        let reserved = self.granted_reserved(usize::from(ask.is_promised));
        let test = look.fails(ask);
        let to = match test {
            None => Pc::Attached,
            Some(Test::Space) => Pc::Space,
            Some(Test::Half) if look.is_exact() => Pc::WaitReserved,
            Some(Test::Half) => return None,
            Some(Test::Room) if look.too_much_reserved(ask) => Pc::WaitRoom,
            Some(Test::Running | Test::Room) => Pc::WaitLocked,
        };
        self.begin();
        let state = &mut *self.state;
        state.pc[place] = to;
        match to {
            Pc::Attached => {
                state.running.out += ask.total;
                state.running.updates += 1;
                state.reserved += ask.reserves - reserved;
                if let Task::Pages(w) = t {
                    state.promised.remove(&w);
                }
            }
            Pc::WaitReserved => {
                if let Task::Pages(w) = t {
                    state.queue.push(w);
                }
            }
            Pc::WaitLocked => state.running.asked = true,
            _ => {}
        }
        Some(())
    }

    fn fail(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Try)?;
        let (look, ask) = (self.look(), self.ask(t));
        let fails = !look.is_exact() && look.fails(ask) == Some(Test::Half);
        if !fails || matches!(t, Task::Worker(_)) || self.state.aborted {
            return None;
        }
        self.begin();
        self.state.running.out += ask.total;
        self.state.reserved += ask.reserves;
        self.state.pc[place] = Pc::Undo;
        Some(())
    }

    fn undo(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Undo)?;
        let ask = self.ask(t);
        self.state.running.out -= ask.total;
        self.state.reserved -= ask.reserves;
        self.state.pc[place] = Pc::WaitReserved;
        Some(())
    }

    /// `Look`.
    fn look_again(&mut self, t: Task) -> Option<()> {
        let place = self.place(t)?;
        let (look, ask) = (self.look(), self.ask(t));
        let fits = match self.state.pc[place] {
            Pc::WaitReserved => !look.is_exact() && look.reservation_fits(ask.reserves),
            Pc::WaitRoom => look.room_fits(ask.total),
            _ => false,
        };
        fits.then(|| self.state.pc[place] = Pc::Try)
    }

    /// `Writable`: nobody holds j_state_lock for reading, who is to take back what it has added.
    fn is_writable(&self) -> bool {
        !self.state.pc.contains(&Pc::Undo)
    }

    /// `GiveBack`: those who wait in the queue are served, as far as what stays reserved and promised leaves some.
    fn give_back(&mut self) {
        let asks = self.state.queue.iter().map(|_| self.machine.load.reserve);
        let fitting = self.look().fitting(asks);
        self.state.reserved += self.granted_reserved(fitting);
        for page in self.state.queue.drain(..fitting) {
            if let Some(place) = self.machine.place(Task::Pages(page)) {
                self.state.pc[place] = Pc::Try;
            }
            self.state.promised.insert(page);
        }
    }

    fn refuse(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Try).filter(|_| self.state.aborted)?;
        self.state.pc[place] = Pc::Refused;
        if let Task::Pages(w) = t {
            let owns = self.state.promised.remove(&w);
            self.state.reserved -= self.granted_reserved(usize::from(owns));
        }
        if !self.is_ordinary(t) {
            let had = self.machine.load.reserve;
            self.state.reserved -= had;
            if self.state.running.state != TState::None {
                self.state.running.out -= had;
            }
        }
        self.give_back();
        Some(())
    }

    fn try_reserved(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Try)?;
        if self.is_ordinary(t) || self.state.aborted {
            return None;
        }
        if !self.look().reserved_joins() {
            self.state.pc[place] = match self.state.running.state {
                TState::Switch => Pc::WaitSwitch,
                _ => Pc::WaitLocked,
            };
            return Some(());
        }
        self.begin();
        self.state.pc[place] = Pc::Attached;
        self.state.running.updates += 1;
        self.state.reserved -= self.machine.load.reserve;
        self.give_back();
        Some(())
    }

    fn extend(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Attached)?;
        let extra = self.extras(t);
        if extra <= 0 {
            return None;
        }
        let look = Look {
            running: self.state.running.state,
            ..self.look()
        };
        if look.may_extend(extra) {
            self.state.pc[place] = Pc::Extended;
            self.state.running.out += extra;
            return Some(());
        }
        matches!(t, Task::Plain(_)).then(|| self.state.pc[place] = Pc::Denied)
    }

    fn restart(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Denied)?;
        if self.machine.policy.restart == Restart::Stops {
            self.stop_handle(t);
        }
        self.state.pc[place] = Pc::Try;
        self.state.running.asked = true;
        Some(())
    }

    fn stop(&mut self, t: Task) -> Option<()> {
        let place = self.place(t).filter(|_| matches!(t, Task::Plain(_)))?;
        if !matches!(self.state.pc[place], Pc::Attached | Pc::Extended) {
            return None;
        }
        self.stop_handle(t);
        self.state.pc[place] = Pc::Idle;
        Some(())
    }

    /// A writepages thread that has waited for its page's writeback stops its handle.
    fn leave_page(&mut self, t: Task) -> Option<usize> {
        let Task::Pages(w) = t else { return None };
        let place = self.at(t, Pc::Attached)?;
        if self.state.writeback[w] {
            return None;
        }
        self.stop_handle(t);
        self.state.pc[place] = Pc::Idle;
        Some(w)
    }

    fn submit(&mut self, t: Task) -> Option<()> {
        let w = self.leave_page(t)?;
        self.state.writeback[w] = true;
        if self.machine.policy.data == Data::Ordered {
            self.state.running.data.insert(w);
        }
        Some(())
    }

    fn unreserve(&mut self, t: Task) -> Option<()> {
        self.leave_page(t)?;
        let reserves = self.ask(t).reserves;
        self.state.reserved -= reserves;
        if self.machine.policy.unreserve {
            self.state.running.out -= reserves;
        }
        self.give_back();
        Some(())
    }

    fn convert(&mut self, t: Task) -> Option<()> {
        let Task::Worker(w) = t else { return None };
        let place = self.place(t)?;
        if !matches!(self.state.pc[place], Pc::Attached | Pc::Extended) {
            return None;
        }
        self.stop_handle(t);
        self.state.pc[place] = Pc::Idle;
        self.state.writeback[w] = false;
        Some(())
    }

    fn lock_checkpoint(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Space)?;
        let is_free = self.state.mutex.is_none();
        is_free.then(|| {
            self.state.pc[place] = Pc::Checkpoint;
            self.state.mutex = Some(t);
        })
    }

    /// Those who are about to wait for a commit drop j_checkpoint_mutex.
    fn drop_mutex_in_wait(&mut self) {
        if self.machine.policy.mutex == Mutex::Dropped {
            self.state.mutex = None;
        }
    }

    fn make_space(&mut self, t: Task) -> Option<()> {
        let place = self.at(t, Pc::Checkpoint)?;
        if !self.is_writable() {
            return None;
        }
        let enough = self.look().has_space(self.ask(t).total);
        let commit = self.state.committing.state != TState::None;
        let abort = self.machine.policy.abort;
        let is_empty = self.state.checkpoint.is_empty();
        self.state.pc[place] = if enough || (is_empty && !commit && abort) {
            Pc::Try
        } else if is_empty && commit {
            Pc::WaitCommit
        } else {
            Pc::Space
        };
        if !enough && is_empty && commit {
            self.drop_mutex_in_wait();
            return Some(());
        }
        self.state.mutex = None;
        if !enough && is_empty {
            self.state.aborted |= abort;
        } else if !enough {
            self.state.free += self.state.checkpoint.remove(0);
        }
        Some(())
    }

    fn find_newer(&mut self, t: Task) -> Option<()> {
        let place = self.find(t, self.state.running.log)?;
        self.state.pc[place] = Pc::WaitRunning;
        self.state.running.asked = true;
        Some(())
    }

    fn find_committing(&mut self, t: Task) -> Option<()> {
        let place = self.find(t, self.state.committing.log)?;
        self.state.pc[place] = Pc::WaitCommit;
        Some(())
    }

    /// A checkpoint finds a buffer that a transaction of so many blocks owns.
    fn find(&mut self, t: Task, log: Credits) -> Option<usize> {
        let place = self.at(t, Pc::Checkpoint)?;
        if self.state.checkpoint.is_empty() || log <= 0 || !self.is_writable() {
            return None;
        }
        self.drop_mutex_in_wait();
        Some(place)
    }

    fn ask_commit(&mut self) -> Option<()> {
        let running = &mut self.state.running;
        let asks = running.state == TState::Running && !running.asked && running.log > 0;
        asks.then(|| running.asked = true)
    }

    fn commit_lock(&mut self) -> Option<()> {
        let (running, committing) = (&mut self.state.running, &self.state.committing);
        let locks = (running.state, committing.state) == (TState::Running, TState::None);
        (locks && running.asked).then(|| running.state = TState::Locked)
    }

    fn commit_switch(&mut self) -> Option<()> {
        let running = &mut self.state.running;
        let switches = running.state == TState::Locked && running.updates == 0;
        switches.then(|| running.state = TState::Switch)
    }

    fn commit_flush(&mut self) -> Option<()> {
        let state = &mut *self.state;
        if state.running.state != TState::Switch {
            return None;
        }
        state.committing = std::mem::replace(&mut state.running, Transaction::NONE);
        state.committing.state = TState::Flush;
        state.committing.out -= state.reserved;
        for pc in &mut state.pc {
            match pc {
                Pc::WaitLocked | Pc::WaitSwitch => *pc = Pc::Try,
                Pc::WaitRunning => *pc = Pc::WaitCommit,
                _ => {}
            }
        }
        Some(())
    }

    fn commit_write(&mut self) -> Option<()> {
        let state = &mut *self.state;
        let committing = &mut state.committing;
        let mut data = committing.data.iter();
        if committing.state != TState::Flush || data.any(|page| state.writeback[*page]) {
            return None;
        }
        (state.free >= 1).then(|| {
            state.free -= committing.log + OF_COMMIT;
            committing.state = TState::Tail;
            committing.out = 0;
            committing.data.clear();
        })
    }

    fn commit_end(&mut self) -> Option<()> {
        let state = &mut *self.state;
        if state.committing.state != TState::Tail || state.mutex.is_some() {
            return None;
        }
        let committing = std::mem::replace(&mut state.committing, Transaction::NONE);
        let blocks = committing.log + OF_COMMIT;
        if committing.log > 0 {
            state.checkpoint.push(blocks);
            if self.machine.policy.tail == Tail::Newest {
                state.free += blocks;
            }
        } else if let Some(last) = state.checkpoint.last_mut() {
            *last += blocks;
        } else {
            state.free += blocks;
        }
        for pc in &mut state.pc {
            if *pc == Pc::WaitCommit {
                *pc = Pc::Space;
            }
        }
        Some(())
    }
}
