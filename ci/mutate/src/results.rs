//! What was found about mutants, kept so that no question is asked twice: a line of JSON a mutant.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::num::NonZero;
use std::path::Path;

use anyhow::{Context, Result};
use interlock_checker::note;
use serde::{Deserialize, Serialize};

use crate::mutant::{Identity, Mutant};

/// The name of the file.
const FILE: &str = "results.ndjson";

/// How a row tells a mutant from what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Another verdict.
    Verdict,
    /// The verdict is the expected one, the number of states is not.
    Count,
    /// An action fires that should not, or does not.
    Coverage,
    /// TLC cannot evaluate it.
    Evaluation,
    /// It has used up many times what the row does, and has not ended.
    Endless,
}

/// A row that a mutant does not get past.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kill {
    /// The model's name.
    pub row: String,
    /// What it has noticed.
    pub how: How,
}

/// What becomes of a mutant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// These rows notice it; the first one alone, unless all were asked.
    Killed(Vec<Kill>),
    /// No row notices it.
    Survived,
    /// It is no TLA+, or more than one formula has changed: not a mutant.
    Refused,
}

/// A mutant and its fate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The digest of all that decides it.
    pub key: String,
    /// The folder of its module.
    pub area: String,
    /// What it is known by.
    pub mutant: Identity,
    /// What became of it.
    pub fate: Fate,
    /// How many runs of TLC that took.
    pub runs: usize,
    /// Whether no row is left that could notice it.
    pub is_whole: bool,
    /// CPU seconds that they took.
    pub cpu: f64,
}

impl Record {
    /// Of a mutant with this key that was shown to nobody yet.
    pub fn new(mutant: &Mutant, key: String, fate: Fate) -> Record {
        Record {
            key,
            area: mutant.area.clone(),
            mutant: mutant.identity.clone(),
            fate,
            runs: 0,
            is_whole: false,
            cpu: 0.0,
        }
    }

    /// Whether nothing else is found by so many runs, or by as many as there are.
    pub fn is_enough(&self, runs: Option<NonZero<usize>>) -> bool {
        let is_over = |runs: NonZero<usize>| self.runs >= runs.get();
        self.fate != Fate::Survived || self.is_whole || runs.is_some_and(is_over)
    }
}

/// What is known, by key, and the file that has it.
#[derive(Debug)]
pub struct Results {
    records: BTreeMap<String, Record>,
    file: File,
}

impl Results {
    /// Those in the folder; a line that a killed run has left unfinished is told of, and not used.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made, or the file cannot be read or written.
    pub fn open(dir: &Path) -> Result<Results> {
        fs::create_dir_all(dir).with_context(|| format!("{} cannot be made", dir.display()))?;
        let path = dir.join(FILE);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        let mut records = BTreeMap::new();
        for (line, text) in text.lines().enumerate() {
            match serde_json::from_str::<Record>(text) {
                Ok(record) => drop(records.insert(record.key.clone(), record)),
                Err(_) => note!("{}:{}: not used: it is cut off", path.display(), line + 1),
            }
        }
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n")?;
        }
        Ok(Results { records, file })
    }

    /// What is known under this key.
    pub fn find(&self, key: &str) -> Option<&Record> {
        self.records.get(key)
    }

    /// All that was ever found, of other questions too.
    pub fn all(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    /// Keeps what was found.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn keep(&mut self, record: Record) -> Result<()> {
        let line = serde_json::to_string(&record)? + "\n";
        self.file
            .write_all(line.as_bytes())
            .context("what was found cannot be kept")?;
        self.records.insert(record.key.clone(), record);
        Ok(())
    }
}
