//! The machine of `Handles.tla`: what a trace of a running kernel shows of a journal's handles. It has no other specification, and
//! no code: it is only compared with traces.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};

use super::counterpart::Counterpart;
use super::numbers::{number, numbers};
use super::traced::{Seen, Traced};
use super::values::constant;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

/// The constants.
#[derive(Debug, Clone)]
pub struct Handles {
    tasks: Vec<String>,
    first: i64,
    max: i64,
    overhead: i64,
    half: i64,
    in_flight: BTreeSet<i64>,
    reserves: BTreeSet<i64>,
}

/// The state of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TState {
    /// There is none.
    None,
    /// It takes handles.
    Running,
    /// It takes reserved handles.
    Locked,
    /// It has been switched, and takes none.
    Flush,
    /// Its blocks are being written.
    Commit,
    /// They are written.
    Callback,
}

/// A transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transaction {
    tid: i64,
    state: TState,
    whole: bool,
    joined: i64,
    out: i64,
}

/// A handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle {
    credits: i64,
    reserve: i64,
}

/// A state; the handles are by their task's place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    running: Transaction,
    committing: Transaction,
    handles: BTreeMap<usize, Handle>,
    reserved: i64,
    unused: i64,
}

/// An action with its arguments, in their order; a task is its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// A task's handle joins `tid` with credits, and reserves others.
    Start(usize, i64, i64, i64),
    /// The same of a handle that was asked for before the trace began, which may have reserved so many for another one.
    StartOlder(usize, i64, i64, i64),
    /// A reserved handle joins: `tid`, what was reserved, what it has.
    StartReserved(usize, i64, i64, i64),
    /// A handle of `tid`, with so many credits left, gets more.
    Extend(usize, i64, i64, i64),
    /// A handle leaves its transaction.
    Restart(usize),
    /// A handle of `tid`, of so many credits, stops, and has dirtied so many blocks.
    Stop(usize, i64, i64, i64),
    /// What the handle that has just stopped had reserved is given back.
    FreeReserved,
    /// `T_LOCKED`.
    CommitLock(i64),
    /// `T_FLUSH`.
    CommitFlush(i64),
    /// `T_COMMIT`.
    CommitLog(i64),
    /// The kernel's numbers of handles and blocks.
    Stats(i64, i64, i64),
    /// `T_FINISHED`.
    CommitEnd(i64),
}

impl Transaction {
    const NONE: Transaction = Transaction::new(0, TState::None, false);

    const fn new(tid: i64, state: TState, whole: bool) -> Transaction {
        Transaction {
            tid,
            state,
            whole,
            joined: 0,
            out: 0,
        }
    }
}

impl Handles {
    /// The machine with these constants of module Handles.
    ///
    /// # Errors
    /// If one is missing, or is not what it has to be.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<Handles> {
        let Value::Set(tasks) = constant(constants, "Task")?.parse()? else {
            bail!("Task is not a set")
        };
        let of = |name: &str| number(&constant(constants, name)?.parse()?).context(name.to_owned());
        let set = |name: &str| {
            let Value::Set(numbers) = constant(constants, name)?.parse()? else {
                bail!("{name} is not a set")
            };
            numbers.iter().map(number).collect::<Result<BTreeSet<_>>>()
        };
        Ok(Handles {
            tasks: tasks.iter().map(Value::to_string).collect(),
            first: of("FirstTid")?,
            max: of("Max")?,
            overhead: of("Overhead")?,
            half: of("Half")?,
            in_flight: set("InFlight")?,
            reserves: set("OlderReserves")?,
        })
    }

    fn task(&self, value: &Value) -> Result<usize> {
        let name = value.label();
        // The members of a set are in order.
        let place = self.tasks.binary_search(&name);
        place
            .ok()
            .with_context(|| format!("there is no task {name}"))
    }

    /// `Out`.
    fn out(&self, state: &State) -> i64 {
        self.overhead + state.reserved + state.running.out
    }

    /// `Admits`.
    fn admits(&self, state: &State, [tid, credits, reserve]: [i64; 3]) -> bool {
        tid == state.running.tid
            && state.running.state == TState::Running
            && self.out(state) + credits + reserve <= self.max
            && (reserve <= 0 || state.reserved + reserve <= self.half)
    }
}

impl State {
    fn join(&mut self, task: usize, credits: i64, reserve: i64) {
        self.handles.insert(task, Handle { credits, reserve });
        self.running.joined += 1;
        self.running.out += credits;
    }

