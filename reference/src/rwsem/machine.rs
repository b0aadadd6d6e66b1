//! The state machine of a reader/writer semaphore with a wait queue: the lock's part of `Rwsem.tla`.
//!
//! States and actions bear the names that they have in the specification, where each action's kernel function is told. What
//! only the model checker needs, the history of overtaking, is left out. The actions that are enabled in a state, and the state
//! after each, are a function of the state: no threads, no clock.

pub use interlock_rwlock::Kind;

use super::decisions::View;
use super::policy::Policy;

/// What a task is doing; in `Rwsem.tla` a string of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// Does not want the lock.
    Idle,
    /// Wants it, spins, is not queued.
    Spin,
    /// Queued, asleep.
    Wait,
    /// Queued, runs, will try for itself.
    Try,
    /// Has it.
    Hold,
    /// A writer that has it for reading: downgraded.
    Shared,
    /// The same, before it has let readers in.
    Dwake,
    /// Has released it, must wake the queue.
    Wake,
}

/// The tasks of a lock and its design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Each task's kind. Tasks are indices.
    pub kinds: Vec<Kind>,
    /// Whether each task may downgrade; only writers may. As long as `kinds`.
    pub downgraders: Vec<bool>,
    /// The design.
    pub policy: Policy,
}

/// A state of the lock.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// What each task is doing.
    pub pc: Vec<Pc>,
    /// The waiters, first to be served first.
    pub queue: Vec<usize>,
    /// The first waiter has waited for RWSEM_WAIT_TIMEOUT.
    pub expired: bool,
    /// RWSEM_FLAG_HANDOFF: only the first waiter may take the lock.
    pub handoff: bool,
}

/// An action of `Rwsem.tla`, with the task that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// `down_read`, `down_write`: takes the lock on arrival.
    Enter(usize),
    /// Starts to spin.
    Spin(usize),
    /// A spinner takes the lock past the queue.
    Steal(usize),
    /// Queues.
    Queue(usize),
    /// A waiter that runs takes the lock.
    Take(usize),
    /// A waiter that runs goes back to sleep.
    Sleep(usize),
    /// `up_read`, `up_write`: gives the lock up.
    Release(usize),
    /// `downgrade_write`: a writer goes on as a reader.
    Downgrade(usize),
    /// A writer that has downgraded lets readers in.
    DowngradeWake(usize),
    /// A releaser wakes the queue.
    Wake(usize),
    /// A releaser leaves the queue to a spinner.
    SkipWake(usize),
    /// A waiter that is not the first demands the lock for the first, and sleeps.
    DemandForFirst(usize),
    /// Whoever demands the lock for the first waiter stays awake.
    Demand,
    /// RWSEM_WAIT_TIMEOUT has passed for the first waiter.
    Expire,
}

impl Action {
    /// The task that takes it; none for [`Action::Demand`] and [`Action::Expire`].
    pub fn task(self) -> Option<usize> {
        match self {
            Action::Enter(t)
            | Action::Spin(t)
            | Action::Steal(t)
            | Action::Queue(t)
            | Action::Take(t)
            | Action::Sleep(t)
            | Action::Release(t)
            | Action::Downgrade(t)
            | Action::DowngradeWake(t)
            | Action::Wake(t)
            | Action::SkipWake(t)
            | Action::DemandForFirst(t) => Some(t),
            Action::Demand | Action::Expire => None,
        }
    }
}

/// What an action fixes; the timer and the hand-off follow (`Settle`).
struct Next {
    pc: Vec<Pc>,
    queue: Vec<usize>,
    expires: bool,
    demands: bool,
}

impl Machine {
    /// Tasks `0..readers` read, the `writers` after them write; nobody downgrades.
    pub fn new(readers: usize, writers: usize, policy: Policy) -> Machine {
        let mut kinds = vec![Kind::Reader; readers];
        kinds.resize(readers + writers, Kind::Writer);
        Machine {
            downgraders: vec![false; kinds.len()],
            kinds,
            policy,
        }
    }

