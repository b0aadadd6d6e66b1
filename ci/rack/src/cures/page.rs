//! `docs/cures.md`: the record as a page.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use interlock_checker::markdown;
use interlock_checker::whole::write_whole;

use super::record::{Asked, Built, Record};
use super::{costs, herds};
use crate::cure::{self, Table};

pub(super) const NOTHING: &str = "—";

/// Writes it.
///
/// # Errors
/// If it cannot be written, or the table of cures is none.
pub fn write(root: &Path, record: &Record) -> Result<()> {
    write_whole(&root.join("docs"), "cures.md", text(record, &cure::all()?))
}

/// The page.
pub fn text(record: &Record, known: &Table) -> String {
    let mut text = String::from(HEAD);
    for (version, built) in &record.sources {
        let cures: Vec<(&str, &Built)> = known
            .cures
            .iter()
            .filter_map(|cure| Some((&cure.name[..], built.get(&cure.name)?)))
            .collect();
        let releases: BTreeSet<&str> = cures.iter().map(|(_, did)| &did.release[..]).collect();
        let releases: Vec<&str> = releases.into_iter().collect();
        let _ = write!(text, "\n## {version}: {}\n", releases.join(", "));
        let plan = |did: &Built, name: &str| did.plans.get(name).map(cell);
        text += &table("\n", "plan", &cures, |did| did.plans.keys().collect(), plan);
        text += &programs(&cures);
        text += &costs::text(&cures, heading);
        let paced = known.source(version).is_ok_and(|source| source.paced);
        text += &herds::text(&cures, paced);
        text += &spoken(&cures);
        let mut notes = Vec::new();
        for (name, did) in &cures {
            let not_run = did.not_run.iter();
            notes.extend(not_run.map(|(what, why)| format!("{name}: `{what}` was not run: {why}")));
            let complaints = did.complaints.iter();
            notes.extend(complaints.map(|line| format!("{name}: the kernel complains: {line}")));
        }
        text += &list(&notes);
    }
    text
}

/// Below a text a column for each cure of which there is something, and a row for each thing; nothing at all, if there is none.
fn table(
    above: &str,
    first: &str,
    cures: &[(&str, &Built)],
    names: fn(&Built) -> BTreeSet<&String>,
    cell: impl Fn(&Built, &str) -> Option<String>,
) -> String {
    let asked: Vec<&(&str, &Built)> = cures
        .iter()
        .filter(|(_, did)| !names(did).is_empty())
        .collect();
    let mut headings = vec![first];
    headings.extend(asked.iter().map(|(name, _)| heading(name)));
    let all: BTreeSet<&String> = asked.iter().flat_map(|(_, did)| names(did)).collect();
    if all.is_empty() {
        return String::new();
    }
    let rows = all.into_iter().map(|name| {
        let cells = asked
            .iter()
            .map(|(_, did)| cell(did, name).unwrap_or_else(|| NOTHING.to_owned()));
        [format!("`{name}`")].into_iter().chain(cells).collect()
    });
    format!(
        "{above}{}",
        markdown::table(&headings, headings.len(), rows)
    )
}

/// What the findings' programs found.
fn programs(cures: &[(&str, &Built)]) -> String {
    let found = |did: &Built, name: &str| did.programs.get(name).cloned();
    table(
        PROGRAMS,
        "program",
        cures,
        |did| did.programs.keys().collect(),
        found,
    )
}

/// Of which ways to wake it is a behaviour what those did who reserve credits.
fn spoken(cures: &[(&str, &Built)]) -> String {
    let fit = |did: &Built, way: &str| {
        let spoken = did.spoken.as_ref()?;
        Some(match spoken.ways.get(way)? {
            None => format!("accepted, {} events", spoken.events),
            Some(fit) => format!("refused after {fit}"),
        })
    };
    table(SPOKEN, "way to wake", cures, ways, fit)
}

fn ways(did: &Built) -> BTreeSet<&String> {
    let spoken = did.spoken.iter();
    spoken.flat_map(|spoken| spoken.ways.keys()).collect()
}

/// Lines below a table.
pub(super) fn list(notes: &[String]) -> String {
    match notes {
        [] => String::new(),
        notes => format!("\n- {}\n", notes.join("\n- ")),
    }
}

/// What the column or row of a cure is called.
pub(super) fn heading(cure: &str) -> &str {
    match cure {
        cure::NONE => "as shipped",
        cure => cure,
    }
}

/// What came of a plan: as it is, and without an aim; and what the design says that stands for the kernel, where that differs.
pub fn cell(asked: &Asked) -> String {
    let Asked { aimed, unaimed } = asked;
    let mut cell = aimed.shown().to_owned();
    if let Some(unaimed) = unaimed {
        let _ = write!(cell, ", {} of {}", unaimed.lost, unaimed.runs);
    }
    let lost = aimed.lost() || unaimed.is_some_and(|unaimed| unaimed.lost > 0);
    match aimed.loses {
        Some(true) if !aimed.lost() => cell += &format!(", BUT {} loses", aimed.design),
        Some(false) if lost => cell += &format!(", BUT {} keeps", aimed.design),
        _ => {}
    }
    cell
}

const PROGRAMS: &str = "
Programs of [findings](findings/README.md), each run three times.

";

const SPOKEN: &str = "
What those do who reserve credits, beside 16 such threads and a journal of 4 MiB, where the kernel tells each step
([jbd2-speaks](../ci/rack/patches/jbd2-speaks.cocci)): of which way to wake of [ReserveWait.tla](../specs/jbd2/ReserveWait.tla) that is a
behaviour. The machine and TLC have judged it alike.

";

const HEAD: &str = "# What cures do in the kernel

Written by `make cures` from its last run (`docs/cures.json`). Each kernel is built from a distribution's source package, small
([ci/rack/small.config](../ci/rack/small.config)), as it is shipped and with patches of [findings/patches](findings/patches)
([ci/rack/cures.toml](../ci/rack/cures.toml) says which), and booted in a guest of QEMU, whose disk is the project's own. One that is
called checked has lockdep, KASAN and others as well ([ci/rack/checked.config](../ci/rack/checked.config)); one that is called four runs on
four processors, others on two; the clock of one that is called paced counts instructions. What a kernel complains of on its console is told
below its table. One that is built with a mistake ([ci/rack/patches](../ci/rack/patches)) has to fail, and how it did is told there too.

A plan is the counterexample of the model that it is named after ([ci/rack/plans](../ci/rack/plans)), or a control. **lost**: every step was
possible, and bytes that were acknowledged are not in the file. *waited*: the kernel did not let the steps happen in this order, and
nothing is lost. *kept*: it did, and nothing is lost. What is not lost was played three times, and told as *waited* if it did so once.
Behind it: in how many of how many runs something was lost when nothing was aimed at, and each write took a random time of 0 to 100 ms.
*BUT*: the design that stands for the kernel says otherwise.
";