    /// The handle of a task is gone: what it had, and what the transaction has less of.
    fn leave(&mut self, task: usize) -> Option<Handle> {
        let handle = self.handles.remove(&task);
        self.unused = handle.map_or(0, |handle| handle.reserve);
        self.running.out -= handle.map_or(0, |handle| handle.credits);
        handle
    }

    fn goes(&mut self, tid: i64, from: TState, to: TState) -> bool {
        let goes = self.committing.tid == tid && self.committing.state == from;
        self.committing.state = to;
        goes
    }
}

impl Counterpart for Handles {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        State {
            running: Transaction::new(self.first, TState::Running, false),
            committing: Transaction::NONE,
            handles: BTreeMap::new(),
            reserved: self.in_flight.first().copied().unwrap_or(0),
            unused: 0,
        }
    }

    /// The silent one: the others have arguments without a bound.
    fn candidates(&self) -> Vec<Action> {
        vec![Action::FreeReserved]
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        next.unused = 0;
        let has = |task| state.handles.get(&task);
        let whole = state.running.whole;
        let takes = |tid: i64| tid == state.running.tid && state.running.state == TState::Running;
        let enabled = match action {
            Action::Start(task, tid, credits, reserve) => {
                next.join(task, credits, reserve);
                next.reserved += reserve;
                has(task).is_none() && self.admits(state, [tid, credits, reserve])
            }
            Action::StartOlder(task, tid, credits, reserve) => {
                next.join(task, credits, 0);
                next.reserved += reserve;
                has(task).is_none() && self.admits(state, [tid, credits, reserve])
            }
            Action::StartReserved(task, tid, reserve, credits) => {
                next.join(task, credits, 0);
                next.reserved -= reserve;
                has(task).is_none()
                    && tid == state.running.tid
                    && credits == reserve
                    && reserve <= state.reserved
            }
            Action::Extend(task, tid, left, more) => {
                if let Some(handle) = next.handles.get_mut(&task) {
                    handle.credits += more;
                    next.running.out += more;
                }
                has(task).map_or(!whole, |handle| left <= handle.credits)
                    && takes(tid)
                    && self.out(state) + more <= self.max
            }
            Action::Restart(task) => {
                next.running.whole = false;
                next.leave(task).is_some() || !whole
            }
            Action::Stop(task, tid, credits, dirtied) => {
                next.running.out += dirtied;
                let fits = next
                    .leave(task)
                    .map_or(!whole, |handle| credits == handle.credits);
                fits && tid == state.running.tid && dirtied <= credits
            }
            Action::FreeReserved => {
                next.reserved -= state.unused;
                state.unused > 0 && state.unused <= state.reserved
            }
            Action::CommitLock(tid) => {
                next.running.state = TState::Locked;
                takes(tid) && state.committing.state == TState::None
            }
            Action::CommitFlush(tid) => {
                next.committing = Transaction {
                    state: TState::Flush,
                    ..state.running
                };
                next.running = Transaction::new(tid + 1, TState::Running, true);
                tid == state.running.tid
                    && state.running.state == TState::Locked
                    && state.handles.is_empty()
            }
            Action::CommitLog(tid) => next.goes(tid, TState::Flush, TState::Commit),
            Action::Stats(tid, joined, blocks) => {
                let Transaction {
                    whole,
                    joined: seen,
                    out,
                    ..
                } = state.committing;
                next.goes(tid, TState::Commit, TState::Callback)
                    && joined >= seen
                    && (!whole || joined == seen && blocks <= out)
            }
            Action::CommitEnd(tid) => {
                let goes = next.goes(tid, TState::Callback, TState::None);
                next.committing = Transaction::NONE;
                goes
            }
        };
        enabled.then_some(next)
    }

    fn action(&self, step: &Step) -> Result<Action> {
        if let ("FreeReserved", []) = (step.action.as_str(), &step.args[..]) {
            return Ok(Action::FreeReserved);
        }
        let (first, rest) = step.args.split_first().context("it has no argument")?;
        let of_tid = |action: fn(i64) -> Action| anyhow::Ok(action(number(first)?));
        let four = |action: fn(usize, i64, i64, i64) -> Action| {
            let [tid, m, n] = numbers(step, rest)?;
            anyhow::Ok(action(self.task(first)?, tid, m, n))
        };
        match (step.action.as_str(), rest) {
            ("Start", _) => four(Action::Start),
            ("StartReserved", _) => four(Action::StartReserved),
            ("Extend", _) => four(Action::Extend),
            ("Stop", _) => four(Action::Stop),
            ("Restart", []) => Ok(Action::Restart(self.task(first)?)),
            ("CommitLock", []) => of_tid(Action::CommitLock),
            ("CommitFlush", []) => of_tid(Action::CommitFlush),
            ("CommitLog", []) => of_tid(Action::CommitLog),
            ("CommitEnd", []) => of_tid(Action::CommitEnd),
            ("Stats", _) => {
                let [joined, blocks] = numbers(step, rest)?;
                Ok(Action::Stats(number(first)?, joined, blocks))
            }
            (other, _) => bail!(
                "there is no action {other} of {} arguments",
                step.args.len()
            ),
        }
    }

    fn show(&self, state: &State) -> String {
        let transaction = |transaction: &Transaction| {
            let Transaction {
                tid,
                state,
                whole,
                joined,
                out,
            } = transaction;
            let whole = if *whole { "" } else { " at least" };
            format!("{tid} {state:?},{whole} joined by {joined}, out {out}")
        };
        let handles = state.handles.iter().map(|(task, handle)| {
            let reserve = match handle.reserve {
                0 => String::new(),
                reserve => format!(" and {reserve} reserved"),
            };
            format!("{} has {}{reserve}", self.tasks[*task], handle.credits)
        });
        let mut parts = vec![transaction(&state.running)];
        if state.committing.state != TState::None {
            parts.push(transaction(&state.committing));
        }
        parts.extend(handles);
        parts.push(format!("reserved {}", state.reserved));
        format!("[{}]", parts.join("; "))
    }

    fn label(&self, action: Action) -> String {
        format!("{action:?}")
    }
}

