//! Traces of a running kernel: ftrace's text, or `trace-cmd report`'s, as traces of a specification.
//!
//! The lines are read as a stream. Each area has a projection, which makes the specification's events of the kernel's; an event of
//! the specification is between two lines of the file: no earlier than the first, no later than the second. `docs/kernel-traces.md` says
//! of each area what the slack is, why, and what a trace cannot show.

pub mod dio;
pub mod event;
pub mod family;
pub mod jbd2;
pub mod line;
pub mod projections;
pub mod rwsem;
pub mod text;
pub mod writeback;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::recording::Trace;
use event::Event;
use family::{Family, Known};
use line::Line;
use text::Lines;

/// So many events a trace has at most.
pub const MOST: usize = 1_000_000;

/// How to read a file.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The kernel that has written it; otherwise its own comment `# kernel: 6.18.44` says.
    pub kernel: Option<String>,
    /// Judge it by the constants of this one: what differs between the two is refused.
    pub judged_as: Option<String>,
    /// Something may be under way when it begins: what is, is unknown, and each trace says from which line on it is judged.
    pub midway: bool,
}

/// What makes traces of a specification of a kernel's events.
pub trait Projection {
    /// A comment of the file: what was run, and with which options.
    ///
    /// # Errors
    /// If it says what cannot be.
    fn comment(&mut self, _text: &str) -> Result<()> {
        Ok(())
    }

    /// An event of a file that may begin while something is under way: each is shown once before the first [`Projection::event`].
    ///
    /// # Errors
    /// As [`Projection::event`].
    fn survey(&mut self, _event: &Event<'_>) -> Result<()> {
        Ok(())
    }

