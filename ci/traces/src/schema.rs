//! `docs/reference/traces.md`: what a trace has in it, of the types that it is read into; what each specification that traces are
//! judged by takes and shows; and what is read of a kernel's events in each release.

mod modules;
mod releases;

use std::path::Path;

use anyhow::{Context as _, Result};
use interlock_checker::fields::Declared;
use interlock_checker::marks;

use crate::recording::{SEE, VERSION};

/// The page, from the project's root.
pub const PAGE: &str = "docs/reference/traces.md";

/// What declares a trace's lines, and the table of a release.
const SOURCES: [&str; 2] = [
    include_str!("recording.rs"),
    include_str!("kernel/family.rs"),
];

/// By a marker's name, the struct whose fields it is.
const TABLES: [(&str, &str); 5] = [
    ("head", "Head"),
    ("event", "Event"),
    ("end", "End"),
    ("release", "Family"),
    ("kind", "Kind"),
];

/// The page's text as it should be.
///
/// # Errors
///
/// When a marker names nothing, or a specification or a source cannot be read.
pub fn fill(root: &Path, text: &str) -> Result<String> {
    let words = [
        ("VERSION", VERSION.to_string()),
        ("SEE", format!("`{SEE}`")),
        ("Kind", "[event](#an-event-of-a-kernel)".into()),
    ];
    let declared = Declared::read(&SOURCES, words.into())?;
    let filled = marks::fill(text, "reference", |name| {
        let made = match name {
            "areas" => Ok(modules::areas()),
            "modules" => modules::modules(root),
            "constants" => releases::constants(),
            "events" => releases::events(),
            _ => {
                let Some((_, of)) = TABLES.iter().find(|(known, _)| *known == name) else {
                    let tables = TABLES.map(|(known, _)| format!("`{known}`"));
                    return Err(format!(
                        "nothing is named `{name}` (say {}, `areas`, `modules`, `constants` or `events`)",
                        tables.join(", ")
                    ));
                };
                declared.table(of, "field")
            }
        };
        made.map_err(|error| format!("{error:#} (correct what it is made of)"))
    });
    filled.context(PAGE)
}
