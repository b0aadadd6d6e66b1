//! Traces as files: JSON, one value a line; `docs/traces.md` describes them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use interlock_checker::cfg::substitution;
use interlock_tla::counterexample::Step;
use interlock_tla::value::Value;

/// The format's version.
pub const VERSION: u32 = 1;

/// In the place of an action: no step is taken, and what is seen is of the state as it is.
pub const SEE: &str = "See";

/// A line longer than this is no line of a trace.
const LONGEST: u64 = 1 << 20;

/// One recorded behaviour.
#[derive(Debug, Clone)]
pub struct Trace {
    /// What it is a trace of.
    pub head: Head,
    /// Its events, as the file has them.
    pub events: Vec<Event>,
    /// The file it is in.
    pub file: PathBuf,
    /// Its first line in the file, from 1.
    pub line: usize,
    /// The line of each event in the file.
    pub lines: Vec<usize>,
    /// The line of the file from which on the state is known, if the recording may have begun while something was under way. What
    /// begins before it may be taken for older than the trace.
    pub known: Option<usize>,
}

/// The first line of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The version of the format: [`VERSION`].
    pub trace: u32,
    /// The specification that the trace is to be a behaviour of: `Rwsem`.
    pub module: String,
    /// What was recorded, and how: for people.
    pub source: String,
    /// The specification's constants: `<- Operator`, as in `specs/*/models.toml`, or a value as TLA+ writes it.
    pub constants: BTreeMap<String, String>,
    /// Actions that left no event, of those that may: `Spin`; and steps of tasks that are not in the trace, `Enter(w0)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent: Vec<String>,
}

impl Head {
    /// Those of [`Head::silent`] that are actions, whoever takes them.
    pub fn silent_actions(&self) -> impl Iterator<Item = &str> {
        let silent = self.silent.iter().map(String::as_str);
        silent.filter(|name| !name.ends_with(')'))
    }

    /// Those of [`Head::silent`] that are steps, each with its arguments.
    pub fn unseen_steps(&self) -> impl Iterator<Item = &str> {
        let silent = self.silent.iter().map(String::as_str);
        silent.filter(|name| name.ends_with(')'))
    }

    /// Who is not in the trace, and may have taken steps.
    pub fn unseen(&self) -> BTreeSet<&str> {
        let steps = self.unseen_steps().filter_map(|step| step.split_once('('));
        steps.map(|(_, of)| of).collect()
    }
}

/// A step of the specification, and when it was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Who took it.
    pub thread: String,
    /// It was taken no earlier than this, in any unit, by one clock for all threads.
    pub from: u64,
    /// It was taken no later than this.
    pub to: u64,
    /// The action's name, or [`SEE`].
    pub action: String,
    /// Other names: the step was one of these, or `action`, with the same arguments.
    #[serde(default, rename = "or", skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// Its arguments, as TLA+ writes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// What was seen of the state right after it, as TLA+ writes it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sees: BTreeMap<String, String>,
}

/// The last line of a trace.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// How many events there are. A trace without its end was cut short.
    pub events: usize,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Head(Head),
    Event(Event),
    End(End),
}

impl Event {
    /// The step, its arguments read.
    ///
    /// # Errors
    /// If an argument is no value.
    pub fn step(&self) -> Result<Step> {
        let args = self.args.iter().map(|arg| value(arg));
        Ok(Step {
            action: self.action.clone(),
            args: args.collect::<Result<_>>()?,
        })
    }

    /// The names of which one was the step's.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let others = self.others.iter().map(String::as_str);
        std::iter::once(self.action.as_str()).chain(others)
    }

    /// What was seen, read.
    ///
    /// # Errors
    /// If it is no value.
    pub fn seen(&self) -> Result<BTreeMap<String, Value>> {
        let seen = self.sees.iter();
        seen.map(|(name, text)| Ok((name.clone(), value(text)?)))
            .collect()
    }

    /// As one short text.
    pub fn show(&self) -> String {
        let sees: Vec<String> = self
            .sees
            .iter()
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        let sees = if sees.is_empty() {
            String::new()
        } else {
            format!(", sees {}", sees.join(", "))
        };
        format!("{} of {}{sees}", self.label(), self.thread)
    }

    fn label(&self) -> String {
        let names: Vec<&str> = self.names().collect();
        format!("{}({})", names.join(" or "), self.args.join(", "))
    }
}

fn value(text: &str) -> Result<Value> {
    text.parse()
        .with_context(|| format!("`{text}` is no value of TLA+"))
}

