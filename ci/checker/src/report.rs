//! What a check found: for a terminal, and as `report.json`, `report.xml` (JUnit) and `report.md`, which all have the same rows.

pub mod console;
pub mod counts;
mod json;
mod junit;
pub mod last;
mod markdown;
pub mod page;
pub mod row;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::commit::Commit;
use crate::engines::Tools;
use crate::manifest::{Engine, Lane};
use crate::toolchain::{Jar, Program};
pub use row::{Row, Status};

/// How far the run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It goes on, or was killed: nothing is known of its rows.
    Running,
    /// Every row was judged, but those whose engine is not here.
    Complete,
    /// A signal ended it: some rows are not judged.
    Interrupted,
    /// The first row that was not as expected ended it: some rows may not be judged.
    Stopped,
}

/// Which models were asked for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Asked {
    /// The lane, if one was.
    pub lane: Option<Lane>,
    /// The engine, if one was.
    pub engine: Option<Engine>,
    /// Areas.
    pub areas: Vec<String>,
    /// Names, and patterns of names.
    pub names: Vec<String>,
    /// The shard, as `1/3`.
    pub shard: Option<String>,
    /// Only those that were not as expected in the run before.
    pub failed: bool,
}

/// What a check found.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Report {
    /// How far it came.
    pub state: State,
    /// When it started: date and time, UTC.
    pub started: String,
    /// The commit that the clone stands at.
    pub commit: Option<Commit>,
    /// The directory of the specifications and their claims.
    pub specs: PathBuf,
    /// What was asked for.
    pub request: Asked,
    /// How many models ran at once.
    pub jobs: usize,
    /// The Java that TLC ran on.
    pub java: Option<Program>,
    /// TLC's jar.
    pub jar: Option<Jar>,
    /// Wall time in seconds.
    pub seconds: f64,
    /// A row a model, in the manifest's order; `models` in JSON.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

/// So many rows are listed by their cost.
const EXPENSIVE: usize = 10;

impl Report {
    /// The report of a run that starts now, whose rows are not judged.
    pub fn start(
        commit: Option<Commit>,
        specs: &Path,
        request: Asked,
        jobs: usize,
        tools: &Tools,
        rows: Vec<Row>,
    ) -> Report {
        Report {
            state: State::Running,
            started: chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
            commit,
            specs: specs.to_owned(),
            request,
            jobs,
            java: tools.tlc.as_ref().map(|tlc| tlc.java.clone()),
            jar: tools.tlc.as_ref().map(|tlc| tlc.jar.clone()),
            seconds: 0.0,
            rows,
        }
    }

    /// The last run that wrote into `out`.
    ///
    /// # Errors
    ///
    /// When there is none, or what is there is of another version.
    pub fn read(out: &Path) -> Result<Report> {
        json::report(out, "(run `interlock check` first)")
    }

    /// The same run at its end.
    #[must_use]
    pub fn end(self, state: State, took: Duration, rows: Vec<Row>) -> Report {
        Report {
            state,
            seconds: took.as_secs_f64(),
            rows,
            ..self
        }
    }

    /// The rows that are not as they should be.
    pub fn faults(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.status.is_fault())
    }

    /// The rows that cost most, the most expensive first.
    pub fn most_expensive(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().filter(|row| row.cost() > 0.0).collect();
        rows.sort_by(|a, b| b.cost().total_cmp(&a.cost()));
        rows.truncate(EXPENSIVE);
        rows
    }

    /// Why it says less than was asked for: the run's early end, and each engine that is not here.
    fn caveats(&self) -> Vec<String> {
        let early = match self.state {
            State::Complete => None,
            State::Running => Some("RUNNING, or killed: nothing was judged yet"),
            State::Interrupted => Some("INTERRUPTED: what was judged before is here"),
            State::Stopped => Some("STOPPED at the first model that is not as expected"),
        };
        let not_run = self.rows.iter().filter(|row| row.status == Status::NotRun);
        let why: BTreeSet<&str> = not_run
            .flat_map(|row| row.sentences.iter().map(String::as_str))
            .collect();
        let why = why.into_iter().map(|why| format!("NOT RUN: {why}"));
        early.map(str::to_owned).into_iter().chain(why).collect()
    }

    /// Puts a `report.json` in place that says `running`, and removes the other reports of an earlier run: should this one be killed,
    /// nothing there looks like its result.
    ///
    /// # Errors
    ///
    /// When that cannot be written; those of the earlier run are then as they were.
    pub fn announce(&self, out: &Path) -> Result<()> {
        replace(out, &[("report.json", json::text(self)?)])?;
        for name in ["report.xml", "report.md"] {
            let path = out.join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(error)
                        .with_context(|| format!("{} cannot be removed", path.display()));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes the reports into `out`.
    ///
    /// # Errors
    ///
    /// When one of them cannot be written; those that are there are then as they were.
    pub fn write(&self, out: &Path) -> Result<()> {
        let reports = [
            ("report.xml", junit::text(self)?),
            ("report.md", markdown::text(self)),
            ("report.json", json::text(self)?),
        ];
        replace(out, &reports)
    }
}

/// Puts whole texts in place of files: all of them, as far as a full disk is concerned, or none.
fn replace(out: &Path, reports: &[(&str, String)]) -> Result<()> {
    let new = |name: &str| out.join(format!("{name}.new"));
    for (name, text) in reports {
        fs::write(new(name), text).with_context(|| {
            for (name, _) in reports {
                let _ = fs::remove_file(new(name));
            }
            format!("{} cannot be written", out.join(name).display())
        })?;
    }
    for (name, _) in reports {
        let path = out.join(name);
        fs::rename(new(name), &path)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
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