    /// `Init`: all idle.
    pub fn init(&self) -> State {
        State {
            pc: vec![Pc::Idle; self.kinds.len()],
            queue: Vec::new(),
            expired: false,
            handoff: false,
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let of_task = [
            Action::Enter,
            Action::Spin,
            Action::Steal,
            Action::Queue,
            Action::Take,
            Action::Sleep,
            Action::Release,
            Action::Downgrade,
            Action::DowngradeWake,
            Action::Wake,
            Action::SkipWake,
            Action::DemandForFirst,
        ];
        let tasks = 0..self.kinds.len();
        tasks
            .flat_map(|t| of_task.map(|action| action(t)))
            .chain([Action::Demand, Action::Expire])
            .collect()
    }

    /// The actions that are enabled.
    pub fn actions(&self, state: &State) -> Vec<Action> {
        let mut actions = self.candidates();
        actions.retain(|&action| self.step(state, action).is_some());
        actions
    }

    /// The state after `action`, or `None` if it is not enabled: also for a task or a state that is not this machine's.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let tasks = self.kinds.len();
        let known = |t: usize| t < tasks;
        let ours = state.pc.len() == tasks && state.queue.iter().copied().all(known);
        if !ours || !action.task().is_none_or(known) {
            return None;
        }
        let now = View {
            machine: self,
            state,
        };
        let next = match action {
            Action::Enter(t) => now.enter(t),
            Action::Spin(t) => now.spin(t),
            Action::Steal(t) => now.steal(t),
            Action::Queue(t) => now.queue(t),
            Action::Take(t) => now.take(t),
            Action::Sleep(t) => now.sleep(t),
            Action::Release(t) => now.release(t),
            Action::Downgrade(t) => now.downgrade(t),
            Action::DowngradeWake(t) => now.downgrade_wake(t),
            Action::Wake(t) => now.wake(t),
            Action::SkipWake(t) => now.skip_wake(t),
            Action::DemandForFirst(t) => now.demand_for_first(t),
            Action::Demand => now.demand(),
            Action::Expire => now.expire(),
        }?;
        // `Settle`: the timer and the hand-off belong to the first waiter and go with it.
        let same_first = next
            .queue
            .first()
            .is_some_and(|_| state.queue.first() == next.queue.first());
        Some(State {
            pc: next.pc,
            queue: next.queue,
            expired: same_first && (state.expired || next.expires),
            handoff: same_first && (state.handoff || next.demands),
        })
    }
}

