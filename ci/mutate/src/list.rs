//! `specs/AREA/mutants.toml`: mutants that no row kills, and why that is well.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::mutant::{Identity, Mutant};

/// The list's name, in its area's folder.
pub const LIST: &str = "mutants.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    survive: Vec<Entry>,
}

/// Mutants that survive for one reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    reason: String,
    /// These.
    #[serde(default)]
    mutants: Vec<Identity>,
    /// All that make a definition of this name weaker.
    weaker: Option<String>,
}

/// The mutants of an area that may survive, each with its reason.
#[derive(Debug, Default)]
pub struct List(BTreeMap<Identity, String>);

impl List {
    /// The list of the area in `folder`; empty if there is none. `mutants` are those that the area has.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is malformed; when a reason is missing, a mutant is listed twice, or there is no such mutant.
    pub fn read(folder: &Path, mutants: &[Mutant]) -> Result<List> {
        let path = folder.join(LIST);
        if !path.exists() {
            return Ok(List::default());
        }
        let shown = path.display();
        let text = fs::read_to_string(&path).with_context(|| format!("{shown} cannot be read"))?;
        let file: File = toml::from_str(&text)
            .with_context(|| format!("{shown} is no list (CONTRIBUTING.md shows one)"))?;
        let there: BTreeSet<&Identity> = mutants.iter().map(|mutant| &mutant.identity).collect();
        let mut list = BTreeMap::new();
        for entry in file.survive {
            if entry.reason.trim().is_empty() {
                bail!("{shown}: an entry has no reason (say why a row cannot notice)");
            }
            for mutant in &entry.mutants {
                if !there.contains(mutant) {
                    bail!("{shown}: there is no mutant {mutant} (remove it, or correct it)");
                }
            }
            let mut listed = entry.mutants;
            if let Some(definition) = &entry.weaker {
                let weaker = mutants
                    .iter()
                    .filter(|mutant| mutant.is_weaker && mutant.identity.definition == *definition);
                let before = listed.len();
                listed.extend(weaker.map(|mutant| mutant.identity.clone()));
                if listed.len() == before {
                    bail!(
                        "{shown}: no mutant makes {definition} weaker (remove it, or correct it)"
                    );
                }
            }
            for mutant in listed {
                if list.insert(mutant.clone(), entry.reason.clone()).is_some() {
                    bail!("{shown}: {mutant} is listed twice (remove one)");
                }
            }
        }
        Ok(List(list))
    }

    /// Why the mutant may survive, if it may.
    pub fn reason(&self, mutant: &Identity) -> Option<&str> {
        self.0.get(mutant).map(String::as_str)
    }
}

/// The mutant as the list has it.
pub fn line(mutant: &Identity) -> Result<String> {
    let value = toml::Value::try_from(mutant)?;
    let table = value.as_table().context("a mutant is a table")?;
    let pairs = ["module", "in", "operator", "from", "to", "nth"];
    let pairs = pairs
        .iter()
        .filter_map(|key| Some(format!("{key} = {}", quoted(table.get(*key)?))));
    Ok(format!(
        "  {{ {} }},\n",
        pairs.collect::<Vec<_>>().join(", ")
    ))
}

/// TLA+ is full of backslashes, which single quotes leave alone.
fn quoted(value: &toml::Value) -> String {
    match value.as_str() {
        Some(text) if !text.contains('\'') => format!("'{text}'"),
        Some(text) if !text.contains("'''") && !text.ends_with('\'') => format!("'''{text}'''"),
        _ => value.to_string(),
    }
}
