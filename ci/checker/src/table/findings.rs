//! What the models found that kernels do as well: of each finding, what shows it, on which kernels it was seen, and what became of it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use crate::manifest::{Expect, Manifest, RECORD};
use crate::markdown;
use crate::near::did_you_mean;
use crate::record::{self, Kernel, Record};

/// What is known of the findings, from the project's root. Their pages are beside it.
const LIST: &str = "docs/findings/findings.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    finding: Vec<Finding>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finding {
    /// Its page, whose title is what it is called.
    page: String,
    /// The file system, and what it needs.
    file_system: String,
    /// The models whose counterexample it is. Each that the rack has a plan of says which kernels do as it does.
    models: Vec<String>,
    /// Where in a kernel the reason was read.
    source: Vec<Source>,
    /// Where it is cured; needed where the last kernel of the rack does not do as each of the models.
    cured: Option<String>,
    /// Whether the kernel's developers know of it.
    reported: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    function: String,
    file: String,
    kernel: String,
}

/// The table, for a page in the folder of the list.
pub(super) fn findings(manifest: &Manifest) -> Result<String, String> {
    let made = || -> Result<String> {
        let file = manifest.base().join(LIST);
        let list: List = toml::from_str(&fs::read_to_string(&file)?)?;
        let record: Record = record::load(&manifest.base().join(RECORD))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let rows = list.finding.iter().map(|finding| {
            let row = row(manifest, &record, folder, finding);
            row.with_context(|| finding.page.clone())
        });
        let rows = rows.collect::<Result<Vec<_>>>()?;
        let headings = [
            "finding",
            "file system",
            "shown by the model",
            "by source",
            "seen on kernels",
            "cured in",
            "reported",
        ];
        Ok(markdown::table(&headings, headings.len(), rows))
    };
    made().map_err(|error| format!("{error:#} (correct {LIST})"))
}

fn row(
    manifest: &Manifest,
    record: &Record,
    folder: &Path,
    finding: &Finding,
) -> Result<Vec<String>> {
    let page = &finding.page;
    let text = fs::read_to_string(folder.join(page))?;
    let title = text.lines().find_map(|line| line.strip_prefix("# "));
    let title = title.context("a page has a title")?;
    let models = finding.models.iter().map(|name| shown(manifest, name));
    let models = models.collect::<Result<Vec<_>>>()?.join("; ");
    let source = finding.source.iter().map(|source| {
        let Source {
            function,
            file,
            kernel,
        } = source;
        format!("`{function}`, {file}, {kernel}")
    });
    let seen = finding.models.iter();
    let seen: Vec<(&str, Seen)> = seen
        .filter_map(|name| Some((name.as_str(), seen_on(record, name)?)))
        .collect();
    let cured = match &finding.cured {
        Some(cured) => cured,
        None => {
            let last = record.kernels.values().next_back();
            let loses = |(_, seen): &(&str, Seen)| {
                last.is_some_and(|last| seen.lost.contains(&last.release.as_str()))
            };
            ensure!(
                !seen.is_empty() && seen.iter().all(loses),
                "the last kernel of the rack does not do as each of these models: say where it is `cured`"
            );
            "no kernel that was tried"
        }
    };
    Ok(vec![
        format!("[{title}]({page})"),
        finding.file_system.clone(),
        models,
        source.collect::<Vec<_>>().join("; "),
        told(&seen).unwrap_or_else(|| {
            format!("by hand, on those of [its page]({page}): the rack has no plan of it")
        }),
        format!("{cured} ([what would]({page}#what-would-cure-it))"),
        finding.reported.clone(),
    ])
}

/// A refuted model, with a link to where its design's story is told.
fn shown(manifest: &Manifest, name: &str) -> Result<String> {
    let Some(model) = manifest.model(name) else {
        let names = manifest.models.iter().map(|model| model.name.as_str());
        bail!("no model is named `{name}`{}", did_you_mean(name, names));
    };
    let is_refuted = matches!(model.expect, Expect::Violates { .. });
    ensure!(is_refuted, "the model `{name}` has no counterexample");
    let anchor = markdown::anchor(&model.design);
    let states = model.witness.map(|states| format!(", {states} states"));
    let states = states.unwrap_or_default();
    Ok(format!("[`{name}`](../{}.md#{anchor}){states}", model.area))
}

/// The releases that have lost bytes as a plan says, and the others that it was played to.
#[derive(PartialEq)]
struct Seen<'a> {
    lost: Vec<&'a str>,
    not: Vec<&'a str>,
}

/// None where the rack has no plan of this name.
fn seen_on<'a>(record: &'a Record, plan: &str) -> Option<Seen<'a>> {
    let kernels = record.kernels.values();
    let played = kernels.filter_map(|kernel| Some((kernel, kernel.plans.get(plan)?)));
    let (lost, not): (Vec<_>, Vec<_>) = played.partition(|(_, cell)| cell.lost());
    let releases = |of: Vec<(&'a Kernel, _)>| {
        let releases = of.into_iter().map(|(kernel, _)| kernel.release.as_str());
        releases.collect::<Vec<_>>()
    };
    let seen = Seen {
        lost: releases(lost),
        not: releases(not),
    };
    (!seen.lost.is_empty() || !seen.not.is_empty()).then_some(seen)
}

/// What is seen in words: once, if it is the same of all plans. None if there is no plan.
fn told(seen: &[(&str, Seen)]) -> Option<String> {
    let words = |seen: &Seen| {
        let lost = match &seen.lost[..] {
            [] => "lost on none".to_owned(),
            lost => format!("lost on {}", lost.join(", ")),
        };
        match &seen.not[..] {
            [] => lost,
            not => format!("{lost}; not on {}", not.join(", ")),
        }
    };
    let (_, first) = seen.first()?;
    if seen.iter().all(|(_, seen)| seen == first) {
        return Some(words(first));
    }
    let each = seen.iter();
    let each = each.map(|(plan, seen)| format!("`{plan}`: {}", words(seen)));
    Some(each.collect::<Vec<_>>().join("; "))
}
