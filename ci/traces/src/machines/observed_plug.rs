//! The machine of `ObservedPlug.tla`: the plugs of a device's tasks as a kernel's events show them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};
use interlock::writeback::plug_policy::{Finish, Plug, Policy};

use super::counterpart::Counterpart;
use super::traced::{Seen, Traced};
use super::values::{constant, members, number};
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

/// I/O: its first sector, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Extent {
    first: u64,
    size: u64,
}

/// Where a bio is merged into a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// Behind it.
    Back,
    /// Before it.
    Front,
}

/// What a task has in its hands.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hands {
    bio: Option<Extent>,
    plug: Vec<Extent>,
}

/// A state: of each task, and the requests that may be issued, in order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    hands: Vec<Hands>,
    queue: Vec<Extent>,
}

impl State {
    /// One request more may be issued. One like it may wait already.
    fn wait(&mut self, request: Extent) {
        let place = self.queue.partition_point(|other| *other < request);
        self.queue.insert(place, request);
    }

    /// The request waits no more. False, if it did not.
    fn go(&mut self, request: Extent) -> bool {
        let place = self.queue.binary_search(&request);
        place.map(|place| self.queue.remove(place)).is_ok()
    }
}

/// A step; the specification says what each is. A task is its place in the machine's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are those of ObservedPlug.tla")]
pub enum Action {
    Bio(usize, Extent),
    Merge(usize, Extent, End),
    Plug(usize),
    Add(usize),
    Insert(usize),
    Unplug(usize, usize),
    Issue(Extent),
    EndInode(usize),
    FinishWork(usize),
    Synced,
}

/// The machine of a trace.
#[derive(Debug, Clone)]
pub struct ObservedPlug {
    policy: Policy,
    tasks: Vec<String>,
    most: usize,
    large: u64,
    old: BTreeSet<Extent>,
}

impl ObservedPlug {
    /// The machine with these constants of module ObservedPlug: `Policy`, `Tasks`, `Most`, `Large`, `Old`.
    ///
    /// # Errors
    /// If one is missing or is no value that it may have, or there is no such variant.
    pub fn new(constants: &BTreeMap<String, String>) -> Result<ObservedPlug> {
        let constant = |name: &str| constant(constants, name);
        let policy = constant("Policy")?;
        let named = Policy::NAMED.iter().find(|(name, _)| *name == policy);
        let (_, policy) = named.with_context(|| format!("there is no variant {policy}"))?;
        let (tasks, old): (Value, Value) = (constant("Tasks")?.parse()?, constant("Old")?.parse()?);
        let request = |value: &Value| match value {
            Value::Seq(request) if request.len() == 2 => extent(&request[0], &request[1]),
            other => bail!("Old: {other} is no request"),
        };
        Ok(ObservedPlug {
            old: members(&old)?.iter().map(request).collect::<Result<_>>()?,
            policy: *policy,
            tasks: members(&tasks)?.iter().map(Value::label).collect(),
            most: constant("Most")?.parse().context("Most")?,
            large: constant("Large")?.parse().context("Large")?,
        })
    }

    fn is_full(&self, plug: &[Extent]) -> bool {
        plug.len() >= self.most || plug.last().is_some_and(|last| last.size >= self.large)
    }

    /// Takes the action, if it is enabled; otherwise what is left of the state is nothing.
    fn take(&self, state: &mut State, action: Action) -> Option<()> {
        let hands = &mut state.hands;
        let enabled = match action {
            Action::Bio(task, bio) => hands[task].bio.replace(bio).is_none() && bio.size > 0,
            Action::Merge(task, bio, end) => {
                let taken = hands[task].bio.take();
                let mine = hands[task].plug.iter_mut();
                match mine.rev().find(|request| end.fits(bio, **request)) {
                    Some(request) => *request = end.with(bio, *request),
                    None => {
                        let mut waiting = state.queue.iter();
                        let request = *waiting.find(|request| end.fits(bio, **request))?;
                        state.go(request);
                        state.wait(end.with(bio, request));
                    }
                }
                taken == Some(bio)
            }
            Action::Plug(task) => {
                let was_empty = hands[task].plug.is_empty();
                let bio = hands[task].bio.take()?;
                hands[task].plug.push(bio);
                was_empty
            }
            Action::Add(task) => {
                let plug = &hands[task].plug;
                let may_add = !plug.is_empty() && !self.is_full(plug);
                let bio = hands[task].bio.take()?;
                hands[task].plug.push(bio);
                may_add
            }
            Action::Insert(task) => {
                let is_plugless = hands[task].plug.is_empty();
                let bio = hands[task].bio.take()?;
                state.wait(bio);
                is_plugless
            }
            Action::Unplug(task, depth) => {
                let plug = std::mem::take(&mut hands[task].plug);
                let is_deep = !plug.is_empty() && plug.len() == depth;
                plug.into_iter().for_each(|request| state.wait(request));
                is_deep
            }
            Action::Issue(request) => state.go(request),
            Action::EndInode(task) => {
                self.policy.plug != Plug::Inode || hands[task] == Hands::default()
            }
            Action::FinishWork(task) => {
                self.policy.finish == Finish::Never || hands[task] == Hands::default()
            }
            Action::Synced => {
                state.queue.is_empty() && hands.iter().all(|hands| *hands == Hands::default())
            }
        };
        enabled.then_some(())
    }
}

