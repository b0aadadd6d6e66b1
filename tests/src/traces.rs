//! Recorded traces before `interlock validate`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use interlock_checker::toolchain::Toolchain;
use interlock_traces::kernel::Reading;
use interlock_traces::recording::{self, Trace};
use interlock_traces::validate::protocol::Protocol;
use interlock_traces::validate::search::Found;
use interlock_traces::validate::tlc::Tlc;
use interlock_traces::validate::{Request, of_one_head, validate};

/// The traces of a text.
///
/// # Errors
///
/// It is none of a trace's.
pub fn read(text: &str) -> Result<Vec<Trace>> {
    recording::read("recorded".as_ref(), text.as_bytes())
}

/// The first trace of a text.
///
/// # Errors
///
/// As [`read`], and if there is none.
pub fn one(text: &str) -> Result<Trace> {
    read(text)?.into_iter().next().context("it is no trace")
}

/// Puts its events in the order in which they were taken, which is one that fits, and leaves no other: whether an edit of it is
/// refused does not depend on how long threads were kept from a step then.
pub fn in_order(trace: &mut Trace) {
    trace.events.sort_by_key(|event| event.to);
    for event in &mut trace.events {
        event.from = event.to;
    }
}

/// The record says of what was done after `before` that it was after all of that.
///
/// # Panics
///
/// If it does not, or there is nothing more.
pub fn later(before: &Trace, whole: &Trace) {
    let times = before.events.iter().map(|event| event.to);
    let last = times.max().expect("something was done before");
    let later = whole.events.iter().filter(|event| event.to > last);
    let later: Vec<_> = later.collect();
    assert!(!later.is_empty(), "nothing was done later");
    for event in later {
        assert!(event.from > last, "{} may have been earlier", event.show());
    }
}

/// The machine accepts each of the traces, of which there are some.
///
/// # Panics
///
/// With the first that it does not.
pub fn accepted(name: &str, area: &str, traces: &[String]) {
    let texts = traces.concat();
    let traces = read(&texts).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    for trace in traces {
        let found = Protocol::of(area, &trace).and_then(|protocol| protocol.search(&trace));
        let found = found.unwrap_or_else(|error| panic!("{name}: {error:#}"));
        assert_eq!(found, Found::Accepted, "{name}: {}", trace.to_text());
    }
}

/// `interlock validate`: the machine and TLC, which say the same, accept all. Their files go into a folder `name` of `target/`.
///
/// # Panics
///
/// If one is refused, or there is no verdict.
pub fn accepted_by_tlc(name: &str, area: &str, traces: &[String]) {
    let status = judged(name, area, traces).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    assert_eq!(status, 0, "{name}: a trace is refused");
}

/// The exit status of `interlock validate`.
///
/// # Errors
///
/// If there is no verdict.
pub fn judged(name: &str, area: &str, traces: &[String]) -> Result<u8> {
    let root = root()?;
    toolchain()?;
    let out = root.join("target/traces").join(name);
    fs::create_dir_all(&out)?;
    let file = out.join("recorded.ndjson");
    fs::write(&file, traces.concat())?;
    let request = Request {
        area: area.to_owned(),
        files: vec![file],
        reading: Reading::default(),
        machine_only: false,
        out,
    };
    validate(&root, &request)
}

/// Found once: to look for it may be to fetch it, which tests are not to do at a time.
fn toolchain() -> Result<&'static Toolchain> {
    static FOUND: OnceLock<Result<Toolchain>> = OnceLock::new();
    let found = FOUND.get_or_init(|| Toolchain::find(&root()?));
    found.as_ref().map_err(|error| anyhow!("{error:#}"))
}

fn root() -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    Ok(root.canonicalize()?)
}

/// Which of these the machine accepts, by their places.
///
/// # Errors
///
/// If one is no trace of the area's, or overlaps too much.
pub fn by_machine(area: &str, traces: &[Trace]) -> Result<BTreeSet<usize>> {
    let mut accepted = BTreeSet::new();
    for (place, trace) in traces.iter().enumerate() {
        match Protocol::of(area, trace)?.search(trace)? {
            Found::Accepted => drop(accepted.insert(place)),
            Found::Refused(_) => {}
            Found::TooWide => bail!("trace {place} is too wide"),
        }
    }
    Ok(accepted)
}

/// The same of the machine and of TLC, which has one run for all that have the same head; TLC's files go into a folder `name` of
/// `target/`.
///
/// # Errors
///
/// As [`by_machine`]; if a trace is too long for TLC, the two do not agree, or there is no TLC.
pub fn by_both(name: &str, area: &str, traces: &[Trace]) -> Result<BTreeSet<usize>> {
    let accepted = by_machine(area, traces)?;
    let toolchain = toolchain()?;
    let dir = root()?.join("target/traces").join(name);
    let tlc = Tlc::new(toolchain, &dir);
    let groups = of_one_head(traces);
    ensure!(
        groups.iter().flatten().count() == traces.len(),
        "{name}: a trace is too long for TLC"
    );
    for places in groups {
        let group: Vec<&Trace> = places.iter().map(|&place| &traces[place]).collect();
        let by_tlc = tlc.accepted(Protocol::of(area, group[0])?, &group)?;
        for (number, place) in places.into_iter().enumerate() {
            ensure!(
                by_tlc.contains(&number) == accepted.contains(&place),
                "{name}: one of the machine and TLC alone accepts {}",
                traces[place].to_text()
            );
        }
    }
    Ok(accepted)
}
