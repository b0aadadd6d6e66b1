//! The state machine of policy `BatchQueue` with a budget: `RwsemBudget.tla`.
//!
//! States and actions bear the names that they have in the specification. The lock without a budget, its queue and its rules of who goes
//! where, are [`Machine`]'s.

use super::decisions::View;
use super::machine::{Machine, Pc, State as LockState};
use super::policy::Policy;

/// The tasks of a lock, and its budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetMachine {
    /// The tasks, and the lock without a budget; its policy is [`Policy::BATCH_QUEUE`].
    pub lock: Machine,
    /// How many may enter past a head of the queue.
    pub budget: u32,
}

/// A state of the lock.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// What each task is doing, and the waiters. [`Pc::Try`]: called, will look.
    pub lock: LockState,
    /// How many have entered past the head of the queue.
    pub passed: u32,
    /// The head has been called, and has not looked yet.
    pub roused: bool,
}

/// An action of `RwsemBudget.tla`, with the task that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Takes the lock on arrival, past the waiters if there are any.
    Enter(usize),
    /// Waits.
    Queue(usize),
    /// Gives the lock up.
    Release(usize),
    /// A writer goes on as a reader.
    Downgrade(usize),
    /// Who has left hands the lock over.
    Wake(usize),
    /// Who has left leaves the lock free, and calls the head.
    Rouse(usize),
    /// Who is called takes the lock, and all at the head with it.
    Take(usize),
    /// Who is called looks in vain.
    Miss(usize),
}

impl Action {
    /// The task that takes it.
    pub fn task(self) -> usize {
        match self {
            Action::Enter(t)
            | Action::Queue(t)
            | Action::Release(t)
            | Action::Downgrade(t)
            | Action::Wake(t)
            | Action::Rouse(t)
            | Action::Take(t)
            | Action::Miss(t) => t,
        }
    }
}

impl BudgetMachine {
    /// Tasks `0..readers` read, the `writers` after them write; nobody downgrades.
    pub fn new(readers: usize, writers: usize, budget: u32) -> BudgetMachine {
        BudgetMachine {
            lock: Machine::new(readers, writers, Policy::BATCH_QUEUE),
            budget,
        }
    }

    /// `Init`: all idle.
    pub fn init(&self) -> State {
        State {
            lock: self.lock.init(),
            passed: 0,
            roused: false,
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let of_task = [
            Action::Enter,
            Action::Queue,
            Action::Release,
            Action::Downgrade,
            Action::Wake,
            Action::Rouse,
            Action::Take,
            Action::Miss,
        ];
        let tasks = 0..self.lock.kinds.len();
        tasks
            .flat_map(|t| of_task.map(|action| action(t)))
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
        let tasks = self.lock.kinds.len();
        let waiters = &state.lock.queue;
        let ours = state.lock.pc.len() == tasks && waiters.iter().all(|&t| t < tasks);
        if !ours || action.task() >= tasks {
            return None;
        }
        let now = Now {
            lock: View {
                machine: &self.lock,
                state: &state.lock,
            },
            state,
            budget: self.budget,
        };
        let Next {
            lock,
            passed,
            roused,
        } = match action {
            Action::Enter(t) => now.enter(t),
            Action::Queue(t) => now.queue(t),
            Action::Release(t) => now.release(t),
            Action::Downgrade(t) => now.downgrade(t),
            Action::Wake(t) => now.wake(t),
            Action::Rouse(t) => now.rouse(t),
            Action::Take(t) => now.take(t),
            Action::Miss(t) => now.miss(t),
        }?;
        // `Settle`: both belong to the head, and go with it.
        let same = !waiters.is_empty() && waiters.first() == lock.queue.first();
        Some(State {
            lock,
            passed: if same { passed } else { 0 },
            roused: same && roused,
        })
    }
}

/// What an action fixes, for the head that is there before it.
struct Next {
    lock: LockState,
    passed: u32,
    roused: bool,
}

/// A state under a machine's rules. Each method is the operator of that name.
struct Now<'a> {
    lock: View<'a>,
    state: &'a State,
    budget: u32,
}

