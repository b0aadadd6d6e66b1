//! The report as one page for a browser, which needs nothing beside it: no network, no other file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::Report;
use super::counts::{Counts, Unchecked};
use super::row::{Claim, Row, Status};
use crate::explain::picture;
use crate::manifest::{Area, Manifest};

const STYLE: &str = include_str!("page/style.css");
const FILTER: &str = include_str!("page/filter.js");

/// The page of a run. The clone at `root` has the pictures, the manifest says what designs stand for.
///
/// # Errors
///
/// When a picture cannot be read.
pub fn text(report: &Report, manifest: &Manifest, root: &Path) -> Result<String> {
    let mut areas: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &report.rows {
        areas.entry(&row.area).or_default().push(row);
    }
    let mut sections = Vec::new();
    for area in &manifest.areas {
        if let Some(rows) = areas.remove(area.name.as_str()) {
            sections.push(section(area, &rows, manifest, root)?);
        }
    }
    let counts = Counts::of(&report.rows);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                link rel="icon" href="data:,";
                title { "Interlock: " (counts) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "Interlock: what was checked" }
                    p { strong { (counts) } }
                    @for line in report.caveats() { p.bad { (line) } }
                    @if let Some(unchecked) = Unchecked::sentence(&report.rows) { p.bad { (unchecked) } }
                    (facts(report))
                    (faults(report))
                    h2 { "The most expensive" }
                    (table(&report.most_expensive()))
                    h2 { "Claims by design" }
                    (filters(report, manifest))
                    p.quiet id="shown" aria-live="polite" {}
                    @for section in sections { (section) }
                }
                script { (PreEscaped(FILTER)) }
            }
        }
    };
    Ok(page.into_string())
}

/// What was asked, of what, with which tools.
fn facts(report: &Report) -> Markup {
    let commit = report.commit.as_ref().map(|commit| {
        let changed = if commit.dirty {
            ", and changed since"
        } else {
            ""
        };
        format!("{}{changed}", commit.id)
    });
    let asked = &report.request;
    let lane = asked.lane.map(|lane| format!("lane {}", lane.name()));
    let engine = asked
        .engine
        .map(|engine| format!("engine {}", engine.name()));
    let shard = asked.shard.as_ref().map(|shard| format!("shard {shard}"));
    let failed = asked.failed.then(|| "what had failed".to_owned());
    let names = asked.areas.iter().chain(&asked.names).cloned();
    let asked: Vec<String> = [lane, engine, shard, failed]
        .into_iter()
        .flatten()
        .chain(names)
        .collect();
    let tools: std::collections::BTreeSet<&str> = report
        .rows
        .iter()
        .filter_map(|row| row.tool.as_deref())
        .collect();
    let cpu: f64 = report.rows.iter().map(|row| row.cpu).sum();
    let known = report.rows.iter().filter(|row| row.evidence).count();
    html! {
        dl {
            dt { "commit" } dd { (commit.unwrap_or_else(|| "not known".to_owned())) }
            dt { "started" } dd { (report.started) }
            dt { "took" } dd { (format!("{:.0} s, {} at once; {cpu:.0} s of CPU time", report.seconds, report.jobs)) }
            dt { "asked for" } dd { @if asked.is_empty() { "everything" } @else { (asked.join(", ")) } }
            dt { "from evidence" } dd { (known) " claims were judged by what an earlier run of the same question had found" }
            @if let Some(java) = &report.java { dt { "Java" } dd { (java.version) } }
            @if let Some(jar) = &report.jar {
                dt { "TLC" } dd { "jar " (jar.sha256) @if !jar.pinned { ", not the pinned one" } }
            }
            dt { "engines" } dd { (tools.into_iter().collect::<Vec<_>>().join(", ")) }
        }
    }
}

/// What is not as expected, with its counterexample.
fn faults(report: &Report) -> Markup {
    html! {
        @if report.faults().next().is_some() { h2 { "Not as expected" } }
        @for row in report.faults() {
            h3.bad { (row.model) }
            @for sentence in &row.sentences { p { (sentence) } }
            @if let Some(timeline) = &row.timeline { pre tabindex="0" { (timeline) } }
        }
    }
}

