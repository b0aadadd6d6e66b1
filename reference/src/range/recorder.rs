//! A probe that records what a lock of ranges does, for `interlock validate`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::machine::{Ask, Part};
use super::policy::Policy;
use super::probe::{self, Probe};
use super::tree::{Arrival, Mode, Place, Tree};
use crate::trace::{Head, Recording, Step};

/// Records the steps of a lock. A call, from the arrival of its range until the last part of that is released, is one of a task that
/// asks for just that; a task has one call after the other. The lock is not to be [biased](super::lock::RangeLock::biased): its crowd
/// reads more cells than TLC has numbers for.
#[derive(Debug, Default)]
pub struct Recorder {
    recording: Recording<Event>,
    calls: Mutex<Calls>,
}

/// A step as it is recorded.
#[derive(Debug)]
struct Event {
    /// Whose, by its place in [`Calls::all`].
    call: usize,
    what: What,
    /// How many ranges are held then.
    held: usize,
    /// How many are waited for.
    waiting: usize,
}

#[derive(Debug)]
enum What {
    Arrives(Arrival),
    Narrow,
    Unlock,
    Interrupt,
    Refused,
}

#[derive(Debug, Default)]
struct Calls {
    all: Vec<Call>,
    /// Those that have not ended, by their tickets.
    open: HashMap<u64, usize>,
    /// How many steps have been taken.
    steps: usize,
}

#[derive(Debug)]
struct Call {
    ask: Ask,
    /// It has given up its wait.
    gave_up: bool,
    /// What it has now.
    has: Vec<Part>,
    /// From which of the steps until which.
    from: usize,
    to: usize,
}

/// A task of the trace.
struct Task {
    name: String,
    ask: Ask,
    /// One of its calls has given up.
    mortal: bool,
    /// The step until which it has something to do.
    busy: usize,
}

impl Recorder {
    /// An empty record.
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// The current thread's steps are in a strand of this name from now on.
    pub fn join(&self, thread: &str) {
        self.recording.join(thread);
    }