impl End {
    fn fits(self, bio: Extent, request: Extent) -> bool {
        match self {
            End::Back => request.first.checked_add(request.size) == Some(bio.first),
            End::Front => bio.first.checked_add(bio.size) == Some(request.first),
        }
    }

    fn with(self, bio: Extent, request: Extent) -> Extent {
        Extent {
            first: bio.first.min(request.first),
            size: bio.size + request.size,
        }
    }
}

fn extent(first: &Value, size: &Value) -> Result<Extent> {
    let (first, size) = (number(first)?, number(size)?);
    Ok(Extent { first, size })
}

impl Counterpart for ObservedPlug {
    type State = State;
    type Action = Action;

    fn init(&self) -> State {
        State {
            hands: vec![Hands::default(); self.tasks.len()],
            queue: self.old.iter().copied().collect(),
        }
    }

    /// The silent ones: the others' arguments are those of a trace's events.
    fn candidates(&self) -> Vec<Action> {
        let tasks = 0..self.tasks.len();
        tasks
            .flat_map(|task| [Action::Add(task), Action::Insert(task)])
            .collect()
    }

    fn step(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        self.take(&mut next, action)?;
        Some(next)
    }

    fn state(&self, _vars: &BTreeMap<String, Value>) -> Result<State> {
        bail!("ObservedPlug is compared along traces, not by its states")
    }

    fn action(&self, step: &Step) -> Result<Action> {
        let task = |value: &Value| {
            let name = value.label();
            let place = self.tasks.iter().position(|task| *task == name);
            place.with_context(|| format!("there is no task {name}"))
        };
        Ok(match (step.action.as_str(), &step.args[..]) {
            ("Bio", [t, first, size]) => Action::Bio(task(t)?, extent(first, size)?),
            ("BackMerge", [t, first, size]) => {
                Action::Merge(task(t)?, extent(first, size)?, End::Back)
            }
            ("FrontMerge", [t, first, size]) => {
                Action::Merge(task(t)?, extent(first, size)?, End::Front)
            }
            ("Plug", [t]) => Action::Plug(task(t)?),
            ("Add", [t]) => Action::Add(task(t)?),
            ("Insert", [t]) => Action::Insert(task(t)?),
            ("Unplug", [t, depth]) => Action::Unplug(task(t)?, number(depth)?),
            ("Issue", [first, size]) => Action::Issue(extent(first, size)?),
            ("EndInode", [t]) => Action::EndInode(task(t)?),
            ("FinishWork", [t]) => Action::FinishWork(task(t)?),
            ("Synced", []) => Action::Synced,
            (other, args) => bail!("there is no action {other} of {} arguments", args.len()),
        })
    }

    fn show(&self, state: &State) -> String {
        let extents = |extents: &mut dyn Iterator<Item = &Extent>| {
            let shown: Vec<String> = extents.map(|e| format!("{}+{}", e.first, e.size)).collect();
            shown.join(" ")
        };
        let mut parts = Vec::new();
        for (task, hands) in self.tasks.iter().zip(&state.hands) {
            if !hands.plug.is_empty() {
                parts.push(format!("{task} plugs {}", extents(&mut hands.plug.iter())));
            }
            if let Some(bio) = &hands.bio {
                parts.push(format!("{task} submits {}", extents(&mut [*bio].iter())));
            }
        }
        parts.push(format!("queue {}", extents(&mut state.queue.iter())));
        format!("[{}]", parts.join("; "))
    }

    fn label(&self, action: Action) -> String {
        format!("{action:?}")
    }
}

impl Traced for ObservedPlug {
    const SEES: &'static [Seen] = &[Seen {
        name: "queued",
        what: "how many requests wait to be issued",
    }];

    fn sees(&self, state: &State, name: &str) -> Option<Value> {
        let queued = i64::try_from(state.queue.len()).ok()?;
        (name == "queued").then_some(Value::Int(queued))
    }

    fn is_silent(&self, action: Action) -> bool {
        matches!(action, Action::Add(_) | Action::Insert(_))
    }
}
