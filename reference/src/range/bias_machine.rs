//! The state machine of `specs/range/RangeBias.tla`: the tree's [`Machine`] with one task more, the crowd, and the word before it.

use std::collections::BTreeSet;

use super::bias;
use super::machine::{self, Machine};
use super::tree::Mode;

/// The tree's machine, in which one task stands for those that the word counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BiasMachine {
    /// The tree. The crowd reads every cell that another task asks for, and does not give up.
    pub tree: Machine,
    /// The crowd: an index of `tree.asks`.
    pub crowd: usize,
}

/// A state of the lock.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The ranges in the tree.
    pub tree: machine::State,
    /// May readers count themselves?
    pub open: bool,
    /// Who is counted.
    pub inside: BTreeSet<usize>,
    /// Who has left as the last one, and has not yet told the tree.
    pub last: BTreeSet<usize>,
}

/// An action of `RangeBias.tla`, with the task that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// The word is opened.
    Open,
    /// A reader counts itself.
    Enter(usize),
    /// It takes itself off the count.
    Leave(usize),
    /// The last one takes the crowd out of the tree.
    Drain(usize),
    /// A writer closes the word, and puts the crowd into the tree.
    Close(usize),
    /// An action of the tree's.
    Tree(machine::Action),
}

impl State {
    /// The word.
    fn word(&self) -> u64 {
        let closed = if self.open { 0 } else { bias::CLOSED };
        (self.inside.len() as u64 * bias::ONE) | closed
    }

    fn is_in_tree(&self, task: usize) -> bool {
        self.tree.iter().any(|account| account.task == task)
    }

    fn is_idle(&self, task: usize) -> bool {
        !(self.is_in_tree(task) || self.inside.contains(&task) || self.last.contains(&task))
    }
}

impl BiasMachine {
    /// Nobody has a range, and the word is open.
    pub fn init(&self) -> State {
        State {
            tree: self.tree.init(),
            open: true,
            inside: BTreeSet::new(),
            last: BTreeSet::new(),
        }
    }

    /// Every action there could be, enabled or not.
    pub fn candidates(&self) -> Vec<Action> {
        let tasks = (0..self.tree.asks.len()).filter(|task| *task != self.crowd);
        let of = |task| {
            [
                Action::Enter(task),
                Action::Leave(task),
                Action::Drain(task),
                Action::Close(task),
                Action::Tree(machine::Action::Lock(task)),
                Action::Tree(machine::Action::Pass(task)),
                Action::Tree(machine::Action::Wait(task)),
                Action::Tree(machine::Action::Unlock(task)),
                Action::Tree(machine::Action::Interrupt(task)),
            ]
        };
        [Action::Open]
            .into_iter()
            .chain(tasks.flat_map(of))
            .collect()
    }

    /// The state after the action, if it is enabled.
    pub fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Open => {
                let writes = |account: &machine::Account| self.writes(account.task);
                let crowded = state.is_in_tree(self.crowd) || state.tree.iter().any(writes);
                if state.open || crowded {
                    return None;
                }
                next.open = true;
            }
            Action::Enter(task) => {
                if !state.is_idle(task) || self.writes(task) {
                    return None;
                }
                bias::enter(state.word())?;
                next.inside.insert(task);
            }
            Action::Leave(task) => {
                if !next.inside.remove(&task) {
                    return None;
                }
                if bias::is_last(state.word()) {
                    next.last.insert(task);
                }
            }
            Action::Drain(task) => {
                if !next.last.remove(&task) {
                    return None;
                }
                let leaves = machine::Action::Unlock(self.crowd);
                next.tree = self.tree.step(&state.tree, leaves)?;
            }
            Action::Close(task) => {
                if !state.is_idle(task) || !self.writes(task) {
                    return None;
                }
                bias::close(state.word())?;
                next.open = false;
                if bias::is_crowded(state.word()) {
                    let comes = machine::Action::Lock(self.crowd);
                    next.tree = self.tree.step(&state.tree, comes)?;
                }
            }
            Action::Tree(action) => {
                if let machine::Action::Lock(task)
                | machine::Action::Pass(task)
                | machine::Action::Wait(task) = action
                    && (!state.is_idle(task) || (self.writes(task) && state.open))
                {
                    return None;
                }
                next.tree = self.tree.step(&state.tree, action)?;
            }
        }
        Some(next)
    }

    fn writes(&self, task: usize) -> bool {
        self.tree.asks[task].part.1 == Mode::Write
    }
}
