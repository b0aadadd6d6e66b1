//! The keys of `models.toml`, as the manifest's source declares them.

use crate::fields::Declared;
use crate::manifest::{BUDGET, HEAP, SOURCES};
use crate::near::did_you_mean;

/// By a table's name in a marker, the struct that it is read into.
const TABLES: [(&str, &str); 11] = [
    ("file", "File"),
    ("area", "AreaTable"),
    ("table", "ChosenTable"),
    ("states", "StatesTable"),
    ("size", "Size"),
    ("module", "ModuleTable"),
    ("check", "Check"),
    ("design", "Design"),
    ("row", "Row"),
    ("second", "SecondTable"),
    ("lock", "Counts"),
];

/// What the manifest's source declares, to be told in the page's words.
pub(super) fn declared() -> Result<Declared, String> {
    let words = [
        ("BUDGET", BUDGET.to_string()),
        ("HEAP", HEAP.to_string()),
        ("AreaTable", "[area](#the-area)".into()),
        ("ChosenTable", "[table](#a-table-of-a-chapter)".into()),
        ("StatesTable", "[diagram](#a-state-diagram)".into()),
        ("Size", "[size](#a-size)".into()),
        ("ModuleTable", "[module](#a-module)".into()),
        ("Check", "[check](#a-check)".into()),
        ("Design", "[design](#a-design)".into()),
        ("Row", "[row](#a-row)".into()),
        ("SecondTable", "[table](#a-second-opinion)".into()),
        ("Typed", "`true`".into()),
    ];
    Declared::read(&SOURCES, words.into()).map_err(|error| wrong(&error))
}

/// The keys of one of its tables.
pub(super) fn keys(table: &str, declared: &Result<Declared, String>) -> Result<String, String> {
    let Some((_, name)) = TABLES.iter().find(|(known, _)| *known == table) else {
        let near = did_you_mean(table, TABLES.iter().map(|(known, _)| *known));
        return Err(format!(
            "models.toml has no table `{table}`{near} (correct the marker)"
        ));
    };
    let table = declared.as_ref().map_err(String::clone)?.table(name, "key");
    table.map_err(|error| wrong(&error))
}

fn wrong(error: &anyhow::Error) -> String {
    format!("{error:#} (correct the source of the manifest)")
}
