//! What the last check in a folder found.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, ensure};
use serde::Deserialize;

use super::{State, Status, json};

/// The part of a `report.json` that the next check needs.
#[derive(Debug, Deserialize)]
pub struct Last {
    /// When it started.
    pub started: String,
    state: State,
    request: Asked,
    models: Vec<Judged>,
}

#[derive(Debug, Deserialize)]
struct Asked {
    failed: bool,
}

#[derive(Debug, Deserialize)]
struct Judged {
    model: String,
    status: Status,
}

impl Last {
    /// Reads the report in `out`.
    ///
    /// # Errors
    ///
    /// When there is none, it is of another version, or its run was killed before it could write down what it had judged.
    pub fn read(out: &Path) -> Result<Last> {
        let cure = "(run `interlock check` without --failed first)";
        let last: Last = json::read(out, cure)?;
        ensure!(
            last.state != State::Running || last.request.failed,
            "the last run, of {}, was killed before it could say what failed {cure}",
            last.started
        );
        Ok(last)
    }

    /// The models that were not as expected. A run of `--failed` was to judge such models alone: of those that it did not get to,
    /// none is known to be as expected.
    pub fn failed(&self) -> BTreeSet<&str> {
        let failed = |judged: &&Judged| {
            let unknown = judged.status == Status::NotJudged && self.request.failed;
            judged.status.is_fault() || unknown
        };
        let failed = self.models.iter().filter(failed);
        failed.map(|judged| judged.model.as_str()).collect()
    }
}
