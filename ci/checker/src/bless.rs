//! `interlock check --bless`: writes what runs have counted into the areas' locks.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::manifest::counts::{self, Counts};
use crate::manifest::{Engine, Expect, Kind, Manifest, Model};
use crate::verdict::Verdict;

/// What a run with the expected verdict has counted that belongs into the lock; `None` of a second opinion on TLC's own row, which
/// has that row's counts. `pinned` is whether the jar is the pinned one: which lasso another version finds is its choice, and stays
/// as it was.
pub fn measured(
    model: &Model,
    verdict: &Verdict,
    witness: Option<usize>,
    pinned: bool,
) -> Option<Counts> {
    let lasso = matches!(
        model.expect,
        Expect::Violates {
            kind: Kind::Temporal,
            ..
        }
    );
    let totals = verdict
        .totals
        .filter(|_| model.counts_graph() && verdict.complete());
    let witness = if lasso && !pinned {
        model.witness
    } else {
        witness
    };
    let counts = Counts {
        distinct: totals.map(|totals| totals.distinct),
        total: totals.map(|totals| totals.total),
        witness: witness.filter(|_| model.counts_trace()),
    };
    (model.engine != Engine::TlaChecker).then_some(counts)
}

/// Writes the locks of the areas in which `measured` models are: their counts, the other lines as they are in the file by now, and no
/// line of a model that is there no more. Others that bless meanwhile wait. Returns what has changed, a sentence a line.
///
/// # Errors
///
/// When a lock cannot be read or written.
pub fn write(manifest: &Manifest, measured: &BTreeMap<&str, Counts>) -> Result<Vec<String>> {
    let mut changes = Vec::new();
    let is_measured = |model: &&Model| measured.contains_key(model.name.as_str());
    let blessed = manifest.models.iter().filter(is_measured);
    let areas: BTreeSet<&str> = blessed.map(|model| model.area.as_str()).collect();
    for area in areas {
        let alone = counts::Alone::in_area(&manifest.specs.join(area))?;
        let lock = alone.read()?;
        let old: BTreeMap<&str, Counts> = lock
            .iter()
            .map(|(name, (counts, _))| (name.as_str(), *counts))
            .collect();
        // What somebody else has added since this run has read the table.
        let added = old
            .iter()
            .filter(|(name, _)| !manifest.locks[area].contains_key(**name));
        let mut new: BTreeMap<&str, Counts> =
            added.map(|(name, counts)| (*name, *counts)).collect();
        let models = manifest.models.iter();
        for model in models.filter(|model| model.area == area && model.engine != Engine::TlaChecker)
        {
            let name = model.name.as_str();
            let counts = measured.get(name).or_else(|| old.get(name)).copied();
            new.insert(name, counts.unwrap_or_default());
        }
        new.retain(|_, counts| *counts != Counts::default());
        let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
        let before = changes.len();
        for name in names {
            let line = |of: Option<&Counts>| of.map_or("nothing".into(), Counts::to_string);
            let (was, is) = (old.get(name), new.get(name));
            if was != is {
                changes.push(format!("{name}: {} was {}", line(is), line(was)));
            }
        }
        if changes.len() > before {
            alone.write(&new)?;
        }
    }
    Ok(changes)
}
