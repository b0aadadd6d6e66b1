//! A machine beside its specification: what a comparison of the two needs.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

/// A machine with the names that its specification has.
pub trait Counterpart {
    /// A state of the machine.
    type State: Clone + Ord;
    /// An action of the machine.
    type Action: Copy + Ord;

    /// The machine's initial state.
    fn init(&self) -> Self::State;

    /// Every action there could be, enabled or not.
    fn candidates(&self) -> Vec<Self::Action>;

    /// The machine's state after the action, if it is enabled.
    fn step(&self, state: &Self::State, action: Self::Action) -> Option<Self::State>;

    /// The state with these values of the specification's variables.
    ///
    /// # Errors
    /// If one is missing, or is not a value that it may have; if the machine is compared with traces alone, which have no states.
    fn state(&self, _vars: &BTreeMap<String, Value>) -> Result<Self::State> {
        bail!("this machine is compared with traces alone")
    }

    /// The action with this name and arguments.
    ///
    /// # Errors
    /// If there is none.
    fn action(&self, step: &Step) -> Result<Self::Action>;

    /// A state as one short line.
    fn show(&self, state: &Self::State) -> String;

    /// An action as in the specification.
    fn label(&self, action: Self::Action) -> String;
}

/// More states than any machine has at a size that is compared here: one that is faulty may have no end of them.
const MOST: usize = 500_000;

/// Every state that `step` reaches from the machine's initial one, and how many steps it has from them. `step` is the machine's own,
/// or a faulty one.
///
/// # Panics
/// If there are more than half a million.
pub fn reached<M: Counterpart>(
    model: &M,
    step: impl Fn(&M::State, M::Action) -> Option<M::State>,
) -> (BTreeSet<M::State>, u64) {
    let mut reached = BTreeSet::from([model.init()]);
    let mut unexplored = vec![model.init()];
    let mut steps = 0;
    while let Some(from) = unexplored.pop() {
        let candidates = model.candidates().into_iter();
        for to in candidates.filter_map(|action| step(&from, action)) {
            steps += 1;
            if reached.insert(to.clone()) {
                unexplored.push(to);
            }
        }
        assert!(reached.len() <= MOST, "there are more than {MOST} states");
    }
    (reached, steps)
}
