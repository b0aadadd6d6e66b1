//! The state machine of `specs/range/RangeTree.tla`: tasks that lock a range each, and give it up, on a [`Tree`].

use std::ops::Range;

use super::policy::Policy;
use super::tree::{Arrival, Entry, Mode, Place, Tree};

/// What a task asks for: a range, and what for.
pub type Ask = (Range<u64>, Mode);

/// The tasks of a lock and its design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// What each task asks for. Tasks are indices.
    pub asks: Vec<Ask>,
    /// Whether each task may give up its wait. As long as `asks`.
    pub mortal: Vec<bool>,
    /// The design.
    pub policy: Policy,
}

/// A task's range in the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Account {
    /// Whose it is.
    pub task: usize,
    /// How many it waits for; none if it is held.
    pub blocking: usize,
    /// By how many it has been passed.
    pub passed: usize,
}

/// A state of the lock: the ranges in the tree, in the order of arrival. A task that has none there is idle.
pub type State = Vec<Account>;

/// An action of `RangeTree.tla`, with the task that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// `range_lock`, where nothing conflicts.
    Lock(usize),
    /// The same past waiters.
    Pass(usize),
    /// `range_lock`, where something conflicts.
    Wait(usize),
    /// `range_unlock`.
    Unlock(usize),
    /// `range_lock_interruptible`, and a signal.
    Interrupt(usize),
}

impl Machine {
    /// Nobody has a range.
    pub fn init(&self) -> State {
        State::new()
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let of = |task| {
            [
                Action::Lock(task),
                Action::Pass(task),
                Action::Wait(task),
                Action::Unlock(task),
                Action::Interrupt(task),
            ]
        };
        (0..self.asks.len()).flat_map(of).collect()
    }

    /// The state after the action, if it is enabled.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut tree = self.tree(state);
        let mut tasks: Vec<usize> = state.iter().map(|account| account.task).collect();
        match action {
            Action::Lock(task) | Action::Pass(task) | Action::Wait(task) => {
                let is_idle = !tasks.contains(&task);
                let (range, mode) = self.asks.get(task)?.clone();
                let (_, arrival) = tree.lock(range, mode);
                let arrives = match arrival {
                    Arrival::Lock => Action::Lock(task),
                    Arrival::Pass => Action::Pass(task),
                    Arrival::Wait(_) => Action::Wait(task),
                };
                if !is_idle || arrives != action {
                    return None;
                }
                tasks.push(task);
            }
            Action::Unlock(task) => {
                let at = self.at(state, task, |account| account.blocking == 0)?;
                tree.unlock(&self.place(at, task));
            }
            Action::Interrupt(task) => {
                let at = self.at(state, task, |account| account.blocking > 0)?;
                if !self.mortal[task] {
                    return None;
                }
                tree.interrupt(&self.place(at, task));
            }
        }
        let entries = tree.entries().into_iter();
        let account = |entry: Entry| Account {
            task: tasks[usize::try_from(entry.place.ticket).expect("an index")],
            blocking: entry.blocking,
            passed: entry.passed,
        };
        Some(entries.map(account).collect())
    }

    /// The place of a task whose account is so.
    fn at(&self, state: &State, task: usize, is: fn(&Account) -> bool) -> Option<usize> {
        let its = |account: &Account| account.task == task && is(account);
        state.iter().position(its)
    }

    /// The tree of a state, with the places in it as tickets.
    fn tree(&self, state: &State) -> Tree {
        let entry = |(at, account): (usize, &Account)| Entry {
            place: self.place(at, account.task),
            blocking: account.blocking,
            passed: account.passed,
        };
        Tree::with(self.policy, state.iter().enumerate().map(entry))
    }

    fn place(&self, at: usize, task: usize) -> Place {
        let (range, mode) = self.asks[task].clone();
        Place {
            ticket: at as u64,
            range,
            mode,
        }
    }
}