/// The steps of a task, each `None` unless it is enabled.
impl View<'_> {
    fn pc(&self, t: usize) -> Pc {
        self.state.pc[t]
    }

    /// The lock goes to `granted`, out of `queue`; `pc` is the rest.
    fn acquire(granted: &[usize], mut queue: Vec<usize>, mut pc: Vec<Pc>) -> Next {
        queue.retain(|t| !granted.contains(t));
        for &t in granted {
            pc[t] = Pc::Hold;
        }
        Next {
            pc,
            queue,
            expires: false,
            demands: false,
        }
    }

    /// Only `t`'s own state changes.
    fn becomes(&self, t: usize, state: Pc) -> Next {
        let mut pc = self.state.pc.clone();
        pc[t] = state;
        Self::acquire(&[], self.state.queue.clone(), pc)
    }

    /// `t` takes the lock; a reader may let the queued readers in with it.
    fn takes(&self, t: usize, lets_in: bool) -> Next {
        let mut granted = vec![t];
        if lets_in && self.is_reader(t) {
            granted.extend(self.granted(&self.state.queue));
        }
        Self::acquire(&granted, self.state.queue.clone(), self.state.pc.clone())
    }

    /// The lock lets an arrival in.
    fn admits(&self, t: usize) -> bool {
        self.compatible(t) && (self.state.queue.is_empty() || self.barges(t))
    }

    fn enter(&self, t: usize) -> Option<Next> {
        (self.pc(t) == Pc::Idle && self.admits(t)).then(|| self.takes(t, self.self_wakes()))
    }

    fn spin(&self, t: usize) -> Option<Next> {
        let at_once = self.compatible(t) && self.state.queue.is_empty();
        (self.pc(t) == Pc::Idle && self.spins(t) && !at_once).then(|| self.becomes(t, Pc::Spin))
    }

    fn steal(&self, t: usize) -> Option<Next> {
        (self.pc(t) == Pc::Spin && self.may_steal(t)).then(|| self.takes(t, true))
    }

    fn queue(&self, t: usize) -> Option<Next> {
        let queues = match self.pc(t) {
            Pc::Spin => self.is_reader(t) || self.queues_first(t) || !self.may_steal(t),
            Pc::Idle => !self.spins(t) && !self.admits(t),
            _ => false,
        };
        queues.then(|| {
            let q = self.place(t);
            let mut pc = self.state.pc.clone();
            pc[t] = if self.queues_first(t) {
                Pc::Try
            } else {
                Pc::Wait
            };
            if !self.self_wakes() || self.write_held() {
                return Self::acquire(&[], q, pc);
            }
            if self.free() {
                for u in self.roused(&q) {
                    pc[u] = Pc::Try;
                }
            }
            Self::acquire(&self.granted(&q), q, pc)
        })
    }

    fn take(&self, t: usize) -> Option<Next> {
        (self.pc(t) == Pc::Try && self.may_take(t)).then(|| self.takes(t, false))
    }

    fn sleep(&self, t: usize) -> Option<Next> {
        (self.pc(t) == Pc::Try && !self.may_take(t)).then(|| Next {
            demands: self.policy().handoff
                && self.state.expired
                && self.state.queue.first() == Some(&t)
                && !self.free(),
            ..self.becomes(t, Pc::Wait)
        })
    }

    fn release(&self, t: usize) -> Option<Next> {
        matches!(self.pc(t), Pc::Hold | Pc::Shared).then(|| {
            let last = self.holders().eq([t]);
            let wakes = last && !self.state.queue.is_empty();
            self.becomes(t, if wakes { Pc::Wake } else { Pc::Idle })
        })
    }

    fn downgrade(&self, t: usize) -> Option<Next> {
        (self.machine.downgraders.get(t) == Some(&true) && self.pc(t) == Pc::Hold).then(|| {
            if self.self_wakes() && !self.state.queue.is_empty() {
                self.becomes(t, Pc::Dwake)
            } else {
                self.downgraded(t)
            }
        })
    }

    fn downgrade_wake(&self, t: usize) -> Option<Next> {
        (self.pc(t) == Pc::Dwake).then(|| self.downgraded(t))
    }

    /// `t` has the lock for reading, and the readers that a wake-up would let in.
    fn downgraded(&self, t: usize) -> Next {
        let queue = &self.state.queue;
        let granted = if self.policy().shared {
            self.readers_ahead(queue)
        } else {
            Vec::new()
        };
        Self::acquire(&granted, queue.clone(), self.becomes(t, Pc::Shared).pc)
    }

    fn wake(&self, t: usize) -> Option<Next> {
        (self.pc(t) == Pc::Wake).then(|| {
            let mut next = self.becomes(t, Pc::Idle);
            let queue = &self.state.queue;
            for u in self.roused(queue) {
                next.pc[u] = Pc::Try;
            }
            let first_reads = queue.first().is_some_and(|&first| self.is_reader(first));
            Next {
                demands: self.policy().handoff
                    && self.state.expired
                    && first_reads
                    && self.write_held(),
                ..Self::acquire(&self.granted(queue), next.queue, next.pc)
            }
        })
    }

    fn skip_wake(&self, t: usize) -> Option<Next> {
        (self.pc(t) == Pc::Wake && self.skips_wake()).then(|| self.becomes(t, Pc::Idle))
    }

    /// Nobody has demanded the lock for the first waiter yet, and its time is up.
    fn may_be_demanded(&self) -> bool {
        self.policy().handoff && self.state.expired && !self.state.handoff
    }

    fn demand_for_first(&self, t: usize) -> Option<Next> {
        let runs = self.pc(t) == Pc::Try && self.state.queue.first() != Some(&t);
        (runs && self.may_be_demanded()).then(|| Next {
            demands: true,
            ..self.becomes(t, Pc::Wait)
        })
    }

    fn demand(&self) -> Option<Next> {
        let first = self.state.queue.first();
        let found = first.is_some_and(|&t| self.is_reader(t)) || self.state.pc.contains(&Pc::Try);
        (found && self.may_be_demanded()).then(|| Next {
            demands: true,
            ..Self::acquire(&[], self.state.queue.clone(), self.state.pc.clone())
        })
    }

    fn expire(&self) -> Option<Next> {
        let starts = self.policy().handoff && !self.state.queue.is_empty() && !self.state.expired;
        starts.then(|| Next {
            expires: true,
            ..Self::acquire(&[], self.state.queue.clone(), self.state.pc.clone())
        })
    }
}
