//! From the values of `RangeTree.tla` to the machine: its tasks' ranges, states and actions.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use interlock::range::machine::{Account, Action, Ask, Machine, State};
use interlock::range::policy::Policy;
use interlock::range::tree::Mode;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;

/// A machine as its specification sees it.
#[derive(Debug, Clone)]
pub struct RangeTree {
    /// The machine.
    pub machine: Machine,
    /// The tasks' names, in the machine's order.
    pub tasks: Vec<&'static str>,
}

/// What the tasks of module RangeAsks ask for, by the name that they have there: task, first cell, last cell, for writing.
type Asks = [(&'static str, u64, u64, bool)];
const ASKS: [(&str, &Asks); 4] = [
    (
        "WideAndThree",
        &[
            ("a", 1, 1, true),
            ("b", 2, 2, true),
            ("c", 3, 3, true),
            ("w", 1, 3, true),
        ],
    ),
    (
        "Chain",
        &[
            ("a", 1, 2, true),
            ("b", 2, 3, true),
            ("c", 3, 4, true),
            ("w", 1, 4, true),
        ],
    ),
    (
        "Readers",
        &[
            ("a", 1, 2, false),
            ("b", 2, 3, false),
            ("w", 2, 2, true),
            ("x", 3, 4, true),
        ],
    ),
    (
        "Crowded",
        &[
            ("a", 1, 2, false),
            ("b", 2, 3, false),
            ("crowd", 1, 3, false),
            ("w", 2, 2, true),
            ("x", 3, 3, true),
        ],
    ),
];

impl RangeTree {
    /// The machine with these constants of module MCRangeTree.
    ///
    /// # Errors
    /// If one is missing, or there is no such design, or no such asks.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<RangeTree> {
        let constant = |name: &str| {
            let value = constants.get(name);
            value.with_context(|| format!("there is no constant {name}"))
        };
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| name == policy);
        let (_, policy) = named.with_context(|| format!("there is no design {policy}"))?;
        let asks = constant("Asks")?;
        let named = ASKS.iter().find(|(name, _)| name == asks);
        let (_, asks) = named.with_context(|| format!("there are no asks {asks}"))?;
        let mortal = constant("Mortal")?;
        let ask = |&(_, first, last, write): &(&str, u64, u64, bool)| -> Ask {
            let mode = if write { Mode::Write } else { Mode::Read };
            (first..last + 1, mode)
        };
        Ok(RangeTree {
            machine: Machine {
                asks: asks.iter().map(ask).collect(),
                mortal: asks
                    .iter()
                    .map(|(name, ..)| mortal.contains(&format!("\"{name}\"")))
                    .collect(),
                policy: *policy,
            },
            tasks: asks.iter().map(|(name, ..)| *name).collect(),
        })
    }

    pub(super) fn task(&self, value: &Value) -> Result<usize> {
        let label = value.label();
        let at = self.tasks.iter().position(|name| *name == label);
        at.with_context(|| format!("there is no task {label}"))
    }
}

impl Counterpart for RangeTree {
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
        let of = |variable: &str, task: usize| {
            let Some(Value::Record(values)) = vars.get(variable) else {
                bail!("{variable} is no record")
            };
            let value = values.get(self.tasks[task]);
            value.with_context(|| format!("{variable} has no {}", self.tasks[task]))
        };
        let number = |variable: &str, task: usize| match of(variable, task)? {
            Value::Int(number) => Ok(usize::try_from(*number)?),
            _ => bail!("{variable} is no number"),
        };
        let Some(Value::Seq(tree)) = vars.get("tree") else {
            bail!("tree is no sequence")
        };
        let tree: Vec<usize> = tree
            .iter()
            .map(|task| self.task(task))
            .collect::<Result<_>>()?;
        let mut state = State::new();
        for &task in &tree {
            state.push(Account {
                task,
                blocking: number("blocking", task)?,
                passed: number("passed", task)?,
            });
        }
        for task in 0..self.tasks.len() {
            let does = match state.iter().find(|account| account.task == task) {
                None => "idle",
                Some(account) if account.blocking == 0 => "hold",
                Some(_) => "wait",
            };
            ensure!(
                of("pc", task)?.label() == does,
                "the tree says that {} does {does}, pc does not",
                self.tasks[task]
            );
            let counts = number("blocking", task)? + number("passed", task)?;
            ensure!(
                does != "idle" || counts == 0,
                "{} is idle, and counts",
                self.tasks[task]
            );
        }
        Ok(state)
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let [task] = &step.args[..] else {
            bail!("{} has one task", step.action)
        };
        let task = self.task(task)?;
        Ok(match step.action.as_str() {
            "Lock" => Action::Lock(task),
            "Pass" => Action::Pass(task),
            "Wait" => Action::Wait(task),
            "Unlock" => Action::Unlock(task),
            "Interrupt" => Action::Interrupt(task),
            other => bail!("there is no action {other}"),
        })
    }

    fn show(&self, state: &State) -> String {
        let account = |account: &Account| {
            let name = self.tasks[account.task];
            match (account.blocking, account.passed) {
                (0, _) => format!("{name} holds"),
                (blocking, 0) => format!("{name} waits for {blocking}"),
                (blocking, passed) => format!("{name} waits for {blocking}, passed by {passed}"),
            }
        };
        format!(
            "[{}]",
            state.iter().map(account).collect::<Vec<_>>().join("; ")
        )
    }

    fn label(&self, action: Action) -> String {
        let (name, task) = match action {
            Action::Lock(task) => ("Lock", task),
            Action::Pass(task) => ("Pass", task),
            Action::Wait(task) => ("Wait", task),
            Action::Unlock(task) => ("Unlock", task),
            Action::Interrupt(task) => ("Interrupt", task),
        };
        format!("{name}({})", self.tasks[task])
    }
}
