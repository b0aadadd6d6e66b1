//! From the values of `WbPlug.tla` to the machine: its states and actions; and the specification's invariants.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};
use interlock::writeback::plug::{Action, Cpu, Machine, Pc, Queue, Run, State, awaits_room};
use interlock::writeback::plug_policy::Policy;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::traced::{Seen, Traced, count};
use super::values::{constant, field, members, number, truth, variable};

/// The machine of a model.
#[derive(Debug, Clone)]
pub struct WbPlug {
    /// The machine.
    pub machine: Machine,
}

impl WbPlug {
    /// The machine with these constants of module WbPlug: `Policy`, `Files`, `Slots`, `Queue`, `Movable`.
    ///
    /// # Errors
    /// If one is missing, or there is no such variant.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<WbPlug> {
        let constant = |name: &str| constant(constants, name);
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no variant {policy}"))?;
        let files = constant("Files")?.parse().context("Files")?;
        let slots = constant("Slots")?.parse().context("Slots")?;
        let mut machine = Machine::new(*policy, files, slots);
        machine.queue = queue(&constant("Queue")?.parse()?)?;
        machine.movable = numbers(&constant("Movable")?.parse()?)?;
        Ok(WbPlug { machine })
    }
}

/// The invariants of `WbPlug.tla`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// Nobody sleeps with a spin lock held.
    NoSleepUnderLock,
    /// Off the processor by preemption means an empty plug.
    PreemptedPlugIsEmpty,
    /// Nobody waits for I/O that nobody has issued, while whoever has it is off the processor.
    NobodyWaitsForUnissued,
    /// The lock is held for the list alone.
    NoIoUnderLock,
    /// The inode that is written was on b_io when it was taken.
    PicksFromList,
    /// One request a pass, and one more each time its plug is broken off.
    BoundedRequests,
}

impl Invariant {
    /// Every one.
    pub const ALL: [Invariant; 6] = [
        Invariant::NoSleepUnderLock,
        Invariant::PreemptedPlugIsEmpty,
        Invariant::NobodyWaitsForUnissued,
        Invariant::NoIoUnderLock,
        Invariant::PicksFromList,
        Invariant::BoundedRequests,
    ];

    /// It holds in the state.
    pub fn holds(self, state: &State) -> bool {
        let finishing = matches!(state.pc, Pc::Inode | Pc::Finish);
        let writes = matches!(state.pc, Pc::Write | Pc::Submit);
        let io = finishing || writes;
        match self {
            Invariant::NoSleepUnderLock => !(state.cpu == Cpu::Asleep && state.locked),
            Invariant::PreemptedPlugIsEmpty => state.cpu != Cpu::Preempted || state.plug.is_empty(),
            Invariant::NobodyWaitsForUnissued => {
                !state.plug.contains(&state.waits) || state.cpu == Cpu::On || awaits_room(state)
            }
            Invariant::NoIoUnderLock => !(state.locked && io),
            Invariant::PicksFromList => !writes || !state.moved.contains(&state.next),
            Invariant::BoundedRequests => state.requests <= 1 + state.breaks,
        }
    }
}

fn numbers(value: &Value) -> Result<BTreeSet<usize>> {
    members(value)?.iter().map(number).collect()
}

/// A request: inodes without a gap.
fn run(value: &Value) -> Result<Run> {
    let inodes = numbers(value)?;
    let ends = inodes.first().zip(inodes.last());
    let (&first, &last) = ends.with_context(|| format!("{value} is empty"))?;
    if last - first + 1 != inodes.len() {
        bail!("{value} has a gap");
    }
    Ok(Run { first, last })
}

fn shown(run: Run) -> String {
    let inodes: Vec<String> = (run.first..=run.last).map(|i| i.to_string()).collect();
    format!("{{{}}}", inodes.join(", "))
}

fn pc(value: &Value) -> Result<Pc> {
    let label = value.label();
    Ok(match label.as_str() {
        "idle" => Pc::Idle,
        "lock" => Pc::Lock,
        "pick" => Pc::Pick,
        "write" => Pc::Write,
        "submit" => Pc::Submit,
        "inode" => Pc::Inode,
        "after" => Pc::After,
        "finish" => Pc::Finish,
        "end" => Pc::End,
        _ => bail!("{label} is nothing that the flusher does"),
    })
}

fn queue(value: &Value) -> Result<Queue> {
    let label = value.label();
    Ok(match label.as_str() {
        "none" => Queue::None,
        "keeps" => Queue::Keeps,
        "merges" => Queue::Merges,
        _ => bail!("{label} is no queue"),
    })
}

