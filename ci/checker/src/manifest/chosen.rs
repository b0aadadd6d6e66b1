//! A chapter's table of designs, as an area's claims declare it: some designs, and what is asked of them.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::column::Column;
use super::source::Source;
use super::{Engine, Expect, Manifest, Model};
use crate::near::did_you_mean;

/// A table that is wider is not read: the design and what it is are two of these columns.
const WIDEST: usize = 7;

/// A table of chosen designs against what matters, in a reader's words.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Chosen {
    /// What a page calls it: `<!-- table:chosen AREA NAME -->`.
    pub name: String,
    /// Each row's design, and what it is.
    pub designs: Vec<(String, String)>,
    /// Each column's heading, and what it asks, as in an area's `columns`.
    pub columns: Vec<(String, String)>,
    /// By a size's name, what it is in words.
    pub sizes: BTreeMap<String, String>,
    /// The page that tells the story of each design, as a link from the page that shows the table. That page itself, unless named.
    pub page: Option<String>,
}

/// A table of chosen designs against what matters, at most seven columns with the design and what it is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChosenTable {
    /// Each row's design, and what it is.
    designs: Vec<Spanned<(String, String)>>,
    /// Each column's heading, and a check, written as in the area's `columns`.
    columns: Vec<Spanned<(String, String)>>,
    /// By a size's name, what it is in words, where the constants `Readers` and `Writers` do not say it.
    #[serde(default)]
    sizes: BTreeMap<String, String>,
    /// The page that tells the designs' stories, as a link from the page that shows the table, if it is not that page itself.
    page: Option<String>,
}

/// What one design's models say to one question.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer<'a> {
    /// Some violate it: the smallest of them.
    No(&'a Model),
    /// All hold it that are asked: the largest of them.
    Yes(&'a Model),
}

/// What TLC's models of a design say in a column, or nothing if none is asked.
pub(crate) fn answer<'a>(
    manifest: &'a Manifest,
    area: &str,
    design: &str,
    column: &Column,
) -> Option<Answer<'a>> {
    let of_design = || {
        let models = manifest.models.iter();
        models
            .filter(|model| (model.area.as_str(), model.design.as_str()) == (area, design))
            .filter(|model| model.engine == Engine::Tlc)
            .filter(|model| column.takes(model))
    };
    let violates = |model: &&Model| matches!(&model.expect, Expect::Violates { property, .. } if property == column.check);
    let holds = |model: &&Model| {
        model.expect == Expect::Holds && model.checks().any(|check| check == column.check)
    };
    let tasks = |model: &Model| manifest.tasks(area, &model.size);
    let smallest = of_design()
        .filter(violates)
        .min_by_key(|model| (tasks(model), model.witness.unwrap_or(usize::MAX)));
    let largest = || {
        let held = of_design().filter(holds);
        held.max_by_key(|model| (tasks(model), model.distinct))
    };
    smallest
        .map(Answer::No)
        .or_else(|| largest().map(Answer::Yes))
}

/// The tables of an area, whose models are all in the manifest.
pub(super) fn read(
    source: &Source,
    manifest: &Manifest,
    area: &str,
    tables: BTreeMap<String, Spanned<ChosenTable>>,
) -> anyhow::Result<Vec<Chosen>> {
    let tables = tables.into_iter();
    let tables = tables.map(|(name, table)| one(source, manifest, area, name, table));
    tables.collect()
}

fn one(
    source: &Source,
    manifest: &Manifest,
    area: &str,
    name: String,
    table: Spanned<ChosenTable>,
) -> anyhow::Result<Chosen> {
    let (whole, table) = (table.span(), table.into_inner());
    source.check_name(&whole, "a table", &name)?;
    let width = table.columns.len() + 2;
    if width > WIDEST {
        let message = format!(
            "table `{name}` has {width} columns with the design and what it is, and nobody reads more than {WIDEST} (make two of it)"
        );
        return Err(source.error(&whole, message));
    }
    if table.designs.is_empty() || table.columns.is_empty() {
        let message =
            format!("table `{name}` has nothing in it (name its `designs` and `columns`)");
        return Err(source.error(&whole, message));
    }
    known(source, manifest, area, &whole, &table)?;
    says_something(source, manifest, area, &name, &table)?;
    let plain = |pairs: Vec<Spanned<(String, String)>>| {
        let pairs = pairs.into_iter().map(Spanned::into_inner);
        pairs.collect()
    };
    Ok(Chosen {
        name,
        designs: plain(table.designs),
        columns: plain(table.columns),
        sizes: table.sizes,
        page: table.page,
    })
}

/// Every design, check and size is one of the area's, and is there once.
fn known(
    source: &Source,
    manifest: &Manifest,
    area: &str,
    whole: &Range<usize>,
    table: &ChosenTable,
) -> anyhow::Result<()> {
    let of_area = || {
        let models = manifest.models.iter();
        models.filter(|model| model.area == area && model.engine == Engine::Tlc)
    };
    for design in &table.designs {
        let (span, (design, _)) = (design.span(), design.get_ref());
        if !of_area().any(|model| model.design == *design) {
            let near = did_you_mean(design, of_area().map(|model| model.design.as_str()));
            let message = format!("TLC has no design `{design}` here{near} (correct the name)");
            return Err(source.error(&span, message));
        }
    }
    for column in &table.columns {
        let check = Column::read(&column.get_ref().1).check;
        let checks = || of_area().flat_map(Model::checks);
        if !checks().any(|other| other == check) {
            let near = did_you_mean(check, checks());
            let message = format!("no model here checks `{check}`{near} (correct the name)");
            return Err(source.error(&column.span(), message));
        }
    }
    for pairs in [&table.designs, &table.columns] {
        for (at, pair) in pairs.iter().enumerate() {
            let same = |other: &Spanned<(String, String)>| other.get_ref().0 == pair.get_ref().0;
            if pairs[..at].iter().any(same) {
                let message = format!("`{}` is there twice (leave one out)", pair.get_ref().0);
                return Err(source.error(&pair.span(), message));
            }
        }
    }
    let unknown = |size: &&String| !of_area().any(|model| model.size == **size);
    if let Some(size) = table.sizes.keys().find(unknown) {
        let near = did_you_mean(size, of_area().map(|model| model.size.as_str()));
        let message = format!("TLC has no model of size `{size}` here{near} (correct the name)");
        return Err(source.error(whole, message));
    }
    Ok(())
}

/// No row and no column is empty.
fn says_something(
    source: &Source,
    manifest: &Manifest,
    area: &str,
    name: &str,
    table: &ChosenTable,
) -> anyhow::Result<()> {
    let asked = |design: &str, column: &str| {
        answer(manifest, area, design, &Column::read(column)).is_some()
    };
    for row in &table.designs {
        let design = &row.get_ref().0;
        let mut columns = table.columns.iter();
        if !columns.any(|column| asked(design, &column.get_ref().1)) {
            let message = format!(
                "no column of table `{name}` says anything of design `{design}` (leave it out, or add a column)"
            );
            return Err(source.error(&row.span(), message));
        }
    }
    for column in &table.columns {
        let check = &column.get_ref().1;
        let mut designs = table.designs.iter();
        if !designs.any(|row| asked(&row.get_ref().0, check)) {
            let message = format!(
                "no design of table `{name}` is asked for `{check}` (leave the column out, or add a design)"
            );
            return Err(source.error(&column.span(), message));
        }
    }
    Ok(())
}
