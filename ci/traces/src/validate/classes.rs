//! The edits of a trace by classes, and how many of each a validator refuses.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, bail};

use super::edits::{self, EDITS, Edit};
use super::protocol::Protocol;
use super::search::Found;
use crate::recording::Trace;

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
}

/// Asks the machine of the edits of one event of `stride`, and counts by class.
///
/// # Errors
/// If the trace itself is not accepted, or a search is given up.
pub fn ask(protocol: &Protocol, trace: &Trace, stride: usize) -> Result<BTreeMap<Class, Figures>> {
    let mut figures: BTreeMap<Class, Figures> = BTreeMap::new();
    let found = protocol.search_again(trace, &mut |search| {
        for edited in edits::of(trace, stride) {
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
        }
        Ok(())
    })?;
    if found != Found::Accepted {
        bail!("{}: it is refused before it is edited", trace.name());
    }
    Ok(figures)
}
