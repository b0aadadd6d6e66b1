//! The steps that a journal's events make, in the order of the file.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use crate::kernel::event::Event;
use crate::kernel::{MOST, Source};
use crate::recording::{self, Head, Trace};

/// The steps of a trace, and their lines.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) events: Vec<recording::Event>,
    lines: Vec<usize>,
}

impl Steps {
    /// The argument at `place` of the first of such steps.
    pub(super) fn first(&self, place: usize, actions: &[&str]) -> Option<&str> {
        let mut events = self.events.iter();
        let event = events.find(|event| actions.contains(&event.action.as_str()))?;
        event.args.get(place).map(String::as_str)
    }

    /// A step that was taken at the event.
    pub(super) fn push(&mut self, action: &str, event: &Event<'_>, args: &[i32]) -> Result<()> {
        self.add(action, event, event.line, None, args)
    }

    /// A step of the event's task, which is its first argument.
    pub(super) fn of_task(
        &mut self,
        action: &str,
        event: &Event<'_>,
        at: usize,
        args: &[i32],
    ) -> Result<()> {
        self.add(action, event, at, Some(name(event)), args)
    }

    fn add(
        &mut self,
        action: &str,
        event: &Event<'_>,
        at: usize,
        task: Option<String>,
        args: &[i32],
    ) -> Result<()> {
        ensure!(
            self.events.len() < MOST,
            "{}: more than {MOST} steps of a journal: record less at a time",
            event.place()
        );
        self.events.push(recording::Event {
            thread: name(event),
            from: line(at),
            to: line(at),
            action: action.to_owned(),
            others: Vec::new(),
            args: task
                .into_iter()
                .chain(args.iter().map(i32::to_string))
                .collect(),
            sees: BTreeMap::new(),
        });
        self.lines.push(event.line);
        Ok(())
    }

    /// As a trace, if there is any.
    pub(super) fn trace(self, head: Head, source: &Source) -> Option<Trace> {
        Some(Trace {
            head,
            line: *self.lines.first()?,
            file: source.file.clone(),
            events: self.events,
            lines: self.lines,
            known: None,
        })
    }
}

/// A task's name in a trace.
fn name(event: &Event<'_>) -> String {
    format!("t{}", event.raw.pid)
}

/// A line, as traces have it.
pub(super) fn line(line: usize) -> u64 {
    line as u64
}
