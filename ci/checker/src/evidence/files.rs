//! The files that a program leaves in the folder of its run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::entry::Entry;
use crate::process::End;

/// What a run writes.
#[derive(Debug)]
pub struct Files {
    /// Standard output.
    pub stdout: PathBuf,
    /// Standard error.
    pub stderr: PathBuf,
    /// The steps that TLC explores, if it is asked for them.
    pub edges: Option<PathBuf>,
}

impl Files {
    /// Their places in a run's folder.
    pub fn of(dir: &Path, edges: bool) -> Files {
        Files {
            stdout: dir.join("stdout.txt"),
            stderr: dir.join("stderr.txt"),
            edges: edges.then(|| dir.join("edges.txt")),
        }
    }

    /// Writes them as they were.
    ///
    /// # Errors
    ///
    /// When one of them cannot be written.
    pub fn restore(&self, entry: &Entry) -> Result<()> {
        write(&self.stdout, &entry.stdout)?;
        write(&self.stderr, &entry.stderr)?;
        match (&self.edges, &entry.edges) {
            (Some(path), Some(edges)) => write(path, edges),
            _ => Ok(()),
        }
    }

    /// What is to be kept of a run that ended so; `None` if it was killed.
    ///
    /// # Errors
    ///
    /// When one of them cannot be read.
    pub fn entry(&self, end: End) -> Result<Option<Entry>> {
        let read = |path: &Path| {
            fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
        };
        let edges = self.edges.as_deref().filter(|edges| edges.is_file());
        let edges = edges.map(read).transpose()?;
        Ok(Entry::new(
            end,
            read(&self.stdout)?,
            read(&self.stderr)?,
            edges,
        ))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}
