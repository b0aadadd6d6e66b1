//! Traces of writeback: the lists of each bdi as `ObservedLists.tla`, the plugs of each device as `ObservedPlug.tla`.
//!
//! Both are handed over at the end of the file: neither the lists nor the plugs are ever known to be empty before.

mod begin;
mod lists;
mod older;
mod plugs;

use anyhow::{Context as _, Result, bail, ensure};

use super::event::Event;
use super::{MOST, Projection, Source};
use crate::recording::{self, Head, Trace};
use interlock_tla::value::Value;
use lists::Lists;
use plugs::Plugs;

/// TLC's numbers end here.
const LARGEST: u64 = (1 << 31) - 1;

/// The projection.
pub struct Writeback {
    source: Source,
    lists: Lists,
    plugs: Plugs,
    /// The file says that the workload has ended with a sync(2) or syncfs(2), which has returned.
    syncs: bool,
    /// Bdis that are not judged.
    unknown: Vec<String>,
    last: usize,
}

impl Writeback {
    /// One for a file.
    ///
    /// # Errors
    /// Never: its constants are asked for when a trace is complete.
    pub fn projection(source: Source) -> Result<Box<dyn Projection>> {
        Ok(Box::new(Writeback {
            source,
            lists: Lists::default(),
            plugs: Plugs::default(),
            syncs: false,
            unknown: Vec::new(),
            last: 0,
        }))
    }
}

impl Projection for Writeback {
    fn comment(&mut self, text: &str) -> Result<()> {
        let ends = ["then sync", "then syncfs"];
        self.syncs |= ends.iter().any(|end| text.ends_with(end));
        Ok(())
    }

    fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        self.lists.survey(event)?;
        self.plugs.survey(event)
    }

    fn event(&mut self, event: &Event<'_>, _out: &mut Vec<Trace>) -> Result<()> {
        self.last = event.line;
        self.lists.event(event)?;
        self.plugs.event(event)?;
        ensure!(
            self.lists.events() + self.plugs.events() <= MOST,
            "{}: more than {MOST} events: record less",
            event.place()
        );
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<Trace>) -> Result<()> {
        let synced = self.syncs.then_some(self.last);
        let unknown = self.lists.unknown();
        self.unknown = unknown.into_iter().map(str::to_owned).collect();
        std::mem::take(&mut self.lists).end(&self.source, synced, out);
        self.plugs.end(&self.source, synced, out)?;
        ensure!(
            !out.is_empty() || !self.source.midway,
            "no flusher works behind a line at which it is done, and has found nothing more on b_io and b_more_io before: which \
             inodes are queued is not known; nor is a bio submitted behind one at which all that waits is: nothing is judged; say \
             --at-rest if the flusher had nothing to do and no I/O was in flight when the trace began"
        );
        ensure!(
            !out.is_empty(),
            "no flusher's work and no bio in it: record the events `writeback_*` and `block_*`"
        );
        Ok(())
    }

    fn unjudged(&self) -> Vec<String> {
        let bdis = (!self.unknown.is_empty()).then(|| {
            format!(
                "not judged, because it is never known which inodes are queued: the lists of {}",
                self.unknown.join(", ")
            )
        });
        let unplugged = &self.plugs.unknown;
        let devices = (!unplugged.is_empty()).then(|| {
            let devices: Vec<&str> = unplugged.iter().map(String::as_str).collect();
            format!(
                "not judged, because it is never known which requests wait: the plugs of device {}",
                devices.join(", ")
            )
        });
        bdis.into_iter().chain(devices).collect()
    }
}

/// A trace that is being made.
#[derive(Debug, Default)]
struct Recording {
    events: Vec<recording::Event>,
    lines: Vec<usize>,
}

impl Recording {
    /// Adds an event of these lines, which says what a state's `done` is, if it does.
    fn push(&mut self, thread: &str, (from, to): (usize, usize), action: &str, args: Vec<Value>) {
        self.events.push(recording::Event {
            others: Vec::new(),
            thread: thread.to_owned(),
            from: from as u64,
            to: to as u64,
            action: action.to_owned(),
            args: args.iter().map(Value::to_string).collect(),
            sees: Default::default(),
        });
        self.lines.push(to);
    }

    /// The last event has seen this.
    fn saw(&mut self, name: &str, value: i64) {
        if let Some(event) = self.events.last_mut() {
            event.sees.insert(name.to_owned(), value.to_string());
        }
    }

    fn trace(self, source: &Source, module: &str, of: &str, constants: &[(&str, String)]) -> Trace {
        let constants = constants.iter();
        let head = Head {
            silent: Vec::new(),
            trace: recording::VERSION,
            module: module.to_owned(),
            source: format!("{of}, Linux {}", source.family.kernel),
            constants: constants
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        };
        Trace {
            head,
            line: self.lines.first().copied().unwrap_or(1),
            events: self.events,
            lines: self.lines,
            known: None,
            file: source.file.clone(),
        }
    }
}

/// The name of an event's task: no other has its number.
fn task(event: &Event<'_>) -> String {
    format!("{}-{}", event.raw.comm, event.raw.pid)
}

/// A field that TLC can count with.
fn small(event: &Event<'_>, field: &str) -> Result<i64> {
    let number = event.number(field)?;
    ensure!(
        number <= LARGEST,
        "{}: the field `{field}` is {number}, and TLC's numbers end at {LARGEST}: record on a smaller device",
        event.place()
    );
    Ok(i64::try_from(number)?)
}

/// First sector and sectors; `None`: a flush has none.
fn extent(event: &Event<'_>) -> Result<Option<(i64, i64)>> {
    let sectors = small(event, "sectors")?;
    if sectors == 0 {
        return Ok(None);
    }
    Ok(Some((small(event, "sector")?, sectors)))
}

/// A field that may be negative.
fn signed(event: &Event<'_>, field: &str) -> Result<i64> {
    let text = event.text(field)?;
    text.parse().with_context(|| {
        format!(
            "{}: the field `{field}` is `{text}`, which is no number",
            event.place()
        )
    })
}

/// Whether an inode is dirty, by its state.
fn is_dirty(event: &Event<'_>) -> Result<bool> {
    let state = event.text("state")?;
    let has = |flag: &str| state.split('|').any(|word| word == flag);
    let dirty = ["I_DIRTY_SYNC", "I_DIRTY_DATASYNC", "I_DIRTY_PAGES"];
    let is = dirty.into_iter().any(has);
    if !is && has("I_DIRTY_TIME") {
        bail!(
            "{}: the inode is on b_dirty_time, which is not judged: mount without lazytime",
            event.place()
        );
    }
    Ok(is)
}
