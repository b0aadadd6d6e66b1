//! The machine of `ObservedLists.tla`: the lists of inodes as a kernel's events show them.

use std::cmp::max;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Context as _, Result, bail};

use super::counterpart::Counterpart;
use super::traced::{Seen, Traced};
use super::values::{constant, members, number, truth};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

/// Times are jiffies since the first event; one that is not known is between these.
const LOWEST: i64 = -1_000_000_000;
const HIGHEST: i64 = 1_000_000_000;

/// An inode on a list, with the bounds of its `dirtied_when`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    ino: i64,
    low: i64,
    high: i64,
}

/// What the flusher does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pc {
    /// It is between two passes.
    Idle,
    /// b_io is empty: it is to fill it.
    Queue,
    /// `writeback_sb_inodes`.
    Pass,
    /// `__writeback_single_inode`.
    Write,
}

/// A state of the lists and of the flusher.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pc: Pc,
    dirty: VecDeque<Entry>,
    io: VecDeque<Entry>,
    more: VecDeque<Entry>,
    writing: Option<Entry>,
    /// Work by its place in the machine's list.
    works: Vec<usize>,
    work: Option<usize>,
    queued: bool,
    progress: bool,
    unfinished: bool,
    done: i64,
    sum: i64,
    older: i64,
}

/// A step; the specification says what each is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are those of ObservedLists.tla")]
pub enum Action {
    Dirty(i64, i64),
    Queue(usize),
    Synced,
    Exec(usize),
    Start(usize),
    QueueIo(i64, i64),
    Pick(i64, i64),
    PickBusy(i64),
    Skip,
    WriteInode(i64, i64, bool, bool),
    EndPass(usize, bool),
    FinishWork(i64),
}

/// The machine of a trace.
#[derive(Debug, Clone)]
pub struct ObservedLists {
    before: Vec<i64>,
    foreign: BTreeSet<i64>,
    works: Vec<Value>,
}

impl ObservedLists {
    /// The machine with these constants of module ObservedLists: `Before`, `Foreign`, `Works`.
    ///
    /// # Errors
    /// If one is missing, or is not a value that it may have.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<ObservedLists> {
        let constant = |name: &str| -> Result<Value> { Ok(constant(constants, name)?.parse()?) };
        let (works, foreign) = (constant("Works")?, constant("Foreign")?);
        let Value::Seq(before) = constant("Before")? else {
            bail!("Before is no sequence")
        };
        let works: Vec<Value> = members(&works)?.iter().cloned().collect();
        if let Some(odd) = works.iter().find(|work| superblock(work).is_none()) {
            bail!("{odd} is no work");
        }
        Ok(ObservedLists {
            before: before.iter().map(number).collect::<Result<_>>()?,
            foreign: members(&foreign)?
                .iter()
                .map(number)
                .collect::<Result<_>>()?,
            works,
        })
    }

    fn is_own(&self, work: usize) -> bool {
        superblock(&self.works[work]) == Some("0:0")
    }

    fn may_leave(&self, state: &State) -> bool {
        !state.unfinished || state.work.is_some_and(|work| self.is_own(work))
    }
}

/// The second field of a work.
fn superblock(work: &Value) -> Option<&str> {
    match work {
        Value::Seq(fields) => match fields.get(1) {
            Some(Value::Str(superblock)) => Some(superblock),
            _ => None,
        },
        _ => None,
    }
}

impl State {
    /// Whether `__mark_inode_dirty` may move it: the flusher has not queued it, and on b_dirty it is without `I_DIRTY`, for which it
    /// must have been requeued.
    fn can_be_marked(&self, ino: i64) -> bool {
        let mut queued = self.io.iter().chain(&self.more).chain(&self.writing);
        let mut dirty = self.dirty.iter();
        !queued.any(|entry| entry.ino == ino)
            && dirty.all(|entry| entry.ino != ino || entry.high == HIGHEST)
    }

    /// `redirty_tail`: as the entry is then.
    fn redirtied(&self, entry: Entry) -> Entry {
        match self.dirty.back() {
            Some(last) if entry.low < last.high && entry != *last => Entry {
                low: max(entry.low, last.low),
                high: HIGHEST,
                ..entry
            },
            _ => entry,
        }
    }

    /// The head of b_io, off it.
    fn next(&mut self, ino: i64) -> Option<Entry> {
        let is_next = self.pc == Pc::Pass && self.io.front()?.ino == ino;
        is_next.then(|| self.io.pop_front())?
    }

