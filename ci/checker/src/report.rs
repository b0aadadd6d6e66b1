//! What a check prints and writes: the table, and reports for machines and people.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::engines::Tools;
use crate::judge;
use crate::manifest::Model;
use crate::manifest::counts::Counts;

/// How a row ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Verdict, name, counts and coverage are the manifest's.
    AsExpected,
    /// Something of these is not.
    Unexpected,
    /// Its budget was used up.
    Inconclusive,
    /// There is no verdict.
    Error,
    /// Its engine is not here.
    NotRun,
}

/// One model's result.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Row {
    /// The model's name.
    pub model: String,
    /// Its area.
    pub area: String,
    /// Its design.
    pub design: String,
    /// Its size.
    pub size: String,
    /// The file that claims it, relative to the directory that `specs` lies in.
    pub file: String,
    /// Its line in `file`.
    pub line: usize,
    /// How it ended.
    pub status: Status,
    /// The verdict that the manifest expects.
    pub expected: String,
    /// The verdict found.
    pub found: String,
    /// Distinct states.
    pub distinct: Option<u64>,
    /// States generated.
    pub total: Option<u64>,
    /// States of the counterexample.
    pub witness: Option<usize>,
    /// Wall time in seconds.
    pub seconds: f64,
    /// What is not as expected; none if all is.
    pub sentences: Vec<String>,
    /// The timeline of a counterexample that was not expected.
    pub timeline: Option<String>,
    /// The most memory that the engine had resident, in MiB; 0 if that is not known.
    pub mebibytes: u64,
    /// How many runs it took: a lasso that TLC fails to write down is asked for again.
    pub runs: u32,
    /// The engine and its version.
    pub tool: Option<String>,
    /// What `--bless` writes into the lock.
    #[serde(skip)]
    pub counts: Option<Counts>,
    /// Where the run's files are.
    pub dir: PathBuf,
}

impl Row {
    /// The row of a model that has no verdict yet.
    pub fn new(model: &Model, took: Duration) -> Row {
        Row {
            model: model.name.clone(),
            area: model.area.clone(),
            design: model.design.clone(),
            size: model.size.clone(),
            file: model.file.clone(),
            line: model.line,
            status: Status::Error,
            expected: judge::expected(&model.expect),
            found: String::new(),
            distinct: None,
            total: None,
            witness: None,
            seconds: took.as_secs_f64(),
            sentences: Vec::new(),
            timeline: None,
            mebibytes: 0,
            runs: 1,
            tool: None,
            counts: None,
            dir: PathBuf::new(),
        }
    }

    /// The row of a model whose engine is not here.
    pub fn not_run(model: &Model, why: &str) -> Row {
        Row {
            status: Status::NotRun,
            found: "NOT RUN".into(),
            sentences: vec![why.to_owned()],
            ..Row::new(model, Duration::ZERO)
        }
    }

    /// Adds what is not as expected, if anything is.
    pub fn add_fault(&mut self, fault: Option<String>) {
        if let Some(fault) = fault {
            self.sentences.push(fault);
            if self.status == Status::AsExpected {
                self.status = Status::Unexpected;
            }
        }
    }

    /// Whether it was run, and is not as it should be.
    pub fn is_fault(&self) -> bool {
        !matches!(self.status, Status::AsExpected | Status::NotRun)
    }

    fn cells(&self) -> [String; 8] {
        let number =
            |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
        [
            self.model.clone(),
            self.expected.clone(),
            match (self.status, self.runs) {
                (Status::AsExpected, 1) => "as expected".into(),
                (Status::AsExpected, runs) => format!("as expected, run {runs}"),
                _ => self.found.clone(),
            },
            number(self.distinct),
            number(self.total),
            number(self.witness.map(|states| states as u64)),
            format!("{:.1}", self.seconds),
            number(Some(self.mebibytes).filter(|mebibytes| *mebibytes > 0)),
        ]
    }
}

const HEAD: [&str; 8] = [
    "model", "expected", "found", "distinct", "total", "witness", "s", "MiB",
];

/// `104 as expected, 0 not, 0 inconclusive, 0 errors`, and `, 3 not run` if there are any.
pub fn counts(rows: &[Row]) -> String {
    let count = |status| rows.iter().filter(|row| row.status == status).count();
    let not_run = match count(Status::NotRun) {
        0 => String::new(),
        models => format!(", {models} not run"),
    };
    format!(
        "{} as expected, {} not, {} inconclusive, {} errors{not_run}",
        count(Status::AsExpected),
        count(Status::Unexpected),
        count(Status::Inconclusive),
        count(Status::Error),
    )
}

