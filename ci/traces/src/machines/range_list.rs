//! From the values of `RangeList.tla` to the machine: its tasks' ranges, states and actions.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use interlock::range::list_machine::{Action, Machine, Node, Pc, State, Task};
use interlock::range::list_policy::Policy;
use interlock::range::tree::Mode;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::values::{constant, field, members, number, pairs, variable};

/// A machine as its specification sees it.
#[derive(Debug, Clone)]
pub struct RangeList {
    /// The machine.
    pub machine: Machine,
    /// The tasks' names, in the machine's order.
    pub tasks: Vec<&'static str>,
}

/// What the tasks of module RangeAsks ask for, by the name that they have there: task, first cell, last cell, for writing.
type Asks = [(&'static str, u64, u64, bool)];
const ASKS: [(&str, &Asks); 2] = [
    ("Pair", &[("r", 1, 1, false), ("w", 1, 1, true)]),
    (
        "Behind",
        &[("r", 1, 3, false), ("w", 3, 3, true), ("x", 2, 2, false)],
    ),
];

const PCS: [(&str, Pc); 8] = [
    ("idle", Pc::Idle),
    ("insert", Pc::Insert),
    ("validate", Pc::Validate),
    ("met", Pc::Met),
    ("met inside", Pc::MetInside),
    ("sleep", Pc::Sleep),
    ("again", Pc::Again),
    ("hold", Pc::Hold),
];

impl RangeList {
    /// The machine with these constants of module MCRangeList.
    ///
    /// # Errors
    /// If one is missing, or there is no such design, or no such asks.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<RangeList> {
        let policy = constant(constants, "Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no design {policy}"))?;
        let asks = constant(constants, "Asks")?;
        let named = ASKS.iter().find(|(name, _)| *name == asks);
        let (_, asks) = named.with_context(|| format!("there are no asks {asks}"))?;
        let slots = constant(constants, "Slots")?;
        let ask = |&(_, first, last, write): &(&str, u64, u64, bool)| {
            let mode = if write { Mode::Write } else { Mode::Read };
            (first..last + 1, mode)
        };
        Ok(RangeList {
            machine: Machine {
                asks: asks.iter().map(ask).collect(),
                slots: slots
                    .parse()
                    .with_context(|| format!("{slots} are no slots"))?,
                policy: *policy,
            },
            tasks: asks.iter().map(|(name, ..)| *name).collect(),
        })
    }

    fn task(&self, value: &Value) -> Result<usize> {
        let label = value.label();
        let at = self.tasks.iter().position(|name| *name == label);
        at.with_context(|| format!("there is no task {label}"))
    }

    /// A node; none is the list's head, and its end.
    fn node(&self, value: &Value) -> Result<Option<Node>> {
        match value {
            Value::Seq(pair) => match &pair[..] {
                [Value::Str(name), Value::Int(0)] if name == "head" || name == "nil" => Ok(None),
                [task, Value::Int(slot)] => {
                    let slot = usize::try_from(*slot)?.checked_sub(1);
                    Ok(Some((
                        self.task(task)?,
                        slot.context("slots begin with 1")?,
                    )))
                }
                _ => bail!("{value} is no node"),
            },
            _ => bail!("{value} is no node"),
        }
    }

    fn show_node(&self, node: Option<Node>, none: &str) -> String {
        node.map_or(none.to_owned(), |(task, slot)| {
            format!("{}{}", self.tasks[task], slot + 1)
        })
    }
}

impl Counterpart for RangeList {
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
        let variable = |name: &str| variable(vars, name);
        let of = |name: &str, task: &str| field(variable(name)?, task);
        let mut state = self.init();
        for (at, name) in self.tasks.iter().enumerate() {
            let pc = of("pc", name)?.label();
            let (_, pc) = PCS
                .into_iter()
                .find(|(named, _)| *named == pc)
                .with_context(|| format!("no task does {pc}"))?;
            state.tasks[at] = Task {
                pc,
                slot: usize::try_from(number::<i64>(of("slot", name)?)? - 1)?,
                prev: self.node(of("prev", name)?)?,
                cur: self.node(of("cur", name)?)?,
                tries: number(of("tries", name)?)?,
            };
        }
        for (from, to) in pairs(variable("next")?)? {
            let to = self.node(to)?;
            match self.node(&from)? {
                None => state.head = to,
                Some((task, slot)) => {
                    let next = state.next[task].get_mut(slot);
                    *next.with_context(|| format!("there is no node {from}"))? = to;
                }
            }
        }
        for node in members(variable("marked")?)? {
            let node = self.node(node)?;
            state.marked.insert(node.context("a node is marked")?);
        }
        // It is left out where nobody loses its patience.
        if let Some(aux) = vars.get("aux") {
            let Value::Seq(aux) = aux else {
                bail!("aux is no sequence")
            };
            state.aux = aux
                .iter()
                .map(|task| self.task(task))
                .collect::<Result<_>>()?;
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
            "Retry" => Action::Retry(task),
            "Unlink" => Action::Unlink(task),
            "Pass" => Action::Pass(task),
            "Insert" => Action::Insert(task),
            "Validated" => Action::Validated(task),
            "Meet" => Action::Meet(task),
            "Sleep" => Action::Sleep(task),
            "Retreat" => Action::Retreat(task),
            "Unlock" => Action::Unlock(task),
            other => bail!("there is no action {other}"),
        })
    }

    fn show(&self, state: &State) -> String {
        let mut list = Vec::new();
        let mut node = state.head;
        while let Some((task, slot)) = node {
            let mark = if state.marked.contains(&(task, slot)) {
                " marked"
            } else {
                ""
            };
            list.push(format!("{}{mark}", self.show_node(node, "")));
            node = state.next[task][slot];
        }
        let task = |(task, name): (&Task, &&str)| {
            let (pc, _) = PCS.iter().find(|(_, pc)| *pc == task.pc)?;
            let does = match task.pc {
                Pc::Idle => return None,
                Pc::Sleep | Pc::Again | Pc::Hold => format!("{name} {pc}"),
                _ => format!(
                    "{name} {pc} {}..{}",
                    self.show_node(task.prev, "head"),
                    self.show_node(task.cur, "nil")
                ),
            };
            Some(match task.tries {
                0 => does,
                tries => format!("{does}, lost {tries}"),
            })
        };
        let tasks: Vec<String> = state
            .tasks
            .iter()
            .zip(&self.tasks)
            .filter_map(task)
            .collect();
        let aux: Vec<&str> = state.aux.iter().map(|task| self.tasks[*task]).collect();
        let aux = if aux.is_empty() {
            String::new()
        } else {
            format!(" aux {}", aux.join(", "))
        };
        format!("<{}> [{}]{aux}", list.join(", "), tasks.join("; "))
    }

    fn label(&self, action: Action) -> String {
        let (name, task) = match action {
            Action::Lock(task) => ("Lock", task),
            Action::Retry(task) => ("Retry", task),
            Action::Unlink(task) => ("Unlink", task),
            Action::Pass(task) => ("Pass", task),
            Action::Insert(task) => ("Insert", task),
            Action::Validated(task) => ("Validated", task),
            Action::Meet(task) => ("Meet", task),
            Action::Sleep(task) => ("Sleep", task),
            Action::Retreat(task) => ("Retreat", task),
            Action::Unlock(task) => ("Unlock", task),
        };
        format!("{name}({})", self.tasks[task])
    }
}