    fn queue_io(&mut self, limit: i64, moved: i64) -> Option<()> {
        let moved = usize::try_from(moved).ok()?;
        let may_move = self.pc == Pc::Queue && moved <= self.dirty.len();
        if !may_move || self.dirty.iter().take(moved).any(|entry| entry.low > limit) {
            return None;
        }
        if self
            .dirty
            .get(moved)
            .is_some_and(|entry| entry.high <= limit)
        {
            return None;
        }
        self.io.append(&mut self.more);
        self.io.extend(self.dirty.drain(..moved));
        (self.pc, self.queued, self.older) = (Pc::Pass, true, limit);
        Some(())
    }

    fn write_inode(&mut self, ino: i64, pages: i64, again: bool, spent: bool) -> Option<()> {
        let written = self.writing.take()?;
        if written.ino != ino {
            return None;
        }
        if again && spent {
            self.more.push_back(written);
        } else if again {
            let high = HIGHEST;
            let entry = self.redirtied(written);
            self.dirty.push_back(Entry { high, ..entry });
        }
        self.pc = Pc::Pass;
        self.progress |= pages > 0 || !again;
        self.done = self.done.saturating_add(pages);
        self.sum = self.sum.saturating_add(pages);
        Some(())
    }
}

impl ObservedLists {
    /// Takes the action, if it is enabled; otherwise what is left of the state is nothing.
    fn take(&self, state: &mut State, action: Action) -> Option<()> {
        let enabled = match action {
            Action::Dirty(ino, when) => {
                let in_order = state.dirty.back().is_none_or(|last| last.low <= when);
                let enabled = in_order && state.can_be_marked(ino);
                let (low, high) = (when, when);
                state.dirty.retain(|entry| entry.ino != ino);
                state.dirty.push_back(Entry { ino, low, high });
                enabled
            }
            Action::Queue(work) => {
                state.works.push(work);
                true
            }
            Action::Synced => {
                let is_left =
                    |entry: &Entry| !self.foreign.contains(&entry.ino) && entry.high <= state.older;
                let lists_are_empty = state.io.is_empty() && state.more.is_empty();
                let flusher_rests = state.pc == Pc::Idle && state.works.is_empty();
                flusher_rests
                    && lists_are_empty
                    && !state.unfinished
                    && !state.dirty.iter().any(is_left)
            }
            Action::Exec(work) => {
                let enabled = state.pc == Pc::Idle && self.may_leave(state);
                let place = state.works.iter().position(|queued| *queued == work)?;
                state.works.remove(place);
                (state.work, state.done, state.unfinished) = (Some(work), 0, false);
                enabled
            }
            Action::Start(work) => {
                let goes_on = state.work == Some(work);
                let enabled = goes_on || self.is_own(work) && self.may_leave(state);
                if !goes_on {
                    (state.work, state.done) = (Some(work), 0);
                }
                let was_idle = state.pc == Pc::Idle;
                let fills = state.io.is_empty();
                state.pc = if fills { Pc::Queue } else { Pc::Pass };
                (state.queued, state.progress) = (false, false);
                was_idle && enabled
            }
            Action::QueueIo(limit, moved) => state.queue_io(limit, moved).is_some(),
            Action::Pick(ino, when) => {
                let next = state.next(ino)?;
                let (low, high) = (when, when);
                state.writing = Some(Entry { ino, low, high });
                state.pc = Pc::Write;
                (next.low..=next.high).contains(&when)
            }
            Action::PickBusy(ino) => {
                let next = state.next(ino)?;
                state.more.push_back(next);
                true
            }
            Action::Skip => {
                let ino = state.io.front()?.ino;
                let next = state.next(ino)?;
                state.dirty.push_back(state.redirtied(next));
                let of_one = state.work.is_some_and(|work| !self.is_own(work));
                self.foreign.contains(&ino) && (ino == 0 || of_one)
            }
            Action::WriteInode(ino, pages, again, spent) => {
                state.write_inode(ino, pages, again, spent).is_some()
            }
            Action::EndPass(work, over) => {
                let may_end = state.io.is_empty() || state.progress;
                let enabled = state.pc == Pc::Pass && state.work == Some(work) && may_end;
                state.pc = Pc::Idle;
                state.unfinished =
                    !over && (state.progress || !state.queued || !state.more.is_empty());
                enabled
            }
            Action::FinishWork(pages) => {
                let enabled = state.pc == Pc::Idle && self.may_leave(state) && pages == state.sum;
                (state.work, state.unfinished) = (None, false);
                (state.done, state.sum) = (0, 0);
                enabled
            }
        };
        enabled.then_some(())
    }
}

