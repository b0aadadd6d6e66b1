//! From the values of `RangeTree.tla` to the machine: its tasks' ranges, states and actions.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail, ensure};
use interlock::range::machine::{Account, Action, Ask, Machine, Part, State};
use interlock::range::policy::Policy;
use interlock::range::tree::Mode;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::traced::{Seen, Traced, count};
use super::values::{constant, field, members, number, truth, variable};

/// A machine as its specification sees it.
#[derive(Debug, Clone)]
pub struct RangeTree {
    /// The machine.
    pub machine: Machine,
    /// The tasks' names, in the machine's order.
    pub tasks: Vec<String>,
}

/// First cell, last cell, what for.
type Cells = (u64, u64, Mode);
const R: Mode = Mode::Read;
const W: Mode = Mode::Write;

/// What the tasks of module RangeAsks ask for, by the name that they have there: each task's range, and what it narrows it to.
type Asks = [(&'static str, Cells, &'static [&'static [Cells]])];
const ASKS: [(&str, &Asks); 5] = [
    (
        "WideAndThree",
        &[
            ("a", (1, 1, W), &[]),
            ("b", (2, 2, W), &[]),
            ("c", (3, 3, W), &[]),
            ("w", (1, 3, W), &[]),
        ],
    ),
    (
        "Chain",
        &[
            ("a", (1, 2, W), &[]),
            ("b", (2, 3, W), &[]),
            ("c", (3, 4, W), &[]),
            ("w", (1, 4, W), &[]),
        ],
    ),
    (
        "Readers",
        &[
            ("a", (1, 2, R), &[]),
            ("b", (2, 3, R), &[]),
            ("w", (2, 2, W), &[]),
            ("x", (3, 4, W), &[]),
        ],
    ),
    (
        "Crowded",
        &[
            ("a", (1, 2, R), &[]),
            ("b", (2, 3, R), &[]),
            ("crowd", (1, 3, R), &[]),
            ("w", (2, 2, W), &[]),
            ("x", (3, 3, W), &[]),
        ],
    ),
    (
        "Parted",
        &[
            ("a", (1, 1, W), &[]),
            ("r", (1, 2, R), &[]),
            ("v", (1, 2, W), &[&[(2, 2, W)]]),
            (
                "w",
                (1, 3, W),
                &[&[(1, 1, W), (2, 3, W)], &[(2, 3, W)], &[(2, 3, R)]],
            ),
        ],
    ),
];

fn part(&(first, last, mode): &Cells) -> Part {
    (first..last + 1, mode)
}

impl RangeTree {
    /// The machine with these constants of module RangeTree: `Asks`, `Mortal`, `Policy`.
    ///
    /// # Errors
    /// If one is missing, there is no such design, or `Asks` is neither of module RangeAsks nor a function from names to ranges that
    /// are narrowed to parts of them.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<RangeTree> {
        let constant = |name: &str| constant(constants, name);
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no design {policy}"))?;
        let (tasks, asks): (Vec<String>, Vec<Ask>) = asks(constant("Asks")?)?.into_iter().unzip();
        let mortal: Value = constant("Mortal")?.parse().context("Mortal")?;
        let mortal: BTreeSet<String> = members(&mortal)?.iter().map(Value::label).collect();
        Ok(RangeTree {
            machine: Machine {
                asks,
                mortal: tasks.iter().map(|task| mortal.contains(task)).collect(),
                policy: *policy,
            },
            tasks,
        })
    }

    pub(super) fn task(&self, value: &Value) -> Result<usize> {
        let label = value.label();
        let at = self.tasks.iter().position(|name| *name == label);
        at.with_context(|| format!("there is no task {label}"))
    }
}

/// What each task asks for: of module RangeAsks by its name, or as a value.
fn asks(text: &str) -> Result<Vec<(String, Ask)>> {
    if let Some((_, asks)) = ASKS.iter().find(|(name, _)| *name == text) {
        let ask = |(name, cells, then): &(&str, Cells, &[&[Cells]])| {
            let then = then.iter().map(|parts| parts.iter().map(part).collect());
            let ask = Ask {
                part: part(cells),
                then: then.collect(),
            };
            ((*name).to_owned(), ask)
        };
        return Ok(asks.iter().map(ask).collect());
    }
    let is = "Asks is neither of module RangeAsks nor a function from tasks to ranges";
    let Value::Record(asks) = text.parse().context(is)? else {
        bail!(is)
    };
    asks.iter()
        .map(|(task, value)| {
            let ask = ask(value).with_context(|| format!("Asks: {task}"))?;
            Ok((task.clone(), ask))
        })
        .collect()
}

fn ask(value: &Value) -> Result<Ask> {
    let Value::Seq(stages) = field(value, "then")? else {
        bail!("`then` is no sequence")
    };
    let mut ask = Ask {
        part: range(value)?,
        then: Vec::new(),
    };
    let mut has = vec![ask.part.clone()];
    for stage in stages {
        let parts: Vec<Part> = members(stage)?.iter().map(range).collect::<Result<_>>()?;
        let lies = |(part, mode): &Part| {
            has.iter().any(|(range, held)| {
                range.start <= part.start && part.end <= range.end && mode <= held
            })
        };
        let apart = |at: usize| {
            let (part, _) = &parts[at];
            let mut before = parts[..at].iter();
            before.all(|(other, _)| other.end <= part.start || part.end <= other.start)
        };
        ensure!(
            !parts.is_empty() && parts.iter().all(lies) && (0..parts.len()).all(apart),
            "{stage} are no parts of what is held before"
        );
        ask.then.push(parts.clone());
        has = parts;
    }
    Ok(ask)
}

fn range(value: &Value) -> Result<Part> {
    let mode = match truth(field(value, "write")?)? {
        true => Mode::Write,
        false => Mode::Read,
    };
    let (first, last) = (
        number(field(value, "first")?)?,
        number(field(value, "last")?)?,
    );
    ensure!(first <= last, "{value} is empty");
    Ok((first..last + 1, mode))
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
        let of = |name: &str, task: usize| field(variable(vars, name)?, &self.tasks[task]);
        let number = |name: &str, task: usize| number(of(name, task)?);
        // The tasks of RangeBias narrow nothing.
        let narrowed = |task: usize| match vars.get("narrowed") {
            Some(_) => number("narrowed", task),
            None => Ok(0),
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
                narrowed: narrowed(task)?,
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
            let narrowed = narrowed(task)?;
            ensure!(
                does != "idle" || counts + narrowed == 0,
                "{} is idle, and counts or is narrowed",
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
            "Narrow" => Action::Narrow(task),
            "Interrupt" => Action::Interrupt(task),
            other => bail!("there is no action {other}"),
        })
    }

    fn show(&self, state: &State) -> String {
        let account = |account: &Account| {
            let name = &self.tasks[account.task];
            match (account.blocking, account.passed) {
                (0, _) if account.narrowed > 0 => {
                    format!("{name} holds, narrowed {}", account.narrowed)
                }
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
            Action::Narrow(task) => ("Narrow", task),
            Action::Interrupt(task) => ("Interrupt", task),
        };
        format!("{name}({})", self.tasks[task])
    }
}

/// `TraceRangeTree.tla`.
impl Traced for RangeTree {
    const SEES: &'static [Seen] = &[
        Seen {
            name: "held",
            what: "how many ranges are held, each part for itself",
        },
        Seen {
            name: "waiting",
            what: "how many ranges are waited for",
        },
        Seen {
            name: "TASK",
            what: "how many the task waits for",
        },
        Seen {
            name: "enters TASK",
            what: "whether the task could have its range at once",
        },
    ];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        let of = |name: &str| self.tasks.iter().position(|task| task == name);
        let waits = |account: &&Account| account.blocking > 0;
        match name {
            "held" => {
                let entries = self.machine.tree(state).entries();
                Some(count(
                    entries.iter().filter(|entry| entry.blocking == 0).count(),
                ))
            }
            "waiting" => Some(count(state.iter().filter(waits).count())),
            _ => match name.strip_prefix("enters ") {
                Some(name) => {
                    let task = of(name)?;
                    let enters = [Action::Lock(task), Action::Pass(task)];
                    let mut enabled = enters
                        .map(|action| self.machine.step(state, action))
                        .into_iter();
                    Some(Value::Bool(enabled.any(|next| next.is_some())))
                }
                None => {
                    let task = of(name)?;
                    let its = state.iter().find(|account| account.task == task);
                    Some(count(its.map_or(0, |account| account.blocking)))
                }
            },
        }
    }

    fn may_see(&self) -> bool {
        true
    }
}
