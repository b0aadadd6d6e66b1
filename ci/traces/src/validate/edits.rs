//! Edited traces: what a validator must refuse. It is tried on them before it judges any other.

use std::mem::discriminant;

use anyhow::{Context as _, Result, ensure};

use super::protocol::Protocol;
use super::search::Found;
use crate::recording::{self, Trace};
use interlock_tla::value::Value;

/// How a trace is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    /// An event is dropped.
    Drop,
    /// Two events that follow each other change places.
    Swap,
    /// An event is another thread's: its first argument is, or whatever that is.
    OtherHolder,
    /// A number that was seen is one more.
    OneMore,
    /// An event comes twice.
    Repeat,
}

/// All of them.
pub const EDITS: [Edit; 5] = [
    Edit::Drop,
    Edit::Swap,
    Edit::OtherHolder,
    Edit::OneMore,
    Edit::Repeat,
];

impl Edit {
    /// The trace with this edit at each place where it changes anything.
    pub fn all(self, trace: &Trace) -> Vec<Trace> {
        let places = 0..trace.events.len();
        places.filter_map(|place| self.at(trace, place)).collect()
    }

    fn at(self, trace: &Trace, place: usize) -> Option<Trace> {
        let mut edited = trace.clone();
        let events = &mut edited.events;
        match self {
            Edit::Drop => drop(events.remove(place)),
            Edit::Swap => {
                let [first, second] = events.get_mut(place..place + 2)? else {
                    return None;
                };
                if first.step().ok() == second.step().ok() {
                    return None;
                }
                std::mem::swap(&mut first.thread, &mut second.thread);
                std::mem::swap(&mut first.action, &mut second.action);
                std::mem::swap(&mut first.others, &mut second.others);
                std::mem::swap(&mut first.args, &mut second.args);
                std::mem::swap(&mut first.sees, &mut second.sees);
            }
            Edit::OtherHolder => {
                let event = &trace.events[place];
                let own = event.args.first()?;
                // One that such an action may have, if there is one; else one of the same kind.
                let kind = |arg: &str| arg.parse::<Value>().ok().as_ref().map(discriminant);
                let same = trace.events.iter().filter(|e| e.action == event.action);
                let others = same.chain(&trace.events).filter_map(|e| e.args.first());
                let mut others = others.filter(|arg| *arg != own && kind(arg) == kind(own));
                let other = others.next()?;
                events[place].args[0] = other.clone();
            }
            Edit::OneMore => {
                let mut seen = events[place].sees.values_mut();
                let (seen, number) = seen.find_map(|seen| match seen.parse() {
                    Ok(Value::Int(number)) => Some((seen, number)),
                    _ => None,
                })?;
                *seen = (number + 1).to_string();
            }
            Edit::Repeat => {
                let again = events[place].clone();
                events.insert(place + 1, again);
            }
        }
        // Each event at a time of its own, in the order of the file.
        for (event, time) in events.iter_mut().zip(1..) {
            (event.from, event.to) = (time, time);
        }
        Some(edited)
    }
}

/// The legal trace is accepted; of each edit some are refused; one that is cut short, or is empty, is no trace.
///
/// # Errors
/// If the validator fails its test: it is not to be believed.
pub fn test(protocol: &Protocol) -> Result<()> {
    let read = |text: &str| recording::read("legal".as_ref(), text.as_bytes());
    let legal = read(protocol.legal)?;
    let module = protocol.module;
    for trace in &legal {
        let found = protocol.search(trace)?;
        ensure!(
            found == Found::Accepted,
            "the validator of {module} refuses its legal trace: {found:?}"
        );
    }
    let trace = legal.first().context("no legal trace")?;
    for edit in EDITS {
        let edited = edit.all(trace);
        let refused = edited
            .iter()
            .filter(|edited| matches!(protocol.search(edited), Ok(Found::Refused(_)) | Err(_)));
        ensure!(
            edited.is_empty() || refused.count() > 0,
            "the validator of {module} accepts every trace with the edit {edit:?}"
        );
    }
    let (cut, _) = protocol
        .legal
        .trim_end()
        .rsplit_once('\n')
        .context("a legal trace has lines")?;
    ensure!(
        read(cut).is_err(),
        "the validator of {module} accepts a trace that is cut short"
    );
    let empty = Trace {
        events: Vec::new(),
        ..trace.clone()
    };
    ensure!(
        read(&empty.to_text()).is_err(),
        "the validator of {module} accepts a trace without an event"
    );
    Ok(())
}
