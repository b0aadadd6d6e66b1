//! From the values of `Rwsem.tla` to the machine: its tasks, states and actions.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use interlock::rwsem::machine::{Action, Kind, Machine, Pc, State};
use interlock::rwsem::policy::Policy;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::traced::{Seen, Traced, count};
use super::values::{constant, names, pairs, truth, variable};

/// A machine and the names of its tasks.
#[derive(Debug, Clone)]
pub struct Rwsem {
    /// The machine.
    pub machine: Machine,
    /// Each task's name in the specification.
    pub tasks: Vec<String>,
}

impl Rwsem {
    /// The machine with these constants of module Rwsem: `Readers`, `Writers`, `Downgraders`, `Policy`.
    ///
    /// # Errors
    /// If one is missing, a set is not one of tasks, or no policy has that name.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<Rwsem> {
        let constant = |name: &str| constant(constants, name);
        let set = |name: &str| names(constants, name);
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no policy {policy}"))?;
        let (mut tasks, writers, downgraders) =
            (set("Readers")?, set("Writers")?, set("Downgraders")?);
        let mut machine = Machine::new(tasks.len(), writers.len(), *policy);
        tasks.extend(writers);
        machine.downgraders = tasks
            .iter()
            .map(|task| downgraders.contains(task))
            .collect();
        Ok(Rwsem { machine, tasks })
    }

    /// The machine of `readers` and `writers`, with the names r1, r2, ..., w1, w2, ...
    pub fn of_size(readers: usize, writers: usize, policy: Policy) -> Rwsem {
        let names = |kind: &str, count: usize| {
            let name = |number| format!("{kind}{number}");
            (1..=count).map(name).collect::<Vec<_>>()
        };
        Rwsem {
            machine: Machine::new(readers, writers, policy),
            tasks: [names("r", readers), names("w", writers)].concat(),
        }
    }

    /// Whether two hold the lock and one of them for writing.
    pub fn exclusion_is_broken(&self, state: &State) -> bool {
        let holders = state
            .pc
            .iter()
            .filter(|pc| matches!(pc, Pc::Hold | Pc::Shared | Pc::Dwake));
        self.is_written(state) && holders.count() > 1
    }

    /// Whether somebody holds the lock for writing.
    fn is_written(&self, state: &State) -> bool {
        let tasks = state.pc.iter().zip(&self.machine.kinds);
        let mut tasks = tasks.map(|(pc, kind)| (*pc, *kind));
        tasks.any(|task| task == (Pc::Hold, Kind::Writer))
    }

    pub(super) fn task(&self, value: &Value) -> Result<usize> {
        let name = value.label();
        let place = self.tasks.iter().position(|task| *task == name);
        place.with_context(|| format!("there is no task {name}"))
    }
}

/// A variable of module Rwsem that is no variable of the machine is history.
impl Counterpart for Rwsem {
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
        let var = |name: &str| variable(vars, name);
        let truth = |name: &str| truth(var(name)?);
        let mut pc = vec![None; self.tasks.len()];
        for (task, value) in pairs(var("pc")?)? {
            pc[self.task(&task)?] = Some(self::pc(value)?);
        }
        let pc = pc.into_iter().collect::<Option<_>>();
        let Value::Seq(queue) = var("queue")? else {
            bail!("queue is no sequence")
        };
        Ok(State {
            pc: pc.context("pc lacks a task")?,
            queue: queue
                .iter()
                .map(|task| self.task(task))
                .collect::<Result<_>>()?,
            expired: truth("expired")?,
            handoff: truth("handoff")?,
        })
    }

    fn action(&self, step: &Step) -> Result<Action> {
        match (step.action.as_str(), &step.args[..]) {
            ("Demand", []) => return Ok(Action::Demand),
            ("Expire", []) => return Ok(Action::Expire),
            _ => {}
        }
        let [task] = &step.args[..] else {
            bail!("{} has {} arguments", step.action, step.args.len())
        };
        let task = self.task(task)?;
        Ok(match step.action.as_str() {
            "Enter" => Action::Enter(task),
            "Spin" => Action::Spin(task),
            "Steal" => Action::Steal(task),
            "Queue" => Action::Queue(task),
            "Take" => Action::Take(task),
            "Sleep" => Action::Sleep(task),
            "Release" => Action::Release(task),
            "Downgrade" => Action::Downgrade(task),
            "DowngradeWake" => Action::DowngradeWake(task),
            "Wake" => Action::Wake(task),
            "SkipWake" => Action::SkipWake(task),
            "DemandForFirst" => Action::DemandForFirst(task),
            other => bail!("there is no action {other}"),
        })
    }

    fn show(&self, state: &State) -> String {
        let pc = self.tasks.iter().zip(&state.pc);
        let pc: Vec<String> = pc.map(|(task, pc)| format!("{task} {pc:?}")).collect();
        let queue: Vec<&str> = state
            .queue
            .iter()
            .map(|&task| self.tasks[task].as_str())
            .collect();
        let flags = [(state.expired, ", expired"), (state.handoff, ", handoff")];
        let flags: String = flags
            .iter()
            .filter_map(|(set, name)| set.then_some(*name))
            .collect();
        format!("[{}; queue {}{flags}]", pc.join(", "), queue.join(" "))
    }

    fn label(&self, action: Action) -> String {
        let name = format!("{action:?}");
        let name = name.split('(').next().unwrap_or_default();
        let task = action.task().map_or("", |task| self.tasks[task].as_str());
        format!("{name}({task})")
    }
}

