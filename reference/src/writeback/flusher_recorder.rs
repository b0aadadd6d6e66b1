//! A probe that records what a flusher does, for `interlock validate`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::flusher_probe::{Numbers, Probe};
use super::plug::{Action, Run};
use super::plug_policy::Policy;
use crate::trace::{Head, Recording, Step};

/// Records the steps of a flusher, of its device and of those who are throttled.
#[derive(Debug, Default)]
pub struct Recorder {
    recording: Recording<Event>,
    passes: Mutex<Passes>,
    wants: bool,
    sleeps: bool,
}

#[derive(Debug)]
struct Event {
    /// Its place in [`Passes::inodes`].
    pass: usize,
    action: Action,
    plug: usize,
    flying: usize,
    /// Of this pass.
    requests: u64,
}

#[derive(Debug, Default)]
struct Passes {
    /// Of each pass, in rising order.
    inodes: Vec<Vec<usize>>,
    /// The requests of all passes that are over.
    issued: u64,
}

impl Recorder {
    /// An empty record.
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// An empty record; if `wants`, somebody wants the flusher's processor behind every inode, and if `sleeps`, the I/O of every inode
    /// sleeps before it is submitted.
    pub fn with(wants: bool, sleeps: bool) -> Recorder {
        Recorder {
            wants,
            sleeps,
            ..Recorder::default()
        }
    }

    /// The record as traces of `WbPlug`, a text for each pass, with `source` for people: of a flusher of this policy, whose device takes so
    /// many requests at a time. A pass whose inodes are no neighbours is none of the specification's, and left out.
    ///
    /// # Panics
    ///
    /// If the policy is none of [`Policy::NAMED`].
    pub fn to_texts(&self, source: &str, policy: Policy, slots: usize) -> Vec<String> {
        let passes = self.passes();
        let traces = passes.inodes.iter().enumerate();
        let traces = traces.filter_map(|(pass, inodes)| {
            let first = first_of_neighbours(inodes)?;
            let head = Head {
                module: "WbPlug",
                source,
                constants: &constants(policy, inodes.len(), slots),
            };
            Some(self.recording.write(&head, |_, event| {
                (event.pass == pass).then(|| event.step(first))
            }))
        });
        traces.collect()
    }

    /// How many passes there were, and how many of these are left out.
    pub fn passes_and_left_out(&self) -> (usize, usize) {
        let passes = self.passes();
        let inodes = passes.inodes.iter();
        let left_out = inodes.filter(|inodes| first_of_neighbours(inodes).is_none());
        (passes.inodes.len(), left_out.count())
    }

    fn passes(&self) -> MutexGuard<'_, Passes> {
        self.passes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Probe for Recorder {
    fn begins(&self, inodes: &[usize]) {
        self.passes().inodes.push(inodes.to_vec());
    }

    fn about_to(&self, _: Action) {
        self.recording.before();
    }

    fn step(&self, action: Action, now: &Numbers) {
        let mut passes = self.passes();
        if action == Action::End {
            passes.issued = now.requests;
        }
        let event = Event {
            pass: passes.inodes.len() - 1,
            action,
            plug: now.plug,
            flying: now.flying,
            requests: now.requests - passes.issued,
        };
        drop(passes);
        self.recording.after(event);
    }

    fn sleeps(&self) -> bool {
        self.sleeps
    }

    fn wants(&self) -> bool {
        self.wants
    }
}

/// The first of some inodes, if each is the neighbour of the one before.
fn first_of_neighbours(inodes: &[usize]) -> Option<usize> {
    let first = *inodes.first()?;
    let are = (first..).zip(inodes).all(|(next, inode)| next == *inode);
    are.then_some(first)
}

fn constants(policy: Policy, files: usize, slots: usize) -> [(&'static str, String); 6] {
    let named = Policy::NAMED.iter().find(|(_, named)| *named == policy);
    let (policy, _) = named.expect("a policy that has a name");
    [
        ("Policy", format!("<- {policy}")),
        ("Files", files.to_string()),
        ("Slots", slots.to_string()),
        ("Queue", "\"none\"".into()),
        ("Movable", "{}".into()),
        ("MaxRequests", "1".into()),
    ]
}

impl Event {
    /// As the specification has it, whose inodes begin with 1; the pass's with `first`.
    fn step(&self, first: usize) -> Step {
        let of_pass = |inode: usize| (inode - first + 1).to_string();
        let of_run = |Run { first, last }: Run| {
            let inodes: Vec<String> = (first..=last).map(of_pass).collect();
            format!("{{{}}}", inodes.join(", "))
        };
        let (action, args) = match self.action {
            Action::Begin => ("Begin", None),
            Action::Lock => ("Lock", None),
            Action::Pick => ("Pick", None),
            Action::Sleep => ("Sleep", None),
            Action::Submit => ("Submit", None),
            Action::Finish => ("Finish", None),
            Action::Resched => ("Resched", None),
            Action::GoOn => ("GoOn", None),
            Action::End => ("End", None),
            Action::Resume => ("Resume", None),
            Action::Want => ("Want", None),
            Action::Move(inode) => ("Move", Some(of_pass(inode))),
            Action::Throttle(inode) => ("Throttle", Some(of_pass(inode))),
            Action::Issue(run) => ("Issue", Some(of_run(run))),
            Action::Complete(run) => ("Complete", Some(of_run(run))),
        };
        Step {
            action,
            args: args.into_iter().collect(),
            sees: vec![
                ("plug".into(), self.plug.to_string()),
                ("flying".into(), self.flying.to_string()),
                ("requests".into(), self.requests.to_string()),
            ],
        }
    }
}