impl Counterpart for ObservedLists {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        let before = self.before.iter();
        State {
            pc: Pc::Idle,
            dirty: before
                .map(|&ino| Entry {
                    ino,
                    low: LOWEST,
                    high: 0,
                })
                .collect(),
            io: VecDeque::new(),
            more: VecDeque::new(),
            writing: None,
            works: Vec::new(),
            work: None,
            queued: false,
            progress: false,
            unfinished: false,
            done: 0,
            sum: 0,
            older: LOWEST,
        }
    }

    /// The silent one: the others' arguments are those of a trace's events.
    fn candidates(&self) -> Vec<Action> {
        vec![Action::Skip]
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        self.take(&mut next, action)?;
        Some(next)
    }

    fn state(&self, _vars: &BTreeMap<String, Value>) -> Result<State> {
        bail!("ObservedLists is compared along traces, not by its states")
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let work = |value: &Value| {
            let place = self.works.iter().position(|work| work == value);
            place.with_context(|| format!("{value} is no work of Works"))
        };
        Ok(match (step.action.as_str(), &step.args[..]) {
            ("Dirty", [ino, when]) => Action::Dirty(number(ino)?, number(when)?),
            ("Queue", [w]) => Action::Queue(work(w)?),
            ("Synced", []) => Action::Synced,
            ("Exec", [w]) => Action::Exec(work(w)?),
            ("Start", [w]) => Action::Start(work(w)?),
            ("QueueIo", [limit, moved]) => Action::QueueIo(number(limit)?, number(moved)?),
            ("Pick", [ino, when]) => Action::Pick(number(ino)?, number(when)?),
            ("PickBusy", [ino]) => Action::PickBusy(number(ino)?),
            ("Skip", []) => Action::Skip,
            ("WriteInode", [ino, pages, again, spent]) => {
                Action::WriteInode(number(ino)?, number(pages)?, truth(again)?, truth(spent)?)
            }
            ("EndPass", [w, over]) => Action::EndPass(work(w)?, truth(over)?),
            ("FinishWork", [pages]) => Action::FinishWork(number(pages)?),
            (other, args) => bail!("there is no action {other} of {} arguments", args.len()),
        })
    }

    fn show(&self, state: &State) -> String {
        let list = |name: &str, entries: &VecDeque<Entry>| {
            let count = entries.len();
            let first = entries.front().map_or(String::new(), |first| {
                let (ino, low, high) = (first.ino, first.low, first.high);
                let when = match (low, high) {
                    (LOWEST, high) => format!("by {high}"),
                    (low, HIGHEST) => format!("since {low}"),
                    (low, high) if low == high => format!("at {low}"),
                    (low, high) => format!("at {low} to {high}"),
                };
                format!(", first {ino} dirtied {when}")
            });
            format!("{name} {count}{first}")
        };
        let writing = state
            .writing
            .map_or(String::new(), |entry| format!(" {}", entry.ino));
        let work = state
            .work
            .map_or(String::new(), |work| format!(" at {}", self.works[work]));
        let unfinished = if state.unfinished { " unfinished" } else { "" };
        format!(
            "[{:?}{writing}{work}{unfinished}; {}; {}; {}; {} works queued; {} pages, {} in all]",
            state.pc,
            list("b_dirty", &state.dirty),
            list("b_io", &state.io),
            list("b_more_io", &state.more),
            state.works.len(),
            state.done,
            state.sum
        )
    }

    fn label(&self, action: Action) -> String {
        match action {
            Action::Queue(work) => format!("Queue({})", self.works[work]),
            Action::Exec(work) => format!("Exec({})", self.works[work]),
            Action::Start(work) => format!("Start({})", self.works[work]),
            Action::EndPass(work, over) => format!("EndPass({}, {over})", self.works[work]),
            plain => format!("{plain:?}"),
        }
    }
}

impl Traced for ObservedLists {
    const SEES: &'static [Seen] = &[Seen {
        name: "done",
        what: "how many pages the work has written",
    }];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        (name == "done").then_some(Value::Int(state.done))
    }

    fn is_silent(&self, action: Action) -> bool {
        action == Action::Skip
    }
}
