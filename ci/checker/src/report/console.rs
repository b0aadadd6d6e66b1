//! The report on a terminal: what differs, or every row too.

use std::path::Path;

use comfy_table::{CellAlignment, Table, presets};

use super::counts::{Counts, Unchecked};
use super::{Report, Row, annotation};

/// What is printed: with `verbose` the table of every row; each failure, GitHub's annotations where they are read, and last the
/// counts and what was not checked. `base`, which the rows' files are relative to, is relative to the
/// repository's root; `out` is the folder of the whole report.
pub fn text(report: &Report, base: &Path, out: &Path, verbose: bool) -> String {
    let mut text = String::new();
    let mut line = |line: &str| {
        text += line;
        text.push('\n');
    };
    if verbose {
        line(&table(&report.rows).to_string());
    }
    for row in report.faults() {
        line(&format!("\n{}", row.model));
        for sentence in &row.sentences {
            line(&format!("  {sentence}"));
        }
        if let Some(timeline) = &row.timeline {
            line(&format!("\n{timeline}"));
        }
    }
    for row in report.faults() {
        let told = format!("{}: {}", row.model, row.sentences.join("; "));
        let file = base.join(&row.file).display().to_string();
        if let Some(mark) = annotation(&file, row.line, &row.found, &told) {
            line(&mark);
        }
    }
    for caveat in report.caveats() {
        line(&format!("\n{caveat}"));
    }
    line(&format!(
        "\nThe whole report is {}, .json and .xml",
        out.join("report.md").display()
    ));
    line(&Counts::of(&report.rows).to_string());
    if let Some(unchecked) = Unchecked::sentence(&report.rows) {
        line(&unchecked);
    }
    text
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_header(Row::HEAD);
    for column in table.column_iter_mut().skip(Row::LEFT) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for row in rows {
        table.add_row(row.cells());
    }
    table
}
