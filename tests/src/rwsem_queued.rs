//! The lock with a queue of names beside `QueuedRwsem.tla`: its tasks, states and actions. The state is the lock's own.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail, ensure};
use interlock_rwlock::queued::Mode;
use interlock_rwlock::queued::rules::{Queued, Rules};
use interlock_rwlock::queued::state::{Inside, State as Lock, Waiter};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;
use interlock_traces::machines::counterpart::Counterpart;

/// What a task is doing; in `QueuedRwsem.tla` a string of a like name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pc {
    /// Does not want the lock.
    Idle,
    /// Is queued.
    Wait,
    /// Has it.
    Has(Mode),
    /// Has it upgradable, and is queued to write.
    Upgrade,
}

const PCS: [(&str, Pc); 6] = [
    ("idle", Pc::Idle),
    ("wait", Pc::Wait),
    ("read", Pc::Has(Mode::Read)),
    ("upgradable", Pc::Has(Mode::Upgradable)),
    ("upgrade", Pc::Upgrade),
    ("write", Pc::Has(Mode::Write)),
];

/// The lock, and what each task is doing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// What each task is doing.
    pub pc: Vec<Pc>,
    /// The lock's state, whose waiters are tasks.
    pub lock: Lock<usize>,
}

/// An action of `QueuedRwsem.tla`, with the task that takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// Takes the lock on arrival.
    Enter(usize),
    /// Starts to wait.
    Queue(usize),
    /// Leaves.
    Release(usize),
    /// Waits no longer.
    GiveUp(usize),
    /// Goes on to write, or waits for that.
    Upgrade(usize),
    /// Goes on with less.
    Downgrade(usize, Mode),
}

/// Tasks of a lock, each with what it takes the lock for; a task is an index. Any may give up, and downgrade.
#[derive(Debug, Clone)]
pub struct QueuedRwsem {
    /// What each task takes the lock for.
    pub modes: Vec<Mode>,
    /// Each task's name in the specification.
    pub tasks: Vec<String>,
}

impl QueuedRwsem {
    /// The tasks that these constants say: `Readers`, `Writers`, `Upgraders`.
    ///
    /// # Errors
    /// If one is missing, or not a set; if not every task may give up and downgrade.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<QueuedRwsem> {
        let constant = |name: &str| {
            let value = constants.get(name);
            value.with_context(|| format!("there is no constant {name}"))
        };
        for name in ["Mortal", "Downgraders"] {
            ensure!(constant(name)? == "Task", "{name} are not all tasks");
        }
        let mut model = QueuedRwsem {
            modes: Vec::new(),
            tasks: Vec::new(),
        };
        let kinds = [
            ("Readers", Mode::Read),
            ("Writers", Mode::Write),
            ("Upgraders", Mode::Upgradable),
        ];
        for (name, mode) in kinds {
            let Value::Set(members) = constant(name)?.parse()? else {
                bail!("{name} is not a set")
            };
            model.tasks.extend(members.iter().map(Value::to_string));
            model.modes.resize(model.tasks.len(), mode);
        }
        Ok(model)
    }

    /// The tasks that take the lock for these.
    pub fn of(modes: &[Mode]) -> QueuedRwsem {
        let name = |(task, mode)| format!("{mode:?} {task}");
        QueuedRwsem {
            modes: modes.to_vec(),
            tasks: modes.iter().enumerate().map(name).collect(),
        }
    }

    /// The state after the action, by these rules, if it is enabled.
    pub fn step_by<R: Rules>(&self, state: &State, action: Action) -> Option<State> {
        let State { mut pc, mut lock } = state.clone();
        let granted = match action {
            Action::Enter(t) => {
                (pc[t] == Pc::Idle && lock.enter(self.modes[t])).then_some(())?;
                pc[t] = Pc::Has(self.modes[t]);
                Vec::new()
            }
            Action::Queue(t) => {
                (pc[t] == Pc::Idle).then_some(())?;
                if R::arrive(&mut lock, self.modes[t], t).is_some() {
                    return None;
                }
                pc[t] = Pc::Wait;
                Vec::new()
            }
            Action::Release(t) => {
                let Pc::Has(mode) = pc[t] else { return None };
                pc[t] = Pc::Idle;
                R::release(&mut lock, mode)
            }
            Action::GiveUp(t) => {
                let (gone, granted) = R::give_up(&mut lock, |task| *task == t)?;
                pc[gone] = match pc[gone] {
                    Pc::Upgrade => Pc::Has(Mode::Upgradable),
                    _ => Pc::Idle,
                };
                granted
            }
            Action::Upgrade(t) => {
                (pc[t] == Pc::Has(Mode::Upgradable)).then_some(())?;
                pc[t] = match R::upgrade(&mut lock, t) {
                    Some(_) => Pc::Has(Mode::Write),
                    None => Pc::Upgrade,
                };
                Vec::new()
            }
            Action::Downgrade(t, to) => {
                let Pc::Has(from) = pc[t] else { return None };
                (to < from).then_some(())?;
                pc[t] = Pc::Has(to);
                R::downgrade(&mut lock, from, to)
            }
        };
        for t in granted {
            pc[t] = match pc[t] {
                Pc::Upgrade => Pc::Has(Mode::Write),
                _ => Pc::Has(self.modes[t]),
            };
        }
        Some(State { pc, lock })
    }

    /// The lock's state when the tasks do this and wait in this order.
    fn lock(&self, pc: &[Pc], queue: &[usize]) -> Lock<usize> {
        let doing = |what: Pc| pc.iter().filter(move |pc| **pc == what).count();
        let inside = Inside {
            readers: doing(Pc::Has(Mode::Read)),
            upgradable: doing(Pc::Has(Mode::Upgradable)) + doing(Pc::Upgrade) > 0,
            writer: doing(Pc::Has(Mode::Write)) > 0,
        };
        let place = |&who: &usize| {
            let upgrades = pc[who] == Pc::Upgrade;
            let wants = if upgrades {
                Mode::Write
            } else {
                self.modes[who]
            };
            Waiter {
                wants,
                upgrades,
                who,
            }
        };
        Lock::with(inside, queue.iter().map(place))
    }

    fn task(&self, value: &Value) -> Result<usize> {
        let name = value.label();
        let place = self.tasks.iter().position(|task| *task == name);
        place.with_context(|| format!("there is no task {name}"))
    }
}

