//! What the tables of the releases have: in which constants they differ, and the events that are read.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use interlock_checker::markdown;

use crate::kernel::family::{Family, Kind};

/// What releases have, each with those that have it, by their places among all.
type Groups<T> = Vec<(T, Vec<usize>)>;

/// Each constant, its values, and the releases that have them.
pub(super) fn constants() -> Result<String> {
    let families = Family::all()?;
    let names: BTreeSet<&String> = families
        .iter()
        .flat_map(|family| family.constants.keys())
        .collect();
    let rows = names.into_iter().map(|name| {
        let mut values = Groups::new();
        for (place, family) in families.iter().enumerate() {
            let value = family.constants.get(name).map_or("", String::as_str);
            group(&mut values, value, place);
        }
        let values = values.into_iter().map(|(value, places)| {
            let releases = releases(&families, &places);
            match value {
                "" => format!("nothing: {releases}"),
                _ => format!("`{value}`: {releases}"),
            }
        });
        vec![format!("`{name}`"), values.collect::<Vec<_>>().join("; ")]
    });
    Ok(markdown::table(
        &["constant", "value, and releases"],
        2,
        rows,
    ))
}

/// Each event that is read, what it is in the kernel, its fields, and the releases that have it so.
pub(super) fn events() -> Result<String> {
    let families = Family::all()?;
    let mut events: BTreeMap<&str, Groups<[String; 2]>> = BTreeMap::new();
    for (place, family) in families.iter().enumerate() {
        for (name, kind) in &family.events {
            let shown = [written_by(kind), fields(kind)];
            group(events.entry(name).or_default(), shown, place);
        }
        for (name, why) in &family.absent {
            let shown = [format!("none: the kernel {why}"), String::new()];
            group(events.entry(name).or_default(), shown, place);
        }
    }
    let rows = events.into_iter().flat_map(|(name, kinds)| {
        let rows = kinds.into_iter().map(|([event, fields], places)| {
            let releases = releases(&families, &places);
            vec![format!("`{name}`"), event, fields, releases]
        });
        rows.collect::<Vec<_>>()
    });
    let headings = ["event", "in the kernel", "fields", "releases"];
    Ok(markdown::table(&headings, headings.len(), rows))
}

/// Puts a release, by its place among all, to those that have the same.
fn group<T: PartialEq>(groups: &mut Groups<T>, what: T, place: usize) {
    match groups.iter_mut().find(|(known, _)| *known == what) {
        Some((_, places)) => places.push(place),
        None => groups.push((what, vec![place])),
    }
}

/// Releases by their places, which rise: `all`, `4.19`, `6.1 to 7.3`.
fn releases(families: &[Family], places: &[usize]) -> String {
    if places.len() == families.len() {
        return "all".to_owned();
    }
    let runs = places.chunk_by(|one, next| one + 1 == *next);
    let runs = runs.map(|run| match run {
        [first, _, .., last] => {
            format!("{} to {}", families[*first].kernel, families[*last].kernel)
        }
        _ => {
            let each = run.iter().map(|place| &families[*place].kernel[..]);
            each.collect::<Vec<_>>().join(", ")
        }
    });
    runs.collect::<Vec<_>>().join(", ")
}

/// The tracepoint, or the functions that kprobes are set on.
fn written_by(kind: &Kind) -> String {
    if kind.probes.is_empty() {
        return format!("`{}`", kind.event);
    }
    let probes = kind.probes.iter().map(|probe| {
        let mut words = probe.split_whitespace();
        let returns = words.next().is_some_and(|kind| kind.starts_with('r'));
        let function = words.next().unwrap_or_default();
        let which = if returns { "the return of " } else { "" };
        format!("{which}`{function}`")
    });
    format!("a kprobe of {}", probes.collect::<Vec<_>>().join(", of "))
}

fn fields(kind: &Kind) -> String {
    let names = kind.fields.keys().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}
