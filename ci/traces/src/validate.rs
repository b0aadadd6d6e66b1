//! `interlock validate`: whether recorded behaviours are behaviours of a specification.
//!
//! Each trace is asked of the machine, and of TLC if it is not too long; both must say the same. Before any trace is judged, the
//! validator is tried on a legal one and on edited ones. Files are read as streams: what is long is judged and forgotten.

mod again;
pub mod classes;
pub mod edits;
pub mod protocol;
pub mod search;
pub mod tlc;
pub mod trial;
pub mod why;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::kernel::{self, Reading};
use crate::recording::{self, Head, Trace};
use interlock_checker::lock;
use interlock_checker::toolchain::Toolchain;
use protocol::Protocol;
use search::{Found, Refusal};
use tlc::Tlc;

/// A trace of more events is asked of the machine alone.
const LONG: usize = 2000;

/// TLC is asked of so many events at a time.
const BATCH: usize = 10_000;

/// What to judge.
#[derive(Debug, Clone)]
pub struct Request {
    /// The area.
    pub area: String,
    /// The files.
    pub files: Vec<PathBuf>,
    /// How to read those that are a kernel's.
    pub reading: Reading,
    /// Ask the machine alone.
    pub machine_only: bool,
    /// Where TLC's own files go.
    pub out: PathBuf,
}

/// Judges every trace, and prints what it finds. The exit status: 0 if all are behaviours, 1 if one is not.
///
/// # Errors
///
/// Bad input, with its place; a missing tool; a validator that fails its own test; machine and TLC that do not agree; a search that
/// is given up.
pub fn validate(root: &Path, request: &Request) -> Result<u8> {
    let area = protocol::area(&request.area)?;
    for protocol in Protocol::of_area(area) {
        trial::test(protocol)?;
    }
    let toolchain = (!request.machine_only)
        .then(|| Toolchain::find(root))
        .transpose()?;
    let out = std::path::absolute(&request.out)?.join("validate");
    let _lock = lock::lock(&out)?;
    let dir = out.join(area);
    let mut judge = Judge {
        area,
        root,
        tlc: toolchain
            .as_ref()
            .map(|toolchain| Tlc::new(toolchain, &dir)),
        waiting: Vec::new(),
        events: 0,
        refused: false,
    };
    for path in &request.files {
        read(area, path, &request.reading, &mut |trace| judge.take(trace))?;
    }
    judge.flush()?;
    Ok(u8::from(judge.refused))
}

/// Hands over each trace of a file, the project's own or a kernel's, and says on stderr what of a kernel's was left out.
///
/// # Errors
/// Bad input, with its place, and what `each` returns.
pub fn read(
    area: &str,
    path: &Path,
    reading: &Reading,
    each: &mut dyn FnMut(Trace) -> Result<()>,
) -> Result<()> {
    if !kernel::is_kernels(path)? {
        let text = kernel::text::open(path)?;
        return recording::read(path, text)?.into_iter().try_for_each(each);
    }
    let projection = kernel::projections::of_area(area)?;
    let notes = kernel::read(path, reading, projection, each)?;
    for sentence in notes.sentences(path) {
        eprintln!("{sentence}");
    }
    Ok(())
}

/// The traces that are judged, as many at a time as TLC is to be asked of.
struct Judge<'a> {
    area: &'static str,
    root: &'a Path,
    tlc: Option<Tlc<'a>>,
    waiting: Vec<(Trace, Found)>,
    events: usize,
    refused: bool,
}

