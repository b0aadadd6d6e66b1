//! From the values of `FileAtomicity.tla` to the machine: its tasks' operations, states and actions. Cells count from 1 there, and
//! from 0 here.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use interlock::range::atomicity::machine::{Action, Machine, Op, Pc, State, Step as Does};
use interlock::range::atomicity::policy::{Kind, Policy};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::values::{constant, members, number, pairs, variable};

/// A machine as its specification sees it.
#[derive(Debug, Clone)]
pub struct FileAtomicity {
    /// The machine.
    pub machine: Machine,
    /// The tasks' names, in the machine's order.
    pub tasks: Vec<&'static str>,
}

/// What the tasks of module MCFileAtomicity do, by the name that they have there: task, kind, first cell, last cell.
type Asks = [(&'static str, Kind, usize, usize)];
const ASKS: [(&str, &Asks); 11] = [
    (
        "Within",
        &[("r", Kind::Read, 1, 2), ("w", Kind::Write, 1, 2)],
    ),
    (
        "Across",
        &[("r", Kind::Read, 2, 3), ("w", Kind::Write, 2, 3)],
    ),
    (
        "Writes",
        &[("w", Kind::Write, 2, 3), ("x", Kind::Write, 2, 3)],
    ),
    (
        "Truncates",
        &[
            ("r", Kind::Read, 2, 3),
            ("w", Kind::Write, 2, 3),
            ("t", Kind::Space, 2, 4),
        ],
    ),
    (
        "Mixed",
        &[("r", Kind::Read, 2, 3), ("d", Kind::DirectWrite, 2, 3)],
    ),
    (
        "MixedR",
        &[("s", Kind::DirectRead, 2, 3), ("w", Kind::Write, 2, 3)],
    ),
    (
        "MixedW",
        &[("w", Kind::Write, 2, 3), ("d", Kind::DirectWrite, 2, 3)],
    ),
    (
        "Direct",
        &[
            ("s", Kind::DirectRead, 2, 3),
            ("d", Kind::DirectWrite, 2, 3),
        ],
    ),
    (
        "Directs",
        &[
            ("d", Kind::DirectWrite, 2, 3),
            ("e", Kind::DirectWrite, 2, 3),
        ],
    ),
    (
        "Apart",
        &[
            ("w", Kind::Write, 1, 1),
            ("x", Kind::Write, 3, 3),
            ("r", Kind::Read, 5, 5),
            ("d", Kind::DirectWrite, 7, 7),
            ("e", Kind::DirectWrite, 9, 9),
        ],
    ),
    (
        "Near",
        &[("w", Kind::Write, 1, 1), ("x", Kind::Write, 2, 2)],
    ),
];

impl FileAtomicity {
    /// The machine with these constants of module MCFileAtomicity.
    ///
    /// # Errors
    /// If one is missing, or there is no such choice of locks, or no such asks.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<FileAtomicity> {
        let policy = constant(constants, "Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no design {policy}"))?;
        let asks = constant(constants, "Asks")?;
        let named = ASKS.iter().find(|(name, _)| *name == asks);
        let (_, asks) = named.with_context(|| format!("there are no asks {asks}"))?;
        let cells = |name: &str| -> Result<usize> {
            let cells = constant(constants, name)?;
            let cells = cells.parse::<std::num::NonZeroUsize>();
            Ok(cells
                .with_context(|| format!("{name} is no number of cells"))?
                .get())
        };
        let op = |&(_, kind, first, last): &(&str, Kind, usize, usize)| Op {
            kind,
            cells: first - 1..last,
        };
        Ok(FileAtomicity {
            machine: Machine {
                ops: asks.iter().map(op).collect(),
                folio_cells: cells("FolioSize")?,
                segment_cells: cells("SegmentSize")?,
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
}

/// The number of a cell that counts from 1.
fn cell(value: &Value) -> Result<usize> {
    number::<usize>(value)?
        .checked_sub(1)
        .context("cells count from 1")
}

impl Counterpart for FileAtomicity {
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
        let of = |name: &str| pairs(variable(vars, name)?);
        let mut state = self.machine.init();
        for (task, pc) in of("pc")? {
            state.pc[self.task(&task)?] = match pc.label().as_str() {
                "idle" => Pc::Idle,
                "copy" => Pc::Copy,
                "done" => Pc::Done,
                other => bail!("no task is at {other}"),
            };
        }
        for (task, at) in of("at")? {
            state.at[self.task(&task)?] = cell(at)?;
        }
        for (folio, owner) in of("owner")? {
            let folio = state.owner.get_mut(number::<usize>(&folio)?);
            *folio.context("there is no such folio")? = match owner.label().as_str() {
                "nobody" => None,
                _ => Some(self.task(owner)?),
            };
        }
        for (at, writes) in of("content")? {
            let Value::Seq(writes) = writes else {
                bail!("{writes} is no sequence")
            };
            let content = state.content.get_mut(cell(&at)?);
            let writes = writes.iter().map(|task| self.task(task));
            *content.context("there is no such cell")? = writes.collect::<Result<_>>()?;
        }
        // A graph leaves out a function of nobody.
        let reads = self.machine.ops.iter().any(|op| op.kind.is_read());
        let seen = if reads { of("seen")? } else { Vec::new() };
        for (task, found) in seen {
            let task = self.task(&task)?;
            for (at, writes) in pairs(found)? {
                let writes = members(writes)?;
                let seen = state.seen[task].get_mut(cell(&at)?);
                let writes = writes.iter().map(|write| self.task(write));
                *seen.context("there is no such cell")? = writes.collect::<Result<_>>()?;
            }
        }
        Ok(state)
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let [task] = &step.args[..] else {
            bail!("{} has one task", step.action)
        };
        let task = self.task(task)?;
        let step = match step.action.as_str() {
            "Begin" => Does::Begin,
            "LockFolio" => Does::LockFolio,
            "Copy" => Does::Copy,
            "End" => Does::End,
            other => bail!("there is no action {other}"),
        };
        Ok(Action { task, step })
    }

    fn show(&self, state: &State) -> String {
        let names = |tasks: &mut dyn Iterator<Item = usize>| -> String {
            tasks.map(|task| self.tasks[task]).collect()
        };
        let task = |task: usize| {
            let name = self.tasks[task];
            match state.pc[task] {
                Pc::Idle => format!("{name} idle"),
                Pc::Done => format!("{name} done"),
                Pc::Copy => format!("{name} at {}", state.at[task] + 1),
            }
        };
        let mut parts = vec![
            (0..self.tasks.len())
                .map(task)
                .collect::<Vec<_>>()
                .join(", "),
        ];
        for (folio, owner) in state.owner.iter().enumerate() {
            if let Some(owner) = owner {
                parts.push(format!("{} has folio {folio}", self.tasks[*owner]));
            }
        }
        for (cell, writes) in state.content.iter().enumerate() {
            if !writes.is_empty() {
                parts.push(format!(
                    "{}: {}",
                    cell + 1,
                    names(&mut writes.iter().copied())
                ));
            }
        }
        for (task, seen) in state.seen.iter().enumerate() {
            for (cell, writes) in seen.iter().enumerate() {
                if !writes.is_empty() {
                    let writes = names(&mut writes.iter().copied());
                    parts.push(format!("{} saw {writes} in {}", self.tasks[task], cell + 1));
                }
            }
        }
        format!("[{}]", parts.join("; "))
    }

    fn label(&self, Action { task, step }: Action) -> String {
        format!("{step:?}({})", self.tasks[task])
    }
}