/// What is printed: the table, each failure, GitHub's annotations where they are read, and the counts. `base`, which the rows'
/// files are relative to, is relative to the repository's root.
pub fn text(base: &Path, rows: &[Row]) -> String {
    let mut text = String::new();
    let mut line = |line: String| text += &(line + "\n");
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_header(HEAD);
    for index in 3..HEAD.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in rows {
        table.add_row(row.cells());
    }
    line(table.to_string());
    for row in failures(rows) {
        line(format!("\n{}", row.model));
        for sentence in &row.sentences {
            line(format!("  {sentence}"));
        }
        if let Some(timeline) = &row.timeline {
            line(format!("\n{timeline}"));
        }
    }
    for row in failures(rows) {
        let told = format!("{}: {}", row.model, row.sentences.join("; "));
        let file = base.join(&row.file).display().to_string();
        if let Some(mark) = annotation(&file, row.line, &row.found, &told) {
            line(mark);
        }
    }
    for why in reasons(rows) {
        line(format!("\nNOT RUN: {why}"));
    }
    line(format!("\n{}", counts(rows)));
    text
}

/// Why models were not run, each reason once.
fn reasons(rows: &[Row]) -> BTreeSet<&str> {
    let not_run = rows.iter().filter(|row| row.status == Status::NotRun);
    not_run
        .flat_map(|row| row.sentences.iter().map(String::as_str))
        .collect()
}

fn failures(rows: &[Row]) -> impl Iterator<Item = &Row> {
    rows.iter().filter(|row| row.is_fault())
}

/// What marks a line of a file (relative to the repository's root) where GitHub Actions shows it; elsewhere nothing does.
pub fn annotation(file: &str, line: usize, title: &str, text: &str) -> Option<String> {
    let shown = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    shown.then(|| {
        let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
        let (file, title, text) = (property(file), property(title), escape(text));
        format!("::error file={file},line={line},title={title}::{text}")
    })
}

/// A workflow command ends with its line.
fn escape(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Writes `report.xml` (JUnit), `report.json` and `report.md` into `out`.
///
/// # Errors
///
/// When one of them cannot be written; those of an earlier run are then as they were.
pub fn write(out: &Path, specs: &Path, tools: &Tools, rows: &[Row], took: Duration) -> Result<()> {
    let reports = [
        ("report.xml", junit(rows, took)?),
        ("report.json", json(specs, tools, rows, took)?),
        ("report.md", markdown(rows)),
    ];
    let reports = reports.map(|(name, text)| (out.join(name), text));
    let new = |path: &Path| path.with_added_extension("new");
    // All of them whole, as far as a full disk is concerned, before one takes the place of an earlier run's.
    for (path, text) in &reports {
        fs::write(new(path), text).with_context(|| {
            for (path, _) in &reports {
                let _ = fs::remove_file(new(path));
            }
            format!("{} cannot be written", path.display())
        })?;
    }
    for (path, _) in &reports {
        fs::rename(new(path), path)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn junit(rows: &[Row], took: Duration) -> Result<String> {
    let mut report = quick_junit::Report::new("interlock check");
    report.set_time(took);
    let mut areas: Vec<&str> = rows.iter().map(|row| row.area.as_str()).collect();
    areas.dedup();
    for area in areas {
        let mut suite = TestSuite::new(area);
        for row in rows.iter().filter(|row| row.area == area) {
            let mut case = TestCase::new(row.model.as_str(), status(row));
            case.set_classname(format!("{area}.{}", row.design))
                .set_time(Duration::from_secs_f64(row.seconds));
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    report
        .to_string()
        .context("the JUnit report cannot be made")
}

fn status(row: &Row) -> TestCaseStatus {
    let kind = match row.status {
        Status::AsExpected => return TestCaseStatus::success(),
        Status::NotRun => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(row.sentences.join("; "));
            return status;
        }
        Status::Unexpected => NonSuccessKind::Failure,
        Status::Inconclusive | Status::Error => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    let timeline = row.timeline.as_deref().unwrap_or_default();
    status
        .set_message(row.sentences.join("; "))
        .set_description(timeline);
    status
}

fn json(specs: &Path, tools: &Tools, rows: &[Row], took: Duration) -> Result<String> {
    let report = serde_json::json!({
        "specs": specs,
        "java": tools.tlc.as_ref().map(|tlc| &tlc.java),
        "jar": tools.tlc.as_ref().map(|tlc| &tlc.jar),
        "summary": counts(rows),
        "seconds": took.as_secs_f64(),
        "models": rows,
    });
    Ok(serde_json::to_string_pretty(&report)? + "\n")
}

fn markdown(rows: &[Row]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = format!("**{}**\n\n", counts(rows));
    text += &line(&HEAD.map(String::from));
    text += "|---|---|---|--:|--:|--:|--:|--:|\n";
    for row in rows {
        text += &line(&row.cells());
    }
    for row in failures(rows) {
        text += &format!("\n### {}\n\n", row.model);
        for sentence in &row.sentences {
            text += &format!("- {sentence}\n");
        }
        if let Some(timeline) = &row.timeline {
            text += &format!("\n```text\n{timeline}\n```\n");
        }
    }
    for why in reasons(rows) {
        text += &format!("\nNot run: {why}\n");
    }
    text
}
