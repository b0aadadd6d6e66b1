//! Traces of a guest's kernel: recorded there, judged here.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result};
use interlock_capture::kinds::CAPTURES;
use interlock_traces::kernel::Reading;
use interlock_traces::validate;
use interlock_traces::validate::protocol::{self, Protocol};
use interlock_traces::validate::search::Found;

use crate::order::{Report, say};

/// The areas that have captures.
pub fn areas() -> Vec<&'static str> {
    let mut areas: Vec<&str> = CAPTURES.iter().map(|capture| capture.area).collect();
    areas.dedup();
    areas
}

/// Records an area's captures in the guest, and says what each has recorded.
///
/// # Errors
/// If the kernel cannot be recorded.
pub fn record(area: &str, to: &mut impl Write) -> Result<()> {
    let recorded = interlock_capture::record(&interlock_capture::Request {
        areas: vec![area.to_owned()],
        out: std::env::temp_dir().join("interlock-traces"),
    })?;
    for recorded in recorded {
        let name = recorded.file.file_stem().context("a trace has a name")?;
        let text = fs::read_to_string(&recorded.file)?;
        fs::remove_file(&recorded.file)?;
        let name = name.to_string_lossy().into_owned();
        say(to, &Report::Trace(name, recorded.area.to_owned(), text))?;
    }
    Ok(())
}

/// How the machine judges the trace in `file`, by the constants of its own release or of `judged_as`.
///
/// # Errors
/// If it cannot be read as a trace.
pub fn judged(area: &str, file: &Path, judged_as: Option<&str>) -> Result<String> {
    let area = protocol::area(area)?;
    let reading = Reading {
        judged_as: judged_as.map(str::to_owned),
        // A capture's workload begins with its trace.
        midway: false,
        ..Reading::default()
    };
    let (mut events, mut refused) = (0, None);
    validate::read(area, file, &reading, &mut |trace| {
        let before = events;
        events += trace.events.len();
        match Protocol::of(area, &trace)?.search(&trace)? {
            Found::Accepted => {}
            Found::Refused(refusal) => {
                refused.get_or_insert(format!("refused after {} of", before + refusal.fit));
            }
            Found::TooWide => {
                anyhow::bail!("its events overlap so much that the search is given up")
            }
        }
        Ok(())
    })?;
    Ok(match refused {
        Some(refused) => format!("{refused} {events} steps"),
        None => format!("accepted, {events} steps"),
    })
}
