//! What was found about mutants, kept so that no question is asked twice: a line of JSON a mutant.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use interlock_checker::note;
use serde::{Deserialize, Serialize};

use crate::mutant::{Identity, Mutant};

/// The name of the file.
const FILE: &str = "answers.ndjson";

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
    /// The engine cannot evaluate it, or finds that it has no type.
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
    /// The digest of the ask that it is of.
    pub ask: String,
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
    /// The digests of the asks that did not notice it.
    pub passed: BTreeSet<String>,
    /// Those of asks that do not evaluate the formula, and were not run.
    pub unread: BTreeSet<String>,
    /// CPU seconds that the runs took.
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
            passed: BTreeSet::new(),
            unread: BTreeSet::new(),
            cpu: 0.0,
        }
    }

    /// Who has noticed it.
    pub fn kills(&self) -> &[Kill] {
        match &self.fate {
            Fate::Killed(kills) => kills,
            Fate::Survived | Fate::Refused => &[],
        }
    }

    /// How many runs were needed.
    pub fn runs(&self) -> usize {
        self.passed.len() + self.kills().len()
    }

    /// Whether this ask's answer is known.
    pub fn has(&self, ask: &str) -> bool {
        let noticed = self.kills().iter().any(|kill| kill.ask == ask);
        noticed || self.passed.contains(ask) || self.unread.contains(ask)
    }

    /// What these asks have found of it, and no others.
    pub fn of(&self, asks: &BTreeSet<&str>) -> Record {
        let mut record = self.clone();
        record.passed.retain(|ask| asks.contains(ask.as_str()));
        record.unread.retain(|ask| asks.contains(ask.as_str()));
        if let Fate::Killed(kills) = &mut record.fate {
            kills.retain(|kill| asks.contains(kill.ask.as_str()));
            if kills.is_empty() {
                record.fate = Fate::Survived;
            }
        }
        record
    }

    /// What is found of it besides.
    fn merge(&mut self, other: Record) {
        self.passed.extend(other.passed);
        self.unread.extend(other.unread);
        self.cpu = other.cpu;
        match (&mut self.fate, other.fate) {
            (Fate::Killed(known), Fate::Killed(kills)) => {
                let is_new = |kill: &Kill| !known.contains(kill);
                let new: Vec<Kill> = kills.into_iter().filter(is_new).collect();
                known.extend(new);
            }
            (_, Fate::Survived) => {}
            (fate, other) => *fate = other,
        }
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
                Ok(record) => add(&mut records, record),
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
        add(&mut self.records, record);
        Ok(())
    }
}

fn add(records: &mut BTreeMap<String, Record>, record: Record) {
    match records.entry(record.key.clone()) {
        Entry::Vacant(entry) => drop(entry.insert(record)),
        Entry::Occupied(mut entry) => entry.get_mut().merge(record),
    }
}
