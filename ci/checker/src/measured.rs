//! What somebody has measured by hand, or a mail reports: `docs/measured/NAME.toml` says what was run, on what and how often, and has the
//! figures of the tables that pages show of it, `<!-- table:measured NAME TABLE -->`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use crate::markdown;
use crate::near::did_you_mean;

/// Where the records are in a clone.
pub const FOLDER: &str = "docs/measured";

/// What stands in a table for what was not run.
const NOT_RUN: &str = "—";

/// Words for what must not happen: a table has them in bold letters.
const LOUD: [&str; 3] = ["lost", "missed", "seen"];

/// One record.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// What was run, and by whom if a mail reports it.
    pub what: String,
    /// On which kernels and machine.
    pub on: String,
    /// How often, and which figure of the runs is given.
    pub often: String,
    /// The kernels that [`did`](Record::did) is of, in its order.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// By what was run, what came of it on each kernel.
    #[serde(default)]
    pub did: BTreeMap<String, Vec<Did>>,
    /// The tables, by their names.
    #[serde(default)]
    pub table: BTreeMap<String, Table>,
}

/// What came of all runs of one kind: `3 lost`, or nothing of what was not run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Did {
    /// How many runs.
    pub runs: u32,
    /// What came of each.
    pub word: String,
}

impl FromStr for Did {
    type Err = String;

    fn from_str(text: &str) -> Result<Did, String> {
        if text.is_empty() {
            return Ok(Did {
                runs: 0,
                word: String::new(),
            });
        }
        let read = text.split_once(' ').and_then(|(runs, word)| {
            Some(Did {
                runs: runs.parse().ok().filter(|runs| *runs > 0)?,
                word: word.to_owned(),
            })
        });
        read.ok_or_else(|| format!("`{text}` is not how many runs and a word (write `3 lost`)"))
    }
}

impl TryFrom<String> for Did {
    type Error = String;

    fn try_from(text: String) -> Result<Did, String> {
        text.parse()
    }
}

impl Did {
    fn cell(&self) -> String {
        match &self.word[..] {
            "" => NOT_RUN.to_owned(),
            word if LOUD.contains(&word) => format!("**{word}**"),
            word => word.to_owned(),
        }
    }
}

/// A table as a page shows it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The columns' headings; of a table by kernel, those before the kernels.
    pub headings: Vec<String>,
    /// The cells. Of a table by kernel the first has the names of what was run.
    pub rows: Vec<Vec<String>>,
    /// Whether columns are added with what [`Record::did`] says; kernels of which it says the same share one.
    #[serde(default)]
    pub by_kernel: bool,
}

impl Record {
    /// The record of this name.
    ///
    /// # Errors
    ///
    /// If there is none, or it is not complete.
    pub fn load(root: &Path, name: &str) -> Result<Record> {
        let path = root.join(FOLDER).join(format!("{name}.toml"));
        let read = || Record::read(&fs::read_to_string(&path)?);
        read().with_context(|| format!("{FOLDER}/{name}.toml"))
    }

    /// A record's text.
    ///
    /// # Errors
    ///
    /// If it says too little.
    pub fn read(text: &str) -> Result<Record> {
        let record: Record = toml::from_str(text)?;
        for (key, says) in [
            ("what", &record.what),
            ("on", &record.on),
            ("often", &record.often),
        ] {
            ensure!(!says.trim().is_empty(), "`{key}` says nothing");
        }
        for (name, did) in &record.did {
            let (is, should) = (did.len(), record.kernels.len());
            ensure!(is == should, "`{name}` has {is} of {should} kernels");
        }
        for (name, table) in &record.table {
            let width = table.headings.len();
            let wrong = table.rows.iter().find(|row| row.len() != width);
            if let Some(row) = wrong {
                bail!("table `{name}`: not {width} cells: {row:?}");
            }
        }
        Ok(record)
    }

    /// What came of it on this kernel.
    pub fn did(&self, run: &str, kernel: &str) -> Option<&Did> {
        let at = self.kernels.iter().position(|known| known == kernel)?;
        self.did.get(run)?.get(at)
    }

    /// A table as Markdown.
    ///
    /// # Errors
    ///
    /// If the record has none of this name, or the table names what was not run.
    pub fn markdown(&self, name: &str) -> Result<String> {
        let Some(table) = self.table.get(name) else {
            let near = did_you_mean(name, self.table.keys().map(String::as_str));
            bail!("it has no table `{name}`{near}");
        };
        if !table.by_kernel {
            let headings: Vec<&str> = table.headings.iter().map(String::as_str).collect();
            return Ok(markdown::table(
                &headings,
                headings.len(),
                table.rows.clone(),
            ));
        }
        let found = table.rows.iter().map(|row| self.found(&row[0]));
        let found = found.collect::<Result<Vec<_>>>()?;
        // Neighbours of which every row says the same are one column.
        let kernels: Vec<usize> = (0..self.kernels.len()).collect();
        let alike = |one: &usize, next: &usize| found.iter().all(|did| did[*one] == did[*next]);
        let columns: Vec<&[usize]> = kernels.chunk_by(alike).collect();
        let shared = columns.iter().map(|column| {
            let kernels = column.iter().map(|at| &self.kernels[*at][..]);
            kernels.collect::<Vec<_>>().join(", ")
        });
        let headings: Vec<String> = table.headings.iter().cloned().chain(shared).collect();
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let rows = table.rows.iter().zip(&found).map(|(row, did)| {
            let names = row[0].split(", ").map(|name| format!("`{name}`"));
            let names = names.collect::<Vec<_>>().join(", ");
            let did = columns.iter().map(|column| did[column[0]].clone());
            [names]
                .into_iter()
                .chain(row[1..].iter().cloned())
                .chain(did)
                .collect()
        });
        Ok(markdown::table(&headings, headings.len(), rows))
    }

    /// What all of these came to on each kernel.
    fn found(&self, names: &str) -> Result<Vec<String>> {
        let mut cells: Option<Vec<String>> = None;
        for name in names.split(", ") {
            let did = self.did.get(name);
            let did = did.with_context(|| format!("nothing says what `{name}` did"))?;
            let these: Vec<String> = did.iter().map(Did::cell).collect();
            if cells.as_ref().is_some_and(|cells| *cells != these) {
                bail!("a row has {names}, which did not do the same");
            }
            cells = Some(these);
        }
        cells.with_context(|| format!("`{names}` names nothing"))
    }
}

/// The table that a page's marker names: a record and its table.
pub(crate) fn table(root: &Path, named: &str) -> Result<String, String> {
    let Some((record, table)) = named.split_once(' ') else {
        return Err(format!(
            "`{named}` is no record and its table (write `<!-- table:measured RECORD TABLE -->`)"
        ));
    };
    let made = Record::load(root, record).and_then(|record| record.markdown(table));
    made.map_err(|error| format!("{record}: {error:#} (correct the marker, or {FOLDER})"))
}
