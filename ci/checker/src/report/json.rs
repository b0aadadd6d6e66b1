//! The report for programs. Its fields are those of [`Report`] and [`Row`], and what follows from them.

use anyhow::Result;
use serde::Serialize;

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
