//! The report for programs. Its fields are those of [`Report`] and [`Row`], and what follows from them.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::counts::{Counts, Unchecked};
use super::{Report, Row};

/// The version of this format: raised when a field changes its meaning, its name or its type, or goes.
pub const SCHEMA: u32 = 2;

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    #[serde(flatten)]
    report: &'a Report,
    counts: Counts,
    unchecked: Vec<Unchecked>,
    most_expensive: Vec<&'a str>,
    models: &'a [Row],
}

pub(super) fn text(report: &Report) -> Result<String> {
    let document = Document {
        schema: SCHEMA,
        report,
        counts: Counts::of(&report.rows),
        unchecked: Unchecked::of(&report.rows),
        most_expensive: report
            .most_expensive()
            .iter()
            .map(|row| row.model.as_str())
            .collect(),
        models: &report.rows,
    };
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// What is asked of the report in `out`; `cure` says what to do where there is none.
pub(super) fn read<T: DeserializeOwned>(out: &Path, cure: &str) -> Result<T> {
    let path = out.join("report.json");
    let shown = path.display();
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("there is no report of a last run in {shown} {cure}"))?;
    let malformed = || format!("{shown} is not a report {cure}");
    let json: Value = serde_json::from_str(&text).with_context(malformed)?;
    ensure!(
        json["schema"] == SCHEMA,
        "{shown} is of another version of interlock {cure}"
    );
    serde_json::from_value(json).with_context(malformed)
}

#[derive(Deserialize)]
struct Whole {
    #[serde(flatten)]
    report: Report,
    models: Vec<Row>,
}

/// The whole report.
pub(super) fn report(out: &Path, cure: &str) -> Result<Report> {
    let Whole { report, models } = read(out, cure)?;
    Ok(Report {
        rows: models,
        ..report
    })
}