impl Judge<'_> {
    fn take(&mut self, trace: Trace) -> Result<()> {
        let found = Protocol::of(self.area, &trace)?.search(&trace)?;
        self.events += trace.events.len();
        self.waiting.push((trace, found));
        if self.events > BATCH {
            self.flush()?;
        }
        Ok(())
    }

    /// Asks TLC of those that wait, and prints what is found.
    fn flush(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        self.events = 0;
        let mut by_tlc = vec![None; waiting.len()];
        if let Some(tlc) = &self.tlc {
            for places in of_one_head(waiting.iter().map(|(trace, _)| trace)) {
                let group: Vec<&Trace> = places.iter().map(|&place| &waiting[place].0).collect();
                let protocol = Protocol::of(self.area, group[0])?;
                let accepted = tlc.accepted(protocol, &group)?;
                for (number, place) in places.into_iter().enumerate() {
                    by_tlc[place] = Some(accepted.contains(&number));
                }
            }
        }
        for ((trace, found), by_tlc) in waiting.iter().zip(by_tlc) {
            self.tell(trace, found, by_tlc)?;
        }
        Ok(())
    }

    fn tell(&mut self, trace: &Trace, found: &Found, by_tlc: Option<bool>) -> Result<()> {
        let name = trace.name();
        let accepted = match found {
            Found::Accepted => true,
            Found::Refused(_) => false,
            Found::TooWide => {
                anyhow::bail!(
                    "{name}: its events overlap so much that the search is given up: record less, or finer"
                )
            }
        };
        ensure!(
            by_tlc.is_none_or(|by_tlc| by_tlc == accepted),
            "{name}: the machine {}, and TLC {}: one of them is wrong, and neither is believed",
            verb(accepted),
            verb(!accepted)
        );
        let who = if by_tlc.is_some() {
            "the machine and TLC"
        } else {
            "the machine"
        };
        let events = trace.events.len();
        match found {
            Found::Refused(refusal) => {
                self.refused = true;
                println!(
                    "{name}: refused by {who} after {} of {events} events{}",
                    refusal.fit,
                    judged(trace)
                );
                let protocol = Protocol::of(self.area, trace)?;
                explain(protocol, self.root, trace, refusal, self.tlc.as_ref())?;
            }
            _ => println!(
                "{name}: accepted by {who}, {events} events{}",
                judged(trace)
            ),
        }
        Ok(())
    }
}

/// From which line on a trace is judged, if it may have begun while something was under way; and who is assumed beside it.
fn judged(trace: &Trace) -> String {
    let known = trace
        .known
        .map(|line| format!("; judged from line {line} on, {} before it", line - 1));
    let unseen = trace.head.unseen().len();
    let assumed =
        (unseen > 0).then(|| format!("; writers that are not in the trace are assumed: {unseen}"));
    [known, assumed].into_iter().flatten().collect()
}

fn verb(accepts: bool) -> &'static str {
    if accepts { "accepts it" } else { "refuses it" }
}

/// Whether TLC is asked of it too. Steps of tasks that are not in it may be taken at any time: that is too wide for TLC.
fn is_for_tlc(trace: &Trace) -> bool {
    trace.events.len() <= LONG && trace.head.unseen().is_empty()
}

/// The traces that TLC is to judge, by their places, those with the same head together.
pub fn of_one_head<'a>(traces: impl IntoIterator<Item = &'a Trace>) -> Vec<Vec<usize>> {
    let mut groups: Vec<(&Head, Vec<usize>)> = Vec::new();
    for (place, trace) in traces.into_iter().enumerate() {
        if !is_for_tlc(trace) {
            continue;
        }
        match groups.iter_mut().find(|(head, _)| **head == trace.head) {
            Some((_, group)) => group.push(place),
            None => groups.push((&trace.head, vec![place])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Where it stops, and why.
fn explain(
    protocol: &Protocol,
    root: &Path,
    trace: &Trace,
    refusal: &Refusal,
    tlc: Option<&Tlc>,
) -> Result<()> {
    let false_parts = match tlc {
        Some(tlc) if is_for_tlc(trace) => why::conjuncts(tlc, protocol, root, trace, refusal)?,
        _ => Default::default(),
    };
    for (place, why) in &refusal.next {
        println!(
            "  {}: {}: {why}",
            trace.place(*place),
            trace.events[*place].show()
        );
        for part in false_parts.get(place).into_iter().flatten() {
            println!("    false: {part}");
        }
    }
    for state in &refusal.states {
        println!("  possible there: {state}");
    }
    Ok(())
}
