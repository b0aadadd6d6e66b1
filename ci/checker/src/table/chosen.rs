//! The table of a chapter: chosen designs against what matters, in words.

use crate::manifest::column::Column;
use crate::manifest::{Answer, Chosen, Manifest, Model, answer};
use crate::markdown;

/// The numbers that a size in words can have; more than these are digits.
const NUMBERS: [&str; 9] = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight",
];

/// The table that an area's claims declare by this name.
pub(super) fn chosen(manifest: &Manifest, area: &str, table: &Chosen) -> String {
    let headings = ["design", "what it is"].into_iter();
    let asked = table.columns.iter().map(|(heading, _)| heading.as_str());
    let headings: Vec<&str> = headings.chain(asked).collect();
    let rows = table.designs.iter().map(|(design, words)| {
        let cells = table.columns.iter().map(|(_, asked)| {
            match answer(manifest, area, design, &Column::read(asked)) {
                Some(Answer::No(_)) => {
                    let page = table.page.as_deref().unwrap_or_default();
                    format!("[**no**]({page}#{})", markdown::anchor(design))
                }
                Some(Answer::Yes(model)) => yes(manifest, table, model),
                None => String::new(),
            }
        });
        let begin = [design.clone(), words.clone()];
        begin.into_iter().chain(cells).collect()
    });
    markdown::table(&headings, headings.len(), rows)
}

/// `yes, up to four readers and three writers`.
fn yes(manifest: &Manifest, table: &Chosen, model: &Model) -> String {
    let said = table.sizes.get(&model.size).cloned();
    match said.or_else(|| in_words(manifest, model)) {
        Some(words) => format!("yes, up to {words}"),
        None => "yes".to_owned(),
    }
}

/// The tasks of a lock's size, if it says no more than how many of each there are.
fn in_words(manifest: &Manifest, model: &Model) -> Option<String> {
    let size = manifest
        .sizes
        .get(&(model.area.clone(), model.size.clone()))?;
    let mut parts = Vec::new();
    for (constant, one, more) in [
        ("Readers", "reader", "readers"),
        ("Writers", "writer", "writers"),
        (
            "Upgraders",
            "task that takes it upgradable",
            "tasks that take it upgradable",
        ),
    ] {
        let Some(set) = size.get(constant) else {
            continue;
        };
        let members = set.trim().strip_prefix('{')?.strip_suffix('}')?;
        let members = members
            .split(',')
            .filter(|member| !member.trim().is_empty());
        let members = members.count();
        if members > 0 {
            let number = NUMBERS.get(members).map(|word| (*word).to_owned());
            let number = number.unwrap_or_else(|| members.to_string());
            parts.push(format!(
                "{number} {}",
                if members == 1 { one } else { more }
            ));
        }
    }
    let last = parts.pop()?;
    Some(if parts.is_empty() {
        last
    } else {
        format!("{} and {last}", parts.join(", "))
    })
}
