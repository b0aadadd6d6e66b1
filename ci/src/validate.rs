//! `interlock validate`: whether recorded behaviours are behaviours of a specification.
//!
//! Each trace is asked of the machine, and of TLC if it is not too long; both must say the same. Before any trace is judged, the
//! validator is tried on a legal one and on edited ones.

pub mod edits;
pub mod protocol;
pub mod search;
pub mod tlc;
pub mod trace;
pub mod why;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::check;
use crate::toolchain::Toolchain;
use protocol::Protocol;
use search::{Found, Refusal};
use tlc::Tlc;
use trace::Trace;

/// A trace of more events is asked of the machine alone.
const LONG: usize = 2000;

/// What to judge.
#[derive(Debug, Clone)]
pub struct Request {
    /// The area.
    pub area: String,
    /// The files.
    pub files: Vec<PathBuf>,
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
    let protocol = Protocol::of_area(&request.area)?;
    edits::test(protocol)?;
    let mut traces = Vec::new();
    for path in &request.files {
        let file =
            File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
        traces.extend(trace::read(path, BufReader::new(file))?);
    }
    let toolchain = (!request.machine_only)
        .then(|| Toolchain::find(root))
        .transpose()?;
    let out = std::path::absolute(&request.out)?.join("validate");
    let _lock = check::lock(&out)?;
    let dir = out.join(protocol.area);
    let tlc = toolchain
        .as_ref()
        .map(|toolchain| Tlc::new(toolchain, &dir));

    let found: Vec<Found> = traces
        .iter()
        .map(|trace| protocol.search(trace))
        .collect::<Result<_>>()?;
    let mut by_tlc = vec![None; traces.len()];
    if let Some(tlc) = &tlc {
        for places in of_one_head(&traces) {
            let group: Vec<&Trace> = places.iter().map(|&place| &traces[place]).collect();
            let accepted = tlc.accepted(protocol, &group)?;
            for (number, place) in places.into_iter().enumerate() {
                by_tlc[place] = Some(accepted.contains(&number));
            }
        }
    }
    let mut status = 0;
    for ((trace, found), by_tlc) in traces.iter().zip(&found).zip(by_tlc) {
        let name = format!("{}:{}", trace.file.display(), trace.line);
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
                status = 1;
                println!(
                    "{name}: refused by {who} after {} of {events} events",
                    refusal.fit
                );
                explain(protocol, root, trace, refusal, tlc.as_ref())?;
            }
            _ => println!("{name}: accepted by {who}, {events} events"),
        }
    }
    Ok(status)
}

fn verb(accepts: bool) -> &'static str {
    if accepts { "accepts it" } else { "refuses it" }
}

/// The traces that TLC is to judge, by their places, those with the same head together.
fn of_one_head(traces: &[Trace]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, trace) in traces.iter().enumerate() {
        if trace.events.len() > LONG {
            continue;
        }
        let same = |group: &&mut Vec<usize>| traces[group[0]].head == trace.head;
        match groups.iter_mut().find(same) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
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
        Some(tlc) if trace.events.len() <= LONG => {
            why::conjuncts(tlc, protocol, root, trace, refusal)?
        }
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