impl Counterpart for QueuedRwsem {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        State {
            pc: vec![Pc::Idle; self.tasks.len()],
            lock: Lock::new(),
        }
    }

    fn candidates(&self) -> Vec<Action> {
        let of_task = |t| {
            [
                Action::Enter(t),
                Action::Queue(t),
                Action::Release(t),
                Action::GiveUp(t),
                Action::Upgrade(t),
                Action::Downgrade(t, Mode::Read),
                Action::Downgrade(t, Mode::Upgradable),
            ]
        };
        (0..self.tasks.len()).flat_map(of_task).collect()
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        self.step_by::<Queued>(state, action)
    }

    fn state(&self, vars: &BTreeMap<String, Value>) -> Result<State> {
        let var = |name: &str| {
            let value = vars.get(name);
            value.with_context(|| format!("there is no variable {name}"))
        };
        let mut pc = vec![None; self.tasks.len()];
        for (task, value) in var("pc")?.pairs().context("pc is no function")? {
            let label = value.label();
            let found = PCS.iter().find(|(name, _)| *name == label);
            let (_, does) =
                found.with_context(|| format!("{label} is nothing that a task does"))?;
            pc[self.task(&task)?] = Some(*does);
        }
        let pc: Option<Vec<Pc>> = pc.into_iter().collect();
        let pc = pc.context("pc lacks a task")?;
        let Value::Seq(queue) = var("queue")? else {
            bail!("queue is no sequence")
        };
        let queue: Result<Vec<usize>> = queue.iter().map(|task| self.task(task)).collect();
        let lock = self.lock(&pc, &queue?);
        Ok(State { pc, lock })
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let (task, mode) = match &step.args[..] {
            [task] => (self.task(task)?, None),
            [task, mode] => (self.task(task)?, Some(mode.label())),
            other => bail!("{} has {} arguments", step.action, other.len()),
        };
        Ok(match (step.action.as_str(), mode.as_deref()) {
            ("Enter", None) => Action::Enter(task),
            ("Queue", None) => Action::Queue(task),
            ("Release", None) => Action::Release(task),
            ("GiveUp", None) => Action::GiveUp(task),
            ("Upgrade", None) => Action::Upgrade(task),
            ("Downgrade", Some("read")) => Action::Downgrade(task, Mode::Read),
            ("Downgrade", Some("upgradable")) => Action::Downgrade(task, Mode::Upgradable),
            (other, _) => bail!("there is no action {other} of these arguments"),
        })
    }

    fn show(&self, state: &State) -> String {
        let doing = |pc: &Pc| {
            PCS.iter()
                .find(|(_, does)| does == pc)
                .map_or("", |(name, _)| name)
        };
        let pc = self.tasks.iter().zip(&state.pc);
        let pc: Vec<String> = pc
            .map(|(task, pc)| format!("{task} {}", doing(pc)))
            .collect();
        let queue = state.lock.queue();
        let queue: Vec<&str> = queue.map(|place| self.tasks[place.who].as_str()).collect();
        format!("[{}; queue {}]", pc.join(", "), queue.join(" "))
    }

    fn label(&self, action: Action) -> String {
        let (name, t) = match action {
            Action::Enter(t) => ("Enter", t),
            Action::Queue(t) => ("Queue", t),
            Action::Release(t) => ("Release", t),
            Action::GiveUp(t) => ("GiveUp", t),
            Action::Upgrade(t) => ("Upgrade", t),
            Action::Downgrade(t, mode) => return format!("Downgrade({}, {mode:?})", self.tasks[t]),
        };
        format!("{name}({})", self.tasks[t])
    }
}
