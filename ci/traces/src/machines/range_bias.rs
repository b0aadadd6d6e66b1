//! From the values of `RangeBias.tla` to the machine: the tree's, and the word before it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};
use interlock::range::bias_machine::{Action, BiasMachine, State};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::range::RangeTree;
use super::values::{constant, members, truth, variable};

/// A machine as its specification sees it.
#[derive(Debug, Clone)]
pub struct RangeBias {
    /// The machine.
    pub machine: BiasMachine,
    tree: RangeTree,
}

impl RangeBias {
    /// The machine with these constants of module MCRangeBias.
    ///
    /// # Errors
    /// If one is missing, or there is no such design, no such asks, or no such crowd.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<RangeBias> {
        let tree = RangeTree::new(constants)?;
        let crowd = constant(constants, "Crowd")?;
        let crowd = tree
            .tasks
            .iter()
            .position(|name| *name == crowd.trim_matches('"'));
        Ok(RangeBias {
            machine: BiasMachine {
                tree: tree.machine.clone(),
                crowd: crowd.context("the crowd asks for nothing")?,
            },
            tree,
        })
    }
}

impl Counterpart for RangeBias {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        self.machine.init()
    }

    fn candidates(&self) -> Vec<Action> {
        self.machine.candidates()
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        self.machine.step(state, action)
    }

    fn state(&self, vars: &BTreeMap<String, Value>) -> Result<State> {
        let tasks = |name: &str| -> Result<BTreeSet<usize>> {
            let tasks = members(variable(vars, name)?)?.iter();
            tasks.map(|task| self.tree.task(task)).collect()
        };
        Ok(State {
            tree: self.tree.state(vars)?,
            open: truth(variable(vars, "open")?)?,
            inside: tasks("inside")?,
            last: tasks("last")?,
        })
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let of: fn(usize) -> Action = match step.action.as_str() {
            "Open" => return Ok(Action::Open),
            "Enter" => Action::Enter,
            "Leave" => Action::Leave,
            "Drain" => Action::Drain,
            "Close" => Action::Close,
            _ => return Ok(Action::Tree(self.tree.action(step)?)),
        };
        let [task] = &step.args[..] else {
            bail!("{} has one task", step.action)
        };
        Ok(of(self.tree.task(task)?))
    }

    fn show(&self, state: &State) -> String {
        let names = |tasks: &BTreeSet<usize>| {
            let names: Vec<&str> = tasks
                .iter()
                .map(|task| self.tree.tasks[*task].as_str())
                .collect();
            names.join(", ")
        };
        format!(
            "{}, {} {{{}}}, last {{{}}}",
            self.tree.show(&state.tree),
            if state.open { "open" } else { "closed" },
            names(&state.inside),
            names(&state.last),
        )
    }

    fn label(&self, action: Action) -> String {
        let (name, task) = match action {
            Action::Open => return "Open".to_owned(),
            Action::Enter(task) => ("Enter", task),
            Action::Leave(task) => ("Leave", task),
            Action::Drain(task) => ("Drain", task),
            Action::Close(task) => ("Close", task),
            Action::Tree(action) => return self.tree.label(action),
        };
        format!("{name}({})", self.tree.tasks[task])
    }
}
