//! From the values of `WbLists.tla` to the machine: its inodes, pages, states and actions.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};
use interlock::writeback::list_policy::Policy;
use interlock::writeback::lists::{Action, Inode, Kind, List, Machine, Page, Pc, State, Writer};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

use super::counterpart::Counterpart;
use super::named::one_of;
use super::values::{constant, members, names, pairs};

/// A machine and the names of its inodes.
#[derive(Debug, Clone)]
pub struct WbLists {
    /// The machine.
    pub machine: Machine,
    /// Each inode's name in the specification.
    pub inodes: Vec<String>,
}

impl WbLists {
    /// The machine with these constants of module WbLists: `Policy`, `One`, `Two`, `Stamped`, `Synced`, `Again`, `AtOnce`.
    ///
    /// # Errors
    /// If one is missing, a set is not one of inodes, or no policy has that name.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<WbLists> {
        let constant = |name: &str| constant(constants, name);
        let set = |name: &str| names(constants, name);
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no policy {policy}"))?;
        let (stamped, synced) = (set("Stamped")?, set("Synced")?);
        let kind = |name: &String, pages| Kind {
            pages,
            stamped: stamped.contains(name),
            synced: synced.contains(name),
        };
        let (one, two) = (set("One")?, set("Two")?);
        let kinds = one.iter().map(|name| kind(name, 1));
        let kinds = kinds.chain(two.iter().map(|name| kind(name, 2))).collect();
        Ok(WbLists {
            machine: Machine {
                inodes: kinds,
                again: constant("Again")? == "TRUE",
                at_once: constant("AtOnce")? == "TRUE",
                policy: *policy,
            },
            inodes: [one, two].concat(),
        })
    }

    fn inode(&self, value: &Value) -> Result<Inode> {
        let name = value.label();
        let place = self.inodes.iter().position(|inode| *inode == name);
        place.with_context(|| format!("there is no inode {name}"))
    }

    fn page(&self, value: &Value) -> Result<Page> {
        match value {
            Value::Seq(page) => match &page[..] {
                [inode, Value::Int(number)] => Ok((self.inode(inode)?, usize::try_from(*number)?)),
                _ => bail!("{value} is no page"),
            },
            _ => bail!("{value} is no page"),
        }
    }

    fn inodes_of(&self, value: &Value) -> Result<BTreeSet<Inode>> {
        members(value)?
            .iter()
            .map(|inode| self.inode(inode))
            .collect()
    }

    fn pages_of(&self, value: &Value) -> Result<BTreeSet<Page>> {
        members(value)?.iter().map(|page| self.page(page)).collect()
    }

    /// Gives the variable `name` its value, or that part of it which there is.
    fn set(&self, state: &mut State, name: &str, value: &Value) -> Result<()> {
        match name {
            "pc" => {
                for (task, value) in pairs(value)? {
                    state.pc[one_of(&TASKS, &task)?] = one_of(&PCS, value)?;
                }
            }
            "list" => {
                for (list, value) in pairs(value)? {
                    state.list[one_of(&LISTS, &list)? as usize] = self.inodes_of(value)?;
                }
            }
            "inode" => {
                for (writer, value) in pairs(value)? {
                    let inode = self.inodes_of(value)?.first().copied();
                    state.inode[one_of(&WRITERS, &writer)? as usize] = inode;
                }
            }
            "towrite" => {
                for (writer, value) in pairs(value)? {
                    state.towrite[one_of(&WRITERS, &writer)? as usize] = self.pages_of(value)?;
                }
            }
            "dirty" => state.dirty = self.pages_of(value)?,
            "marking" => state.marking = self.pages_of(value)?.first().copied(),
            "i_dirty_pages" => state.i_dirty_pages = self.inodes_of(value)?,
            "i_dirty_time" => state.i_dirty_time = self.inodes_of(value)?,
            "fresh" => state.fresh = self.inodes_of(value)?,
            "promised_pages" => state.promised_pages = self.pages_of(value)?,
            "promised_times" => state.promised_times = self.inodes_of(value)?,
            _ => bail!("there is no variable {name}"),
        }
        Ok(())
    }

    fn show_inodes(&self, inodes: &BTreeSet<Inode>) -> String {
        let names = inodes.iter().map(|&i| self.inodes[i].as_str());
        names.collect::<Vec<_>>().join(" ")
    }

    fn show_pages(&self, pages: &BTreeSet<Page>) -> String {
        let names = pages.iter().map(|&page| self.page_name(page));
        names.collect::<Vec<_>>().join(" ")
    }

    fn page_name(&self, (i, page): Page) -> String {
        format!("{}{page}", self.inodes[i])
    }
}