impl Trace {
    /// Each thread's events, in order, by their places in `events`.
    ///
    /// # Errors
    /// If an event ends before it begins, or begins or ends before the thread's last one does.
    pub fn strands(&self) -> Result<BTreeMap<&str, Vec<usize>>> {
        let mut strands: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (place, event) in self.events.iter().enumerate() {
            let strand = strands.entry(&event.thread).or_default();
            let last = strand.last().map(|&last| &self.events[last]);
            let follows = |last: &Event| last.from <= event.from && last.to <= event.to;
            ensure!(
                event.from <= event.to && last.is_none_or(follows),
                "{}: the times of {} are not in order",
                self.place(place),
                event.show()
            );
            strand.push(place);
        }
        Ok(strands)
    }

    /// `FILE:LINE` of an event.
    pub fn place(&self, event: usize) -> String {
        let line = self.lines.get(event).copied().unwrap_or(self.line);
        format!("{}:{line}", self.file.display())
    }

    /// `FILE:LINE` of the whole.
    pub fn name(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }

    /// The constants without the sign of a substitution.
    pub fn constants(&self) -> BTreeMap<String, String> {
        let bare = |value: &String| substitution(value).unwrap_or(value).to_owned();
        let constants = self.head.constants.iter();
        constants
            .map(|(name, value)| (name.clone(), bare(value)))
            .collect()
    }

    /// As its lines.
    ///
    /// # Panics
    /// Never: all of it can be written as JSON.
    pub fn to_text(&self) -> String {
        let json = |value: serde_json::Result<String>| value.expect("it is plain data") + "\n";
        let mut text = json(serde_json::to_string(&self.head));
        for event in &self.events {
            text += &json(serde_json::to_string(event));
        }
        let events = self.events.len();
        text + &json(serde_json::to_string(&End { events }))
    }
}

/// Every trace of a file.
///
/// # Errors
/// With file and line: one that cannot be read, is none of a trace's, is of another version, or a trace that is cut short or
/// empty; a file without a trace.
pub fn read(path: &Path, lines: impl BufRead) -> Result<Vec<Trace>> {
    let shown = path.display();
    let mut traces = Vec::new();
    let mut open: Option<Trace> = None;
    for (line, number) in limited(lines).zip(1..) {
        let at = || format!("{shown}:{number}");
        let line = line.with_context(at)?;
        if line.trim().is_empty() {
            continue;
        }
        let parsed: Line = serde_json::from_str(&line).map_err(|_| {
            let start: String = line.trim().chars().take(60).collect();
            anyhow::anyhow!(
                "{}: `{start}` is no line of a trace (docs/traces.md describes them)",
                at()
            )
        })?;
        match (parsed, &mut open) {
            (Line::Head(head), None) => {
                ensure!(
                    head.trace == VERSION,
                    "{}: a trace of version {}, and this reads version {VERSION}",
                    at(),
                    head.trace
                );
                open = Some(Trace {
                    head,
                    events: Vec::new(),
                    file: path.to_owned(),
                    line: number,
                    lines: Vec::new(),
                    known: None,
                });
            }
            (Line::Event(event), Some(trace)) => {
                trace.lines.push(number);
                trace.events.push(event);
            }
            (Line::End(End { events }), Some(trace)) => {
                let found = trace.events.len();
                ensure!(
                    events == found,
                    "{}: the trace has {found} events, and says {events}: lines are missing",
                    at()
                );
                ensure!(found > 0, "{}: a trace without an event says nothing", at());
                trace.strands()?;
                traces.extend(open.take());
            }
            (Line::Head(_), Some(_)) => bail!(
                "{}: the trace before this one has no end: it was cut short",
                at()
            ),
            (_, None) => bail!("{}: no head of a trace before this", at()),
        }
    }
    ensure!(
        open.is_none(),
        "{shown}: the last trace has no end: it was cut short"
    );
    ensure!(!traces.is_empty(), "{shown}: no trace in it");
    Ok(traces)
}

/// The lines of a text, none of them so long that it could exhaust the memory.
fn limited(mut lines: impl BufRead) -> impl Iterator<Item = Result<String>> {
    std::iter::from_fn(move || {
        let mut line = String::new();
        let read = std::io::Read::take(&mut lines, LONGEST).read_line(&mut line);
        match read {
            Ok(0) => None,
            Ok(length) if length as u64 == LONGEST => Some(Err(anyhow::anyhow!(
                "a line of more than {LONGEST} bytes is no line of a trace"
            ))),
            Ok(_) => Some(Ok(line)),
            Err(error) => Some(Err(error.into())),
        }
    })
    .scan(false, |failed, line| {
        let ended = *failed;
        *failed = line.is_err();
        (!ended).then_some(line)
    })
}
