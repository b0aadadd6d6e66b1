//! The report for people: what differs first, then every row.

use super::counts::{Counts, Unchecked};
use super::{Report, Row};
use crate::markdown;

pub(super) fn text(report: &Report) -> String {
    let mut text = format!("**{}**\n", Counts::of(&report.rows));
    for line in report.caveats() {
        text += &format!("\n{line}\n");
    }
    for row in report.faults() {
        text += &format!("\n### {}\n\n", row.model);
        for sentence in &row.sentences {
            text += &format!("- {sentence}\n");
        }
        if let Some(timeline) = &row.timeline {
            text += &format!("\n```text\n{timeline}\n```\n");
        }
    }
    let table = |rows: &mut dyn Iterator<Item = &Row>| {
        markdown::table(&Row::HEAD, Row::LEFT, rows.map(|row| row.cells().into()))
    };
    text += "\n### The most expensive\n\n";
    text += &table(&mut report.most_expensive().into_iter());
    text += "\n### Every model\n\n";
    text += &table(&mut report.rows.iter());
    if let Some(unchecked) = Unchecked::sentence(&report.rows) {
        text += &format!("\n**{unchecked}**\n");
    }
    text
}
