//! From the values of `RwsemBudget.tla` to the machine: the lock's, and its budget.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use interlock::rwsem::budget_machine::{Action, BudgetMachine, State};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::rwsem::Rwsem;
use super::values::{constant, number, truth, variable};

/// A machine as its specification sees it.
#[derive(Debug, Clone)]
pub struct RwsemBudget {
    /// The machine.
    pub machine: BudgetMachine,
    lock: Rwsem,
}

impl RwsemBudget {
    /// The machine with these constants of module RwsemBudget: `Readers`, `Writers`, `Downgraders`, `Budget`.
    ///
    /// # Errors
    /// If one is missing or is not what it should be.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<RwsemBudget> {
        let budget = constant(constants, "Budget")?;
        let mut of_lock = constants.clone();
        of_lock.insert("Policy".to_owned(), "BatchQueue".to_owned());
        let lock = Rwsem::new(&of_lock)?;
        let budget = budget
            .parse()
            .with_context(|| format!("Budget is {budget}"))?;
        Ok(RwsemBudget {
            machine: BudgetMachine {
                lock: lock.machine.clone(),
                budget,
            },
            lock,
        })
    }
}

impl Counterpart for RwsemBudget {
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
        // What the lock's module has, and this one has not.
        let mut of_lock = vars.clone();
        of_lock.insert("expired".to_owned(), Value::Bool(false));
        of_lock.insert("handoff".to_owned(), Value::Bool(false));
        Ok(State {
            lock: self.lock.state(&of_lock)?,
            passed: number(variable(vars, "passed")?)?,
            roused: truth(variable(vars, "roused")?)?,
        })
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let of: fn(usize) -> Action = match step.action.as_str() {
            "Enter" => Action::Enter,
            "Queue" => Action::Queue,
            "Release" => Action::Release,
            "Downgrade" => Action::Downgrade,
            "Wake" => Action::Wake,
            "Rouse" => Action::Rouse,
            "Take" => Action::Take,
            "Miss" => Action::Miss,
            other => bail!("there is no action {other}"),
        };
        let [task] = &step.args[..] else {
            bail!("{} has one task", step.action)
        };
        Ok(of(self.lock.task(task)?))
    }

    fn show(&self, state: &State) -> String {
        let roused = if state.roused { ", roused" } else { "" };
        let lock = self.lock.show(&state.lock);
        format!("{lock} passed {}{roused}", state.passed)
    }

    fn label(&self, action: Action) -> String {
        let name = format!("{action:?}");
        let name = name.split('(').next().unwrap_or_default();
        format!("{name}({})", self.lock.tasks[action.task()])
    }
}