/// `TraceRwsem.tla`.
impl Traced for Rwsem {
    const SEES: &'static [Seen] = &[
        Seen {
            name: "holders",
            what: "how many hold the lock",
        },
        Seen {
            name: "queued",
            what: "how many are queued",
        },
        Seen {
            name: "written",
            what: "whether one of those who hold it writes",
        },
        Seen {
            name: "handoff",
            what: "whether the hand-off is demanded, as the lock's word has it",
        },
        Seen {
            name: "TASK",
            what: "what the task does: its `pc`",
        },
        Seen {
            name: "unexpired TASK",
            what: "whether the task is the first waiter, and its time is not up",
        },
    ];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        let of = |name: &str| self.tasks.iter().position(|task| task == name);
        match name {
            "holders" => {
                let holds = |pc: &&Pc| matches!(pc, Pc::Hold | Pc::Shared | Pc::Dwake);
                Some(count(state.pc.iter().filter(holds).count()))
            }
            "queued" => Some(count(state.queue.len())),
            "written" => Some(Value::Bool(self.is_written(state))),
            "handoff" => Some(Value::Bool(state.handoff)),
            _ => match name.strip_prefix("unexpired ") {
                Some(name) => {
                    let first = state.queue.first() == Some(&of(name)?);
                    Some(Value::Bool(first && !state.expired))
                }
                None => {
                    let is = state.pc[of(name)?];
                    let (label, _) = PCS.iter().find(|(_, pc)| *pc == is)?;
                    Some(Value::Str((*label).into()))
                }
            },
        }
    }

    fn may_see(&self) -> bool {
        true
    }

    fn may_be_silent(&self, action: Action) -> bool {
        matches!(
            action,
            Action::Spin(_)
                | Action::Sleep(_)
                | Action::DowngradeWake(_)
                | Action::Wake(_)
                | Action::SkipWake(_)
                | Action::Expire
        )
    }

    fn may_be_unseen(&self, action: Action) -> bool {
        matches!(
            action,
            Action::Enter(_) | Action::Spin(_) | Action::Steal(_) | Action::Release(_)
        )
    }

    fn is_in_time(&self, action: Action, [before, after]: [&State; 2], next: &[&[Value]]) -> bool {
        match action {
            Action::Spin(task) => {
                let its = |args: &&[Value]| matches!(args, [of] if of.label() == self.tasks[task]);
                next.iter().any(its)
            }
            Action::Sleep(_) => after.handoff != before.handoff,
            _ => true,
        }
    }
}

/// What a task does, in the specification's words.
const PCS: [(&str, Pc); 8] = [
    ("idle", Pc::Idle),
    ("spin", Pc::Spin),
    ("wait", Pc::Wait),
    ("try", Pc::Try),
    ("hold", Pc::Hold),
    ("shared", Pc::Shared),
    ("dwake", Pc::Dwake),
    ("wake", Pc::Wake),
];

fn pc(value: &Value) -> Result<Pc> {
    let label = value.label();
    let found = PCS.iter().find(|(name, _)| *name == label);
    ensure!(found.is_some(), "{label} is nothing that a task does");
    Ok(found.map_or(Pc::Idle, |(_, pc)| *pc))
}