    /// The record as a trace of `RangeTree`, with `source` for people: of a lock of this design. TLC can judge it if the ranges' ends
    /// are numbers of 31 bits.
    ///
    /// # Panics
    /// If the design is none of [`Policy::NAMED`].
    pub fn to_text(&self, source: &str, policy: Policy) -> String {
        let named = Policy::NAMED.iter().find(|(_, named)| *named == policy);
        let (policy, _) = named.expect("a design of the specification");
        let (tasks, of_call) = tasks(&self.calls().all);
        let head = Head {
            module: "RangeTree",
            source,
            constants: &[
                ("Asks", asks(&tasks)),
                ("Mortal", mortal(&tasks)),
                ("Policy", format!("<- {policy}")),
            ],
        };
        self.recording.write(&head, |_, event| {
            let task = &tasks[of_call[event.call]].name;
            event.step(task)
        })
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Probe for Recorder {
    fn about(&self) {
        self.recording.before();
    }

    fn step(&self, step: probe::Step<'_>, tree: &Tree) {
        let (call, what) = self.calls().take(step);
        let entries = tree.entries();
        let waiting = entries.iter().filter(|entry| entry.blocking > 0).count();
        self.recording.after(Event {
            call,
            what,
            held: entries.len() - waiting,
            waiting,
        });
    }
}

impl Calls {
    fn take(&mut self, step: probe::Step<'_>) -> (usize, What) {
        self.steps += 1;
        match step {
            probe::Step::Arrives(place, arrival) => {
                let call = self.begin(part(place));
                self.open.insert(place.ticket, call);
                (call, What::Arrives(arrival))
            }
            probe::Step::GivesUp(place) => {
                let call = self.open.remove(&place.ticket).expect("it has arrived");
                self.all[call].gave_up = true;
                self.all[call].to = self.steps;
                (call, What::Interrupt)
            }
            probe::Step::Refused(range, mode) => {
                let call = self.begin((range.clone(), mode));
                self.all[call].to = self.steps;
                (call, What::Refused)
            }
            probe::Step::Becomes(place, parts) => {
                let at = *self.open.get(&place.ticket).expect("it has arrived");
                let call = &mut self.all[at];
                call.has.retain(|has| *has != part(place));
                call.has.extend(parts.iter().map(part));
                if call.has.is_empty() {
                    call.to = self.steps;
                    self.open.remove(&place.ticket);
                    return (at, What::Unlock);
                }
                call.ask.then.push(call.has.clone());
                (at, What::Narrow)
            }
        }
    }

    fn begin(&mut self, part: Part) -> usize {
        self.all.push(Call {
            ask: Ask {
                part: part.clone(),
                then: Vec::new(),
            },
            gave_up: false,
            has: vec![part],
            from: self.steps,
            to: usize::MAX,
        });
        self.all.len() - 1
    }
}

fn part(place: &Place) -> Part {
    (place.range.clone(), place.mode)
}

/// The tasks that do all this, and which of them each call is of.
fn tasks(calls: &[Call]) -> (Vec<Task>, Vec<usize>) {
    let mut tasks: Vec<Task> = Vec::new();
    let mut of_call = Vec::new();
    for call in calls {
        let is_free = |task: &Task| task.ask == call.ask && task.busy < call.from;
        let task = tasks.iter().position(is_free).unwrap_or_else(|| {
            let kind = match call.ask.part.1 {
                Mode::Read => 'r',
                Mode::Write => 'w',
            };
            tasks.push(Task {
                name: format!("{kind}{}", tasks.len() + 1),
                ask: call.ask.clone(),
                mortal: false,
                busy: 0,
            });
            tasks.len() - 1
        });
        tasks[task].busy = call.to;
        tasks[task].mortal |= call.gave_up;
        of_call.push(task);
    }
    (tasks, of_call)
}

/// What they ask for, as TLA+ writes it.
fn asks(tasks: &[Task]) -> String {
    let ask = |task: &Task| {
        let then = task.ask.then.iter().map(|parts| {
            let parts: Vec<String> = parts.iter().map(|part| record(part, "")).collect();
            format!("{{{}}}", parts.join(", "))
        });
        let then = then.collect::<Vec<_>>().join(", ");
        let asks = record(&task.ask.part, &format!(", then |-> <<{then}>>"));
        format!("{} |-> {asks}", task.name)
    };
    format!("[{}]", tasks.iter().map(ask).collect::<Vec<_>>().join(", "))
}

/// Those that may give up, as TLA+ writes it.
fn mortal(tasks: &[Task]) -> String {
    let mortal = tasks.iter().filter(|task| task.mortal);
    let names: Vec<String> = mortal.map(|task| format!("\"{}\"", task.name)).collect();
    format!("{{{}}}", names.join(", "))
}

fn record((range, mode): &Part, more: &str) -> String {
    let write = if *mode == Mode::Write {
        "TRUE"
    } else {
        "FALSE"
    };
    let (first, last) = (range.start, range.end - 1);
    format!("[first |-> {first}, last |-> {last}, write |-> {write}{more}]")
}

impl Event {
    fn step(&self, task: &str) -> Step {
        let mut sees = vec![
            ("held".into(), self.held.to_string()),
            ("waiting".into(), self.waiting.to_string()),
        ];
        let action = match self.what {
            What::Arrives(arrival) => {
                let (action, blocking) = match arrival {
                    Arrival::Lock => ("Lock", 0),
                    Arrival::Pass => ("Pass", 0),
                    Arrival::Wait(blocking) => ("Wait", blocking),
                };
                sees.push((task.to_owned(), blocking.to_string()));
                action
            }
            What::Narrow => "Narrow",
            What::Unlock => "Unlock",
            What::Interrupt => "Interrupt",
            What::Refused => {
                sees.push((format!("enters {task}"), "FALSE".into()));
                "See"
            }
        };
        Step {
            action,
            args: vec![format!("\"{task}\"")],
            sees,
        }
    }
}