impl Now<'_> {
    fn is(&self, t: usize, pc: Pc) -> bool {
        self.lock.state.pc[t] == pc
    }

    fn waiters(&self) -> &[usize] {
        &self.lock.state.queue
    }

    /// Those that the lock goes to next.
    fn front(&self) -> Vec<usize> {
        let readers = self.lock.readers_ahead(self.waiters());
        if readers.is_empty() {
            self.waiters().iter().copied().take(1).collect()
        } else {
            readers
        }
    }

    fn may_pass(&self) -> bool {
        let left = self.state.passed < self.budget;
        left && (!self.lock.free() || self.state.roused)
    }

    fn admits(&self, t: usize) -> bool {
        self.lock.compatible(t) && (self.waiters().is_empty() || self.may_pass())
    }

    fn must_wake(&self, t: usize) -> bool {
        self.lock.holders().eq([t]) && !self.waiters().is_empty() && !self.state.roused
    }

    /// The same budget and call, with another state of the lock.
    fn with(&self, lock: LockState) -> Next {
        Next {
            lock,
            passed: self.state.passed,
            roused: self.state.roused,
        }
    }

    /// Only `t` moves.
    fn moves(&self, t: usize, pc: Pc) -> LockState {
        let mut lock = self.lock.state.clone();
        lock.pc[t] = pc;
        lock
    }

    /// The lock goes to `granted`, out of the queue of `lock`.
    fn acquire(&self, granted: &[usize], mut lock: LockState) -> Next {
        lock.queue.retain(|t| !granted.contains(t));
        for &t in granted {
            lock.pc[t] = Pc::Hold;
        }
        self.with(lock)
    }

    fn enter(&self, t: usize) -> Option<Next> {
        (self.is(t, Pc::Idle) && self.admits(t)).then(|| Next {
            passed: self.state.passed.saturating_add(1),
            ..self.with(self.moves(t, Pc::Hold))
        })
    }

    fn queue(&self, t: usize) -> Option<Next> {
        (self.is(t, Pc::Idle) && !self.admits(t)).then(|| {
            let reads = |&t: &usize| self.lock.is_reader(t);
            let joins = self.waiters().first().is_some_and(reads) && reads(&t);
            let called = joins && self.state.roused;
            self.with(LockState {
                queue: self.lock.place(t),
                ..self.moves(t, if called { Pc::Try } else { Pc::Wait })
            })
        })
    }

    fn release(&self, t: usize) -> Option<Next> {
        (self.is(t, Pc::Hold) || self.is(t, Pc::Shared)).then(|| {
            let wakes = self.must_wake(t);
            self.with(self.moves(t, if wakes { Pc::Wake } else { Pc::Idle }))
        })
    }

    fn downgrade(&self, t: usize) -> Option<Next> {
        let may = self.lock.machine.downgraders.get(t) == Some(&true);
        (may && self.is(t, Pc::Hold)).then(|| {
            let readers = self.lock.readers_ahead(self.waiters());
            self.acquire(&readers, self.moves(t, Pc::Shared))
        })
    }

    fn wake(&self, t: usize) -> Option<Next> {
        let spent = self.state.passed >= self.budget;
        (self.is(t, Pc::Wake) && spent)
            .then(|| self.acquire(&self.front(), self.moves(t, Pc::Idle)))
    }

    fn rouse(&self, t: usize) -> Option<Next> {
        let spent = self.state.passed >= self.budget;
        (self.is(t, Pc::Wake) && !spent).then(|| {
            let mut lock = self.moves(t, Pc::Idle);
            for u in self.front() {
                lock.pc[u] = Pc::Try;
            }
            Next {
                roused: true,
                ..self.with(lock)
            }
        })
    }

    fn finds_it_free(&self, t: usize) -> bool {
        self.state.roused && self.lock.compatible(t)
    }

    fn take(&self, t: usize) -> Option<Next> {
        (self.is(t, Pc::Try) && self.finds_it_free(t))
            .then(|| self.acquire(&self.front(), self.lock.state.clone()))
    }

    fn miss(&self, t: usize) -> Option<Next> {
        (self.is(t, Pc::Try) && !self.finds_it_free(t)).then(|| Next {
            roused: false,
            ..self.with(self.moves(t, Pc::Wait))
        })
    }
}