/// What is not there is as it was at the start: `Changes` of MCWbLists leaves it out.
impl Counterpart for WbLists {
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
        let mut state = self.machine.init();
        for (name, value) in vars {
            self.set(&mut state, name, value)
                .with_context(|| name.clone())?;
        }
        Ok(state)
    }

    fn action(&self, step: &Step) -> Result<Action> {
        Ok(match (step.action.as_str(), &step.args[..]) {
            ("Dirty", [page]) => Action::Dirty(self.page(page)?),
            ("Mark", [page]) => Action::Mark(self.page(page)?),
            ("DirtyTime", [inode]) => Action::DirtyTime(self.inode(inode)?),
            ("Sync", []) => Action::Sync,
            ("Return", []) => Action::Return,
            ("Fsync", [inode]) => Action::Fsync(self.inode(inode)?),
            ("FsyncEnd", [inode]) => Action::FsyncEnd(self.inode(inode)?),
            ("WritePage", [writer, page]) => {
                Action::WritePage(one_of(&WRITERS, writer)?, self.page(page)?)
            }
            ("WriteInode", [writer]) => Action::WriteInode(one_of(&WRITERS, writer)?),
            ("StartBackground", []) => Action::StartBackground,
            ("StartSync", []) => Action::StartSync,
            ("QueueIo", []) => Action::QueueIo,
            ("Pick", [inode]) => Action::Pick(self.inode(inode)?),
            ("PickBusy", [inode]) => Action::PickBusy(self.inode(inode)?),
            ("Requeue", [inode]) => Action::Requeue(self.inode(inode)?),
            ("Yield", []) => Action::Yield,
            ("FinishWork", []) => Action::FinishWork,
            (other, args) => bail!("there is no action {other} with {} arguments", args.len()),
        })
    }

    fn show(&self, state: &State) -> String {
        let mut parts = Vec::new();
        for (name, task) in TASKS {
            if state.pc[task] != Pc::Idle {
                let at = state.inode.get(task).copied().flatten();
                let at = at.map(|i| format!(" {}", self.inodes[i]));
                parts.push(format!(
                    "{name} {:?}{}",
                    state.pc[task],
                    at.unwrap_or_default()
                ));
            }
        }
        let mut add = |name: &str, shown: String| {
            if !shown.is_empty() {
                parts.push(format!("{name} {shown}"));
            }
        };
        for (name, list) in LISTS {
            add(
                &format!("b_{name}"),
                self.show_inodes(&state.list[list as usize]),
            );
        }
        for (name, writer) in WRITERS {
            add(
                &format!("{name} towrite"),
                self.show_pages(&state.towrite[writer as usize]),
            );
        }
        add("pages", self.show_pages(&state.dirty));
        add(
            "marking",
            self.show_pages(&state.marking.into_iter().collect()),
        );
        add("i_dirty_pages", self.show_inodes(&state.i_dirty_pages));
        add("i_dirty_time", self.show_inodes(&state.i_dirty_time));
        add("fresh", self.show_inodes(&state.fresh));
        add("promised_pages", self.show_pages(&state.promised_pages));
        add("promised_times", self.show_inodes(&state.promised_times));
        format!("[{}]", parts.join("; "))
    }

    fn label(&self, action: Action) -> String {
        let name = format!("{action:?}");
        let name = name.split('(').next().unwrap_or_default();
        let about = match action {
            Action::Dirty(page) | Action::Mark(page) => self.page_name(page),
            Action::WritePage(writer, page) => format!("{writer:?}, {}", self.page_name(page)),
            Action::WriteInode(writer) => format!("{writer:?}"),
            Action::DirtyTime(i)
            | Action::Fsync(i)
            | Action::FsyncEnd(i)
            | Action::Pick(i)
            | Action::PickBusy(i)
            | Action::Requeue(i) => self.inodes[i].clone(),
            _ => String::new(),
        };
        format!("{name}({about})")
    }
}

/// What is said of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invariant {
    /// An inode is on at most one list.
    OneList,
    /// A dirty inode is on a list, or somebody writes it.
    NoInodeLost,
    /// One with dirty pages is where background work looks.
    NoPagesHidden,
    /// When sync(2) returns, all that was dirty when it was called is written.
    SyncComplete,
}

impl Invariant {
    /// Every invariant.
    pub const ALL: [Invariant; 4] = [
        Invariant::OneList,
        Invariant::NoInodeLost,
        Invariant::NoPagesHidden,
        Invariant::SyncComplete,
    ];

    /// Whether it holds in the state.
    pub fn holds(self, state: &State) -> bool {
        let lists = |i: &Inode| state.list.iter().filter(|on| on.contains(i)).count();
        match self {
            Invariant::OneList => state.list.iter().flatten().all(|i| lists(i) <= 1),
            Invariant::NoInodeLost => {
                let mut inodes = state.i_dirty_pages.union(&state.i_dirty_time);
                inodes.all(|i| state.is_written(*i) || lists(i) > 0)
            }
            Invariant::NoPagesHidden => {
                let mut inodes = state.i_dirty_pages.iter();
                inodes.all(|i| state.is_written(*i) || !state.on(List::Time).contains(i))
            }
            Invariant::SyncComplete => {
                let has_returned = state.pc.contains(&Pc::Returned);
                !has_returned
                    || (state.promised_pages.is_empty() && state.promised_times.is_empty())
            }
        }
    }
}

/// Each task's name, and its place.
const TASKS: [(&str, usize); 3] = [("flusher", 0), ("fsyncer", 1), ("caller", 2)];

const WRITERS: [(&str, Writer); 2] = [("flusher", Writer::Flusher), ("fsyncer", Writer::Fsyncer)];

const LISTS: [(&str, List); 4] = [
    ("dirty", List::Dirty),
    ("io", List::Io),
    ("more", List::More),
    ("time", List::Time),
];

const PCS: [(&str, Pc); 10] = [
    ("idle", Pc::Idle),
    ("pick", Pc::Pick),
    ("wait", Pc::Wait),
    ("write", Pc::Write),
    ("spent", Pc::Spent),
    ("requeue", Pc::Requeue),
    ("done", Pc::Done),
    ("queued", Pc::Queued),
    ("served", Pc::Served),
    ("returned", Pc::Returned),
];
