//! The state machine of `specs/range/RangeTree.tla`: tasks that lock a range each, narrow it, and give it up, on a [`Tree`].

use std::ops::Range;

use super::policy::Policy;
use super::tree::{Arrival, Entry, Mode, Place, Tree};

/// A range, and what for.
pub type Part = (Range<u64>, Mode);

/// What a task asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ask {
    /// The range, and what for.
    pub part: Part,
    /// What it narrows it to, one after the other: parts of what it has before, which do not overlap.
    pub then: Vec<Vec<Part>>,
}

impl Ask {
    /// What the task has when it has narrowed its range so often.
    fn parts(&self, narrowed: usize) -> &[Part] {
        match narrowed.checked_sub(1) {
            None => std::slice::from_ref(&self.part),
            Some(stage) => &self.then[stage],
        }
    }
}

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
    /// How often it has been narrowed.
    pub narrowed: usize,
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
    /// `range_unlock`, of the last part.
    Unlock(usize),
    /// `split`, `shrink`, `downgrade`, or the release of a part.
    Narrow(usize),
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
                Action::Narrow(task),
                Action::Interrupt(task),
            ]
        };
        (0..self.asks.len()).flat_map(of).collect()
    }

    /// The state after the action, if it is enabled.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut tree = self.tree(state);
        // By their tickets.
        let mut tasks: Vec<(usize, usize)> = state
            .iter()
            .map(|account| (account.task, account.narrowed))
            .collect();
        match action {
            Action::Lock(task) | Action::Pass(task) | Action::Wait(task) => {
                let is_idle = !tasks.iter().any(|(other, _)| *other == task);
                if !is_idle || self.arrival(&mut tree, task) != Some(action) {
                    return None;
                }
                tasks.push((task, 0));
            }
            Action::Unlock(task) => {
                let at = at(state, task, |account| account.blocking == 0)?;
                let [place] = &self.places(at, &state[at])[..] else {
                    return None;
                };
                tree.unlock(place);
            }
            Action::Narrow(task) => {
                let at = at(state, task, |account| account.blocking == 0)?;
                let parts = self.asks[task].then.get(state[at].narrowed)?;
                for place in self.places(at, &state[at]) {
                    let lies = |(part, _): &&Part| place.range.contains(&part.start);
                    let its: Vec<Part> = parts.iter().filter(lies).cloned().collect();
                    tree.replace(&place, &its);
                }
                tasks[at].1 += 1;
            }
            Action::Interrupt(task) => {
                let at = at(state, task, |_| true)?;
                if !self.mortal[task] {
                    return None;
                }
                tree.interrupt(&self.places(at, &state[at])[0])?;
            }
        }
        let mut entries = tree.entries();
        // The parts of a range have the same account.
        entries.dedup_by_key(|entry| entry.place.ticket);
        let account = |entry: Entry| {
            let (task, narrowed) = tasks[usize::try_from(entry.place.ticket).expect("an index")];
            Account {
                task,
                blocking: entry.blocking,
                passed: entry.passed,
                narrowed,
            }
        };
        Some(entries.into_iter().map(account).collect())
    }

    /// The tree of a state, with the places in it as tickets.
    pub fn tree(&self, state: &State) -> Tree {
        let entries = state.iter().enumerate().flat_map(|(at, account)| {
            let places = self.places(at, account).into_iter();
            places.map(|place| Entry {
                place,
                blocking: account.blocking,
                passed: account.passed,
            })
        });
        Tree::with(self.policy, entries)
    }

    /// The task's range arrives.
    fn arrival(&self, tree: &mut Tree, task: usize) -> Option<Action> {
        let (range, mode) = self.asks.get(task)?.part.clone();
        Some(match tree.lock(range, mode).1 {
            Arrival::Lock => Action::Lock(task),
            Arrival::Pass => Action::Pass(task),
            Arrival::Wait(_) => Action::Wait(task),
        })
    }

    /// Where the parts of a task are that came at this place.
    fn places(&self, at: usize, account: &Account) -> Vec<Place> {
        let parts = self.asks[account.task].parts(account.narrowed).iter();
        let place = |(range, mode): &Part| Place {
            ticket: at as u64,
            range: range.clone(),
            mode: *mode,
        };
        parts.map(place).collect()
    }
}

/// The place of a task whose account is so.
fn at(state: &State, task: usize, is: fn(&Account) -> bool) -> Option<usize> {
    let its = |account: &Account| account.task == task && is(account);
    state.iter().position(its)
}