fn filters(report: &Report, manifest: &Manifest) -> Markup {
    let mut statuses: Vec<Status> = report.rows.iter().map(|row| row.status).collect();
    statuses.sort_unstable();
    statuses.dedup();
    let mut engines: Vec<_> = report.rows.iter().map(|row| row.engine).collect();
    engines.sort_unstable();
    engines.dedup();
    let has = |area: &&Area| report.rows.iter().any(|row| row.area == area.name);
    html! {
        form {
            label { "name" input name="word" type="search"; }
            label { "protocol" select name="area" {
                option value="" { "all" }
                @for area in manifest.areas.iter().filter(has) { option value=(area.name) { (area.title) } }
            } }
            label { "claim" select name="verdict" {
                option value="" { "all" }
                option value="holds" { "holds" }
                option value="violated" { "is violated" }
            } }
            label { "result" select name="status" {
                option value="" { "all" }
                @for status in statuses { option value=(said(status)) { (said(status)) } }
            } }
            label { "engine" select name="engine" {
                option value="" { "all" }
                @for engine in engines { option value=(engine.name()) { (engine.name()) } }
            } }
        }
    }
}

/// An area, design by design.
fn section(area: &Area, rows: &[&Row], manifest: &Manifest, root: &Path) -> Result<Markup> {
    let mut designs: Vec<(&str, Vec<&Row>)> = Vec::new();
    for row in rows {
        match designs.iter_mut().find(|(design, _)| *design == row.design) {
            Some((_, rows)) => rows.push(row),
            None => designs.push((&row.design, vec![row])),
        }
    }
    let mut articles = Vec::new();
    for (design, rows) in designs {
        let model = rows.iter().find_map(|row| manifest.model(&row.model));
        let stands_for = model.map(|model| manifest.stands_for(model));
        let mut pictures = Vec::new();
        for row in &rows {
            let drawn = manifest.model(&row.model);
            if let Some(path) = drawn.and_then(|model| picture(root, model)) {
                pictures.push((
                    row.model.as_str(),
                    alone(&fs::read_to_string(path)?, &row.model),
                ));
            }
        }
        articles.push(html! {
            article {
                h3 id=(format!("{}-{design}", area.name)) { (design) }
                @if let Some(stands_for) = stands_for { p.quiet { (stands_for) } }
                (table(&rows))
                @for (model, svg) in pictures {
                    details {
                        summary { "The run that refutes " (model) }
                        figure { (PreEscaped(svg)) }
                    }
                }
            }
        });
    }
    Ok(html! {
        section id=(area.name) {
            h2 { (area.title) }
            @for article in articles { (article) }
        }
    })
}

/// The picture with names that no other picture of the page has.
fn alone(svg: &str, model: &str) -> String {
    let mut svg = svg.to_owned();
    for name in ["title", "desc", "hatch"] {
        svg = svg.replace(&format!("id=\"{name}\""), &format!("id=\"{name}-{model}\""));
        svg = svg.replace(&format!("url(#{name})"), &format!("url(#{name}-{model})"));
    }
    svg.replace(
        "aria-labelledby=\"title desc\"",
        &format!("aria-labelledby=\"title-{model} desc-{model}\""),
    )
}

fn said(status: Status) -> &'static str {
    match status {
        Status::AsExpected => "as expected",
        Status::Unexpected => "not as expected",
        Status::Inconclusive => "inconclusive",
        Status::Error => "no verdict",
        Status::NotRun => "not run",
        Status::NotJudged => "not judged",
    }
}

fn table(rows: &[&Row]) -> Markup {
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    html! {
        div.scroll tabindex="0" role="group" aria-label="claims" {
            table {
                thead { tr {
                    th scope="col" { "model" }
                    th scope="col" { "claim" }
                    th scope="col" { "result" }
                    th.count scope="col" { "states" }
                    th.count scope="col" { "witness" }
                    th.count scope="col" { "s" }
                    th scope="col" { "of its budget" }
                    th scope="col" { "engine" }
                } }
                tbody {
                    @for row in rows {
                        tr data-model=(row.model) data-area=(row.area) data-status=(said(row.status)) data-engine=(row.engine.name())
                            data-verdict=(if row.claim == Claim::Violation { "violated" } else { "holds" }) {
                            td { (row.model) }
                            td { (row.expected) }
                            td class=(if row.status == Status::AsExpected { "good" } else { "bad" }) {
                                (said(row.status))
                                @if row.status.is_fault() { ": " (row.found) }
                            }
                            td.count { (number(row.distinct).unwrap_or_default()) }
                            td.count { (number(row.witness.map(|states| states as u64)).unwrap_or_default()) }
                            td.count { (format!("{:.1}", row.cost())) }
                            td { meter min="0" max=(row.budget) value=(format!("{:.1}", row.cost())) { (format!("{:.0} %", 100.0 * row.cost() / row.budget.max(1) as f64)) } }
                            td { (row.engine.name()) }
                        }
                    }
                }
            }
        }
    }
}
