//! From the values of `ReserveWait.tla` to the machine: its threads, states and actions.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use interlock::jbd2::reserve_wait::{Action, Machine, Pc, State, Wake};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::named::{name_of, one_of};
use super::traced::{Seen, Traced};
use super::values::{constant, names, number, pairs, variable};

/// A machine and the names of its threads.
#[derive(Debug, Clone)]
pub struct ReserveWait {
    /// The machine.
    pub machine: Machine,
    /// Each thread's name in the specification.
    pub threads: Vec<String>,
}

impl ReserveWait {
    /// The machine with these constants of module ReserveWait: `Small`, `Large`, `Half`, `Wake`.
    ///
    /// # Errors
    /// If one is missing, a set is not one of threads, or there is no such way to wake.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<ReserveWait> {
        let constant = |name: &str| constant(constants, name);
        let set = |name: &str| names(constants, name);
        let wake = constant("Wake")?.parse::<Value>()?.label();
        let named = Wake::NAMED.iter().find(|(name, _)| *name == wake);
        let (_, wake) = named.with_context(|| format!("there is no way to wake {wake}"))?;
        let (mut threads, large) = (set("Small")?, set("Large")?);
        let needs = [vec![1; threads.len()], vec![2; large.len()]].concat();
        threads.extend(large);
        let half = constant("Half")?.parse().context("Half")?;
        Ok(ReserveWait {
            machine: Machine::new(needs, half, *wake),
            threads,
        })
    }

    fn thread(&self, value: &Value) -> Result<usize> {
        let name = value.label();
        let place = self.threads.iter().position(|thread| *thread == name);
        place.with_context(|| format!("there is no thread {name}"))
    }

    /// A function from the threads.
    fn of_threads<T>(
        &self,
        vars: &BTreeMap<String, Value>,
        name: &str,
        of: impl Fn(&Value) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut by_thread = BTreeMap::new();
        for (thread, value) in pairs(variable(vars, name)?)? {
            by_thread.insert(self.thread(&thread)?, of(value)?);
        }
        if by_thread.len() != self.threads.len() {
            bail!("{name} lacks a thread");
        }
        Ok(by_thread.into_values().collect())
    }
}

/// `ReservedIsHeld`.
pub fn reserved_is_held(machine: &Machine, state: &State) -> bool {
    let needs = machine.needs.iter().zip(&state.pc);
    let of = |wanted: Pc| {
        let of = needs.clone().filter(move |(_, pc)| **pc == wanted);
        of.map(|(need, _)| *need).sum::<u32>()
    };
    let held = of(Pc::Hold);
    state.reserved == held + of(Pc::Undo) && held <= machine.half
}

/// `NoLostWakeup`: nobody sleeps first in the queue with credits that fit, unless somebody is awake who tests.
pub fn no_lost_wakeup(machine: &Machine, state: &State) -> bool {
    let first = state.queue.first().map(|&first| machine.needs[first]);
    let fits = first.is_some_and(|need| state.reserved + need <= machine.half);
    let is_awake = |pc: &Pc| matches!(pc, Pc::Test | Pc::Undo | Pc::Look);
    !fits || state.pc.iter().any(is_awake)
}

/// The sizes of the herds are left out, and how often a thread was woken is only whether it was. A graph lacks the queue if it
/// is empty in every state.
impl Counterpart for ReserveWait {
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
        let queue = match vars.get("queue") {
            Some(Value::Seq(queue)) => &queue[..],
            Some(other) => bail!("the queue is {other}"),
            None => &[],
        };
        Ok(State {
            pc: self.of_threads(vars, "pc", |pc| one_of(&PCS, pc))?,
            queue: queue
                .iter()
                .map(|thread| self.thread(thread))
                .collect::<Result<_>>()?,
            reserved: number(variable(vars, "reserved")?)?,
            woken: self.of_threads(vars, "wakes", |wakes| Ok(*wakes > Value::Int(0)))?,
        })
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let [thread] = &step.args[..] else {
            bail!("{} has {} arguments", step.action, step.args.len())
        };
        let thread = self.thread(thread)?;
        Ok(match step.action.as_str() {
            "Start" => Action::Start(thread),
            "Take" => Action::Take(thread),
            "Fail" => Action::Fail(thread),
            "Undo" => Action::Undo(thread),
            "Sleep" => Action::Sleep(thread),
            "Retry" => Action::Retry(thread),
            "Release" => Action::Release(thread),
            other => bail!("there is no action {other}"),
        })
    }

    fn show(&self, state: &State) -> String {
        let threads = self.threads.iter().zip(&state.pc).zip(&state.woken);
        let threads: Vec<String> = threads
            .map(|((thread, pc), woken)| {
                format!("{thread} {pc:?}{}", if *woken { " woken" } else { "" })
            })
            .collect();
        let queue: Vec<&str> = state
            .queue
            .iter()
            .map(|&thread| self.threads[thread].as_str())
            .collect();
        format!(
            "[{}; queue {}; reserved {}]",
            threads.join(", "),
            queue.join(" "),
            state.reserved
        )
    }

    fn label(&self, action: Action) -> String {
        let name = format!("{action:?}");
        let name = name.split('(').next().unwrap_or_default();
        format!("{name}({})", self.threads[action.thread()])
    }
}

/// The credits by name; and what a thread does, by the thread's.
impl Traced for ReserveWait {
    const SEES: &'static [Seen] = &[
        Seen {
            name: "reserved",
            what: "j_reserved_credits, and with `\"hand-off\"` what was granted, in reservations",
        },
        Seen {
            name: "THREAD",
            what: "what the thread does now: `\"hold\"`, or where it waits",
        },
    ];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        if name == "reserved" {
            return Some(Value::Int(i64::from(state.reserved)));
        }
        let place = self.threads.iter().position(|thread| thread == name)?;
        Some(name_of(&PCS, state.pc[place]))
    }
}

const PCS: [(&str, Pc); 6] = [
    ("idle", Pc::Idle),
    ("test", Pc::Test),
    ("undo", Pc::Undo),
    ("look", Pc::Look),
    ("sleep", Pc::Sleep),
    ("hold", Pc::Hold),
];
