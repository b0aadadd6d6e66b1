//! `models.lock`: what runs of an area's models have counted, a line a model, in the order of their names.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;
use toml::Spanned;

use super::source::Source;

/// The lock's name, in the area's folder.
pub const LOCK: &str = "models.lock";

const HEAD: &str = "\
# What runs of this folder's models.toml have counted: states of the whole graph (distinct, and total with duplicates), states of
# the counterexample (witness). Written by `interlock check --bless MODEL`, reviewed as a diff.
";

/// What a run counts that is the same each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Distinct states of the whole state graph.
    pub distinct: Option<u64>,
    /// States generated, duplicates included.
    pub total: Option<u64>,
    /// States in the counterexample.
    pub witness: Option<usize>,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let counts = [
            ("distinct", self.distinct),
            ("total", self.total),
            ("witness", self.witness.map(|states| states as u64)),
        ];
        let counts = counts.into_iter();
        let counts = counts.filter_map(|(name, count)| Some(format!("{name} = {}", count?)));
        let counts: Vec<_> = counts.collect();
        write!(f, "{{ {} }}", counts.join(", "))
    }
}

/// An area's lock: by the models' names, the counts and the line, from 1.
pub type Lock = BTreeMap<String, (Counts, usize)>;

/// Reads the lock at `path`; empty when there is none.
pub(super) fn read(path: &Path) -> anyhow::Result<Lock> {
    if !path.exists() {
        return Ok(Lock::new());
    }
    let source = Source::read(path)?;
    let cure = "restore it, or remove it and run `interlock check --bless`";
    let lines: BTreeMap<String, Spanned<Counts>> = source.parse(cure)?;
    let lines = lines.into_iter();
    let lines = lines.map(|(name, counts)| {
        let line = source.line(&counts.span());
        (name, (counts.into_inner(), line))
    });
    Ok(lines.collect())
}

/// An area's lock, which nobody else changes meanwhile.
#[derive(Debug)]
pub struct Alone {
    path: PathBuf,
    /// The table beside it: the lock itself is replaced as a file.
    _table: File,
}

impl Alone {
    /// Waits until nobody else has the lock of the area in `directory`.
    ///
    /// # Errors
    ///
    /// When the area's table cannot be opened or locked.
    pub fn in_area(directory: &Path) -> anyhow::Result<Alone> {
        let table = directory.join(super::CLAIMS);
        let locked = File::open(&table).and_then(|file| file.lock().map(|()| file));
        Ok(Alone {
            path: directory.join(LOCK),
            _table: locked.with_context(|| format!("{} cannot be locked", table.display()))?,
        })
    }

    /// What the lock says.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(&self) -> anyhow::Result<Lock> {
        read(&self.path)
    }

    /// Writes it, the whole file at once.
    ///
    /// # Errors
    ///
    /// When it cannot be written; the lock is then as it was.
    pub fn write(&self, counts: &BTreeMap<&str, Counts>) -> anyhow::Result<()> {
        let mut text = HEAD.to_owned();
        for (name, counts) in counts {
            text += &format!("{name} = {counts}\n");
        }
        let new = self.path.with_added_extension("new");
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &self.path))
            .inspect_err(|_| drop(fs::remove_file(&new)))
            .with_context(|| format!("{} cannot be written", self.path.display()))
    }
}