impl Traced for Handles {
    /// An event's arguments say all that was seen.
    const SEES: &'static [Seen] = &[];

    /// A trace may begin in any of these: the first transaction runs, or is locked, or commits; and some credits are reserved.
    fn starts(&self) -> Vec<State> {
        let running = |state| {
            (
                Transaction::new(self.first, state, false),
                Transaction::NONE,
            )
        };
        let committing = |state| {
            (
                Transaction::new(self.first + 1, TState::Running, false),
                Transaction::new(self.first, state, false),
            )
        };
        let transactions = [
            running(TState::Running),
            running(TState::Locked),
            committing(TState::Flush),
            committing(TState::Commit),
            committing(TState::Callback),
        ];
        let of = |reserved: &i64| {
            transactions.map(|(running, committing)| State {
                running,
                committing,
                reserved: *reserved,
                ..self.init()
            })
        };
        self.in_flight.iter().flat_map(of).collect()
    }

    /// `StartOlder` leaves open what is reserved, and whether the handle was itself.
    fn actions(&self, step: &Step) -> Result<Vec<Action>> {
        if step.action != "StartOlder" {
            return Ok(vec![self.action(step)?]);
        }
        let (task, rest) = step.args.split_first().context("it has no argument")?;
        let (task, [tid, credits]) = (self.task(task)?, numbers(step, rest)?);
        let reserves = self.reserves.iter();
        let ordinary = reserves.map(|reserve| Action::StartOlder(task, tid, credits, *reserve));
        let reserved = Action::StartReserved(task, tid, credits, credits);
        Ok(ordinary.chain([reserved]).collect())
    }

    fn sees(&self, _state: &State, _name: &str) -> Option<Value> {
        None
    }

    fn is_silent(&self, action: Action) -> bool {
        action == Action::FreeReserved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that reserves none fits, if it has not too many credits; one that is reserved needs a reservation.
    #[test]
    fn an_older_handle_keeps_to_the_limits() {
        let constants = [
            ("Task", "{t1}"),
            ("FirstTid", "5"),
            ("Max", "20"),
            ("Overhead", "2"),
            ("Half", "9"),
            ("InFlight", "{0, 4}"),
            ("OlderReserves", "{0, 4}"),
        ];
        let constants = constants.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let machine = Handles::new(&constants.into()).expect("its constants");
        let starts = |credits: u32, state: &State| {
            let args =
                ["\"t1\"", "5", &credits.to_string()].map(|arg| arg.parse().expect("a value"));
            let step = Step {
                action: "StartOlder".into(),
                args: args.into(),
            };
            let actions = machine.actions(&step).expect("its actions");
            let fits = |action: &&Action| machine.step(state, **action).is_some();
            actions.iter().filter(fits).count()
        };
        let fits = [4, 14, 18, 19].map(|credits| starts(credits, &machine.init()));
        assert_eq!(fits, [2, 2, 1, 0]);
        let reserved = machine.starts().into_iter().map(|state| starts(4, &state));
        assert_eq!(reserved.collect::<Vec<_>>(), [2, 0, 0, 0, 0, 3, 1, 0, 0, 0]);
    }
}