    /// The next event. Traces that are complete with it go to `out`.
    ///
    /// # Errors
    /// With its place: an event that cannot be in such a trace.
    fn event(&mut self, event: &Event<'_>, out: &mut Vec<Trace>) -> Result<()>;

    /// The end of the file.
    ///
    /// # Errors
    /// If the file is no trace of this area.
    fn end(&mut self, out: &mut Vec<Trace>) -> Result<()>;

    /// What of the file is not judged, because its state at the beginning is never known: a sentence for each.
    fn unjudged(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What projections begin with.
#[derive(Debug, Clone)]
pub struct Source {
    /// The file.
    pub file: PathBuf,
    /// The table of the kernel that has written it.
    pub family: Family,
    /// The table whose constants it is judged by.
    pub judged: Family,
    /// The file may begin while something is under way.
    pub midway: bool,
}

/// What was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// Events that the table does not know: how many, and the first one's line.
    pub unknown: BTreeMap<String, (u64, usize)>,
    /// Lines that are none of a trace's: how many, and the first one.
    pub unread: Option<(u64, usize)>,
    /// What is not judged: see [`Projection::unjudged`].
    pub unjudged: Vec<String>,
}

/// Whether the file is a kernel's trace, by its first line that says anything.
///
/// # Errors
/// If it cannot be read.
pub fn is_kernels(path: &Path) -> Result<bool> {
    let mut lines = Lines::new(text::open(path)?);
    // A line that is too long is none of a kernel's.
    while let Ok(Some((_, line))) = lines.advance() {
        match Line::parse(&line) {
            Some(Line::Empty) => {}
            parsed => return Ok(parsed.is_some()),
        }
    }
    Ok(false)
}

/// Reads a kernel's trace, and hands each trace of the specification over as soon as it is complete.
///
/// # Errors
/// With file and line: a trace with losses, of which nothing follows; an event with a field missing; one whose time is before that
/// of the event before it; a kernel of which there is no table; a file without an event.
pub fn read(
    path: &Path,
    reading: &Reading,
    projection: impl FnOnce(Source) -> Result<Box<dyn Projection>>,
    each: &mut dyn FnMut(Trace) -> Result<()>,
) -> Result<Notes> {
    read_from(path, || text::open(path), reading, projection, each)
}

/// The same of a text that `open_text` opens, once or twice: `path` is what it is called.
///
/// # Errors
/// As [`read`].
pub fn read_from<R: BufRead>(
    path: &Path,
    open_text: impl Fn() -> Result<R>,
    reading: &Reading,
    projection: impl FnOnce(Source) -> Result<Box<dyn Projection>>,
    each: &mut dyn FnMut(Trace) -> Result<()>,
) -> Result<Notes> {
    let shown = path.display();
    let mut notes = Notes::default();
    let mut comments: Vec<String> = Vec::new();
    let mut kernel = reading.kernel.clone();
    let mut projection = Some(projection);
    let mut open: Option<(Family, Box<dyn Projection>)> = None;
    let mut out = Vec::new();
    let passes: &[bool] = if reading.midway {
        &[true, false]
    } else {
        &[false]
    };
    for &surveys in passes {
        let mut lines = Lines::new(open_text()?);
        let mut last = 0;
        while let Some((number, line)) = lines.advance().with_context(|| shown.to_string())? {
            let at = || format!("{shown}:{number}");
            let raw = match Line::parse(&line) {
                Some(Line::Empty | Line::Stack) => continue,
                Some(Line::Comment(comment)) => {
                    if let Some(rest) = comment.strip_prefix("kernel:")
                        && reading.kernel.is_none()
                    {
                        kernel = rest.split_whitespace().next().map(str::to_owned);
                    }
                    match &mut open {
                        Some(_) if surveys != reading.midway => {}
                        Some((_, projection)) => projection.comment(comment).with_context(at)?,
                        None => comments.push(comment.to_owned()),
                    }
                    continue;
                }
                Some(Line::Lost(count)) => {
                    let count = count.map_or("events".into(), |count| format!("{count} events"));
                    bail!(
                        "{}: {count} were lost: what is left says nothing; record with a larger buffer (buffer_size_kb), or fewer events",
                        at()
                    )
                }
                Some(Line::Event(raw)) => raw,
                None if surveys => continue,
                None => {
                    notes.unread.get_or_insert((0, number)).0 += 1;
                    continue;
                }
            };
            ensure!(
                last <= raw.time,
                "{}: the time goes back: record with the clock `global`, `mono` or `counter`",
                at()
            );
            last = raw.time;
            if open.is_none() {
                let kernel = kernel.as_deref().with_context(|| {
                    format!(
                        "{shown}: no line `# kernel: VERSION` in it: name the kernel with --kernel"
                    )
                })?;
                let family = Family::of(kernel).with_context(|| shown.to_string())?;
                let judged = match &reading.judged_as {
                    Some(kernel) => Family::of(kernel)?,
                    None => family.clone(),
                };
                let source = Source {
                    file: path.to_owned(),
                    family: family.clone(),
                    judged,
                    midway: reading.midway,
                };
                let make = projection.take().context("one projection a file")?;
                let mut projection = make(source).with_context(|| shown.to_string())?;
                for comment in &comments {
                    projection
                        .comment(comment)
                        .with_context(|| shown.to_string())?;
                }
                open = Some((family, projection));
            }
            let (family, projection) = open.as_mut().context("a projection")?;
            match family.event(raw.name) {
                Known::Read(name, kind) => {
                    let event = Event {
                        name,
                        line: number,
                        raw,
                        kind,
                        family,
                        file: path,
                    };
                    if surveys {
                        projection.survey(&event)?;
                        continue;
                    }
                    projection.event(&event, &mut out)?;
                    for trace in out.drain(..) {
                        each(trace)?;
                    }
                }
                Known::Not if surveys => {}
                Known::Ignored => {}
                Known::Not => {
                    let unknown = notes.unknown.entry(raw.name.to_owned());
                    unknown.or_insert((0, number)).0 += 1;
                }
            }
        }
    }
    let Some((_, mut projection)) = open else {
        bail!("{shown}: no event of a kernel in it");
    };
    projection
        .end(&mut out)
        .with_context(|| shown.to_string())?;
    notes.unjudged = projection.unjudged();
    out.into_iter().try_for_each(each)?;
    Ok(notes)
}

impl Notes {
    /// A sentence for each.
    pub fn sentences(&self, file: &Path) -> Vec<String> {
        let unknown = self.unknown.iter().map(|(name, (count, line))| {
            format!(
                "{}:{line}: `{name}` is no event that the table knows: left out, {count} of them",
                file.display()
            )
        });
        let unread = self.unread.iter().map(|(count, line)| {
            format!(
                "{}:{line}: no line of a trace: left out, {count} of them",
                file.display()
            )
        });
        let unjudged = self.unjudged.iter();
        let unjudged = unjudged.map(|what| format!("{}: {what}", file.display()));
        unknown.chain(unread).chain(unjudged).collect()
    }
}
