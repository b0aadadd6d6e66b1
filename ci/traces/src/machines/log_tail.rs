//! The machine of `LogTail.tla`: what a trace of a running kernel shows of a journal's log. It has no other specification, and no
//! code: it is only compared with traces.

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
pub struct LogTail {
    first: i64,
    log: i64,
}

/// A state: the specification's variables.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    tail: i64,
    last: i64,
    ended: i64,
    total: BTreeMap<i64, i64>,
    dropped: BTreeSet<i64>,
}

/// An action with its arguments, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// A transaction's blocks, dirtied and logged.
    Logged(i64, i64, i64),
    /// A transaction has finished; where the tail is.
    Finish(i64, i64),
    /// A transaction is checkpointed.
    Drop(i64),
    /// The tail moves from one transaction to another, and so many blocks are free.
    Tail(i64, i64, i64),
}

impl LogTail {
    /// The machine with these constants of module LogTail.
    ///
    /// # Errors
    /// If one is missing, or is no number.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<LogTail> {
        let of = |name: &str| number(&constant(constants, name)?.parse()?).context(name.to_owned());
        Ok(LogTail {
            first: of("FirstTid")?,
            log: of("Log")?,
        })
    }

    /// `Before`.
    fn before(&self, state: &State, tid: i64) -> i64 {
        let known = state.total.get(&(tid.max(self.first) - 1));
        known.copied().unwrap_or(0)
    }

    fn moves(&self, state: &State, [from, to, freed]: [i64; 3]) -> bool {
        let told = from.max(self.first)..to;
        if state.tail != 0 && from != state.tail || from >= to || to > state.last + 1 {
            return false;
        }
        let unknown = (to.min(self.first) - from).max(0);
        let known = self.before(state, to) - self.before(state, from);
        let adds_up = match unknown {
            0 => freed == known,
            _ => freed >= known + unknown,
        };
        let passed = |tid: i64| state.dropped.contains(&tid) || tid > state.ended;
        adds_up && freed < self.log && told.into_iter().all(passed)
    }
}

impl Counterpart for LogTail {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        State {
            tail: 0,
            last: self.first - 1,
            ended: self.first - 1,
            total: BTreeMap::from([(self.first - 1, 0)]),
            dropped: BTreeSet::new(),
        }
    }

    /// None: all actions have arguments without a bound, and none is silent.
    fn candidates(&self) -> Vec<Action> {
        Vec::new()
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        let enabled = match action {
            Action::Logged(tid, blocks, logged) => {
                let sum = self.before(state, state.last + 1) + logged;
                let control = if blocks > 0 { 2 } else { 1 };
                next.last = tid;
                next.total.insert(tid, sum);
                tid == state.last + 1
                    && state.ended == state.last
                    && logged >= blocks + control
                    && sum - self.before(state, state.tail) < self.log
            }
            Action::Finish(tid, head) => {
                next.tail = head;
                next.ended = tid;
                tid == state.ended + 1
                    && tid == state.last
                    && (state.tail == 0 || head == state.tail)
                    && head <= tid
            }
            Action::Drop(tid) => {
                let is_new = next.dropped.insert(tid);
                if tid < self.first {
                    next.dropped.remove(&tid);
                }
                tid >= state.tail && tid <= state.ended && is_new
            }
            Action::Tail(from, to, freed) => {
                next.tail = to;
                next.dropped = next.dropped.split_off(&to);
                next.total = next.total.split_off(&(to - 1));
                self.moves(state, [from, to, freed])
            }
        };
        enabled.then_some(next)
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let args = &step.args;
        Ok(match step.action.as_str() {
            "Logged" => {
                let [tid, blocks, logged] = numbers(step, args)?;
                Action::Logged(tid, blocks, logged)
            }
            "Finish" => {
                let [tid, head] = numbers(step, args)?;
                Action::Finish(tid, head)
            }
            "Drop" => {
                let [tid] = numbers(step, args)?;
                Action::Drop(tid)
            }
            "Tail" => {
                let [from, to, freed] = numbers(step, args)?;
                Action::Tail(from, to, freed)
            }
            other => bail!("there is no action {other}"),
        })
    }

    fn show(&self, state: &State) -> String {
        let State {
            tail,
            last,
            ended,
            dropped,
            ..
        } = state;
        let tail = match tail {
            0 => "not known".to_owned(),
            tail => tail.to_string(),
        };
        let logged = self.before(state, last + 1) - self.before(state, state.tail);
        format!(
            "[tail {tail}; {logged} blocks logged, to {last}; finished to {ended}; dropped {dropped:?}]"
        )
    }

    fn label(&self, action: Action) -> String {
        format!("{action:?}")
    }
}

impl Traced for LogTail {
    /// An event's arguments say all that was seen.
    const SEES: &'static [Seen] = &[];

    /// The transaction before the first may not have finished.
    fn starts(&self) -> Vec<State> {
        let ended = [self.first - 1, self.first - 2];
        let start = |ended| State {
            ended,
            ..self.init()
        };
        ended.map(start).into()
    }

    fn sees(&self, _state: &State, _name: &str) -> Option<Value> {
        None
    }
}
