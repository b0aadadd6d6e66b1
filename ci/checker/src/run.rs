//! What a run of any engine leaves.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::verdict::Verdict;
use interlock_tla::counterexample::Counterexample;

/// What a run leaves.
#[derive(Debug)]
pub struct Run {
    /// What it found.
    pub verdict: Verdict,
    /// The states of its counterexample, if it says how many.
    pub witness: Option<usize>,
    /// The counterexample, if it can be shown.
    pub counterexample: Option<Counterexample>,
    /// Its directory: what the engine was given, its standard output and error.
    pub dir: PathBuf,
    /// The steps that TLC explored, with their arguments, if they were asked for.
    pub edges: Option<PathBuf>,
}

impl Run {
    /// What each of so many models has of a run that they share: what it found, and its part of the cost.
    #[must_use]
    pub fn shared_by(mut self, models: usize) -> Run {
        let models = u32::try_from(models).unwrap_or(u32::MAX);
        self.verdict.took /= models;
        self.verdict.cpu /= models;
        self
    }
}

/// Removes what an earlier run has left.
///
/// # Errors
///
/// When something of it cannot be removed.
pub fn clear(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", dir.display()))
        }
        _ => Ok(()),
    }
}

pub(crate) fn create(path: &Path) -> Result<File> {
    File::create(path).with_context(|| format!("{} cannot be written", path.display()))
}

/// An engine's output may hold anything: what is not UTF-8 is replaced.
pub(crate) fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