/// Requests, each without a gap.
fn requests(value: &Value) -> Result<BTreeSet<Run>> {
    members(value)?.iter().map(run).collect()
}

fn cpu(value: &Value) -> Result<Cpu> {
    let label = value.label();
    Ok(match label.as_str() {
        "on" => Cpu::On,
        "preempted" => Cpu::Preempted,
        "asleep" => Cpu::Asleep,
        _ => bail!("{label} is no place for the flusher"),
    })
}

impl Traced for WbPlug {
    const SEES: &'static [Seen] = &[
        Seen {
            name: "plug",
            what: "how many inodes' pages are in the plug",
        },
        Seen {
            name: "flying",
            what: "how many requests the device has",
        },
        Seen {
            name: "requests",
            what: "how many it has got in this pass; 0 when the pass is over",
        },
    ];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        match name {
            "plug" => Some(count(state.plug.len())),
            "flying" => Some(count(state.flying.len())),
            "requests" => Some(Value::Int(state.requests.into())),
            _ => None,
        }
    }
}

impl Counterpart for WbPlug {
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
        let task = |name: &str| field(var("pc")?, name);
        Ok(State {
            pc: pc(task("flusher")?)?,
            throttled: task("dirtier")?.label() == "throttled",
            next: number(var("next")?)?,
            cached: number(var("cached")?)?,
            moved: numbers(var("moved")?)?,
            locked: truth(var("locked")?)?,
            plugged: truth(var("plugged")?)?,
            plug: numbers(var("plug")?)?,
            queue: requests(var("queue")?)?,
            flying: requests(var("flying")?)?,
            cpu: cpu(var("cpu")?)?,
            resched: truth(var("resched")?)?,
            waits: number(var("waits")?)?,
            requests: number(var("requests")?)?,
            breaks: number(var("breaks")?)?,
        })
    }

    fn action(&self, step: &Step) -> Result<Action> {
        Ok(match (step.action.as_str(), &step.args[..]) {
            ("Begin", []) => Action::Begin,
            ("Lock", []) => Action::Lock,
            ("Pick", []) => Action::Pick,
            ("Sleep", []) => Action::Sleep,
            ("Submit", []) => Action::Submit,
            ("Finish", []) => Action::Finish,
            ("Resched", []) => Action::Resched,
            ("GoOn", []) => Action::GoOn,
            ("End", []) => Action::End,
            ("Resume", []) => Action::Resume,
            ("Want", []) => Action::Want,
            ("Move", [inode]) => Action::Move(number(inode)?),
            ("Issue", [request]) => Action::Issue(run(request)?),
            ("Throttle", [inode]) => Action::Throttle(number(inode)?),
            ("Complete", [request]) => Action::Complete(run(request)?),
            (other, args) => bail!("there is no action {other} of {} arguments", args.len()),
        })
    }

    fn show(&self, state: &State) -> String {
        let plug: Vec<String> = state.plug.iter().map(usize::to_string).collect();
        let all = |requests: &BTreeSet<Run>| {
            let shown: Vec<String> = requests.iter().map(|run| shown(*run)).collect();
            shown.join(" ")
        };
        let mut text = format!("[{:?} {:?} next {}", state.pc, state.cpu, state.next);
        for (is, what) in [
            (state.locked, " locked"),
            (state.plugged, " plugged"),
            (state.resched, " wanted"),
        ] {
            text += if is { what } else { "" };
        }
        if state.cached != 0 || !state.moved.is_empty() {
            text += &format!("; cached {}, moved {:?}", state.cached, state.moved);
        }
        text += &format!("; plug {{{}}}", plug.join(" "));
        if !state.queue.is_empty() {
            text += &format!("; queue {}", all(&state.queue));
        }
        text += &format!("; flying {}", all(&state.flying));
        if state.waits != 0 || state.throttled {
            text += &format!("; waits for {}", state.waits);
        }
        text + &format!("; {} requests, {} breaks]", state.requests, state.breaks)
    }

    fn label(&self, action: Action) -> String {
        match action {
            Action::Throttle(inode) => format!("Throttle({inode})"),
            Action::Move(inode) => format!("Move({inode})"),
            Action::Issue(run) => format!("Issue({})", shown(run)),
            Action::Complete(run) => format!("Complete({})", shown(run)),
            plain => format!("{plain:?}()"),
        }
    }
}
