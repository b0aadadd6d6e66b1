//! The edits of a trace by classes, and how many of each a validator refuses.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use super::edits::{self, EDITS, Edit};
use super::protocol::Protocol;
use super::search::Found;
use crate::recording::Trace;
use interlock_checker::{interrupt, note};

/// So often a line says how far it is.
const EVERY: Duration = Duration::from_secs(30);

/// Edits that are alike.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// The specification.
    pub module: String,
    /// What is changed.
    pub edit: Edit,
    /// The action of the event.
    pub event: String,
    /// See [`Edited::field`](edits::Edited::field).
    pub field: String,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.edit, self.event)?;
        match &self.field[..] {
            "" => Ok(()),
            field => write!(f, ": {field}"),
        }
    }
}

impl Class {
    /// Reads what is shown of one of a module. `None`: it is none.
    pub fn parse(module: &str, text: &str) -> Option<Class> {
        let (edit, rest) = text.split_once(' ')?;
        let (event, field) = rest.split_once(": ").unwrap_or((rest, ""));
        Some(Class {
            module: module.to_owned(),
            edit: EDITS.into_iter().find(|known| known.to_string() == edit)?,
            event: event.to_owned(),
            field: field.to_owned(),
        })
    }
}

/// How many of a class are refused, of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Those that the machine refuses, or that it cannot read.
    pub refused: usize,
    /// All that were tried.
    pub tried: usize,
    /// The line in its file of the first event of which one is accepted.
    pub accepted_at: Option<usize>,
}

/// Asks the machine of the edits of one event of `stride`, and counts by class.
///
/// # Errors
/// If the trace itself is not accepted, a search is given up, or a signal asks to end.
pub fn ask(protocol: &Protocol, trace: &Trace, stride: usize) -> Result<BTreeMap<Class, Figures>> {
    let mut figures: BTreeMap<Class, Figures> = BTreeMap::new();
    let found = protocol.search_again(trace, &mut |search| {
        let mut said = Instant::now();
        for edited in edits::of(trace, stride) {
            ensure!(!interrupt::requested(), "interrupted");
            if said.elapsed() >= EVERY {
                said = Instant::now();
                let (place, events) = (trace.place(edited.place), trace.events.len());
                note!("{place}: event {} of {events}", edited.place + 1);
            }
            let event = &trace.events[edited.place];
            let is_refused = match search(&edited.trace) {
                Ok(Found::Accepted) => false,
                Ok(Found::Refused(_)) | Err(_) => true,
                Ok(Found::TooWide) => bail!(
                    "{}: the search is given up with {} {}",
                    trace.place(edited.place),
                    edited.edit,
                    event.show()
                ),
            };
            let class = Class {
                module: trace.head.module.clone(),
                edit: edited.edit,
                event: event.action.clone(),
                field: edited.field,
            };
            let figures = figures.entry(class).or_default();
            figures.tried += 1;
            figures.refused += usize::from(is_refused);
            if !is_refused {
                let line = trace.lines[edited.place];
                figures.accepted_at.get_or_insert(line);
            }
        }
        Ok(())
    })?;
    if found != Found::Accepted {
        bail!("{}: it is refused before it is edited", trace.name());
    }
    Ok(figures)
}
