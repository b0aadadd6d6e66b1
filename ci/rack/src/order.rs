//! What a guest is asked, and what it says: a line of JSON each.

use std::io::{BufRead, Write};

use anyhow::{Context as _, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::play::Aim;
use crate::played::Played;
use crate::workload::{Measured, Workload};

/// What a guest is asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Order {
    /// To play a plan.
    Play(Plan, Aim),
    /// To run a workload.
    Work(Workload),
    /// To run a program with its arguments.
    Run(Vec<String>),
    /// Whether the running kernel, with its modules, has this function.
    Has(String),
    /// To record its kernel's traces of this area.
    Capture(String),
}

/// What a guest says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Report {
    /// It is up: its kernel's release.
    Up(String),
    /// The plan was played.
    Played(Played),
    /// The workload was run.
    Worked(Measured),
    /// The program has ended, and has printed this.
    Ran(String),
    /// It has the function, or not.
    Has(bool),
    /// A trace: its name, its area, and its text.
    Trace(String, String, String),
    /// All that was asked for is done.
    Done,
    /// It could not be done, for this reason.
    Failed(String),
}

/// Writes a line.
///
/// # Errors
/// If it cannot be written.
pub fn say(to: &mut impl Write, what: &impl Serialize) -> Result<()> {
    let mut line = serde_json::to_string(what)?;
    line.push('\n');
    to.write_all(line.as_bytes())?;
    Ok(to.flush()?)
}

/// Reads a line. `None`: there are no more.
///
/// # Errors
/// If it is not as [`say`] writes it.
pub fn hear<T: DeserializeOwned>(from: &mut impl BufRead) -> Result<Option<T>> {
    let mut line = String::new();
    let read = from.read_line(&mut line);
    if read.context("a line cannot be read")? == 0 {
        return Ok(None);
    }
    let what = serde_json::from_str(&line);
    what.map(Some)
        .with_context(|| format!("a line is not understood: {}", line.trim_end()))
}
