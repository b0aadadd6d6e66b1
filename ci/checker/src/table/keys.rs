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

/// The keys of one of its tables.
pub(super) fn keys(table: &str) -> Result<String, String> {
    let Some((_, name)) = TABLES.iter().find(|(known, _)| *known == table) else {
        let near = did_you_mean(table, TABLES.iter().map(|(known, _)| *known));
        return Err(format!(
            "models.toml has no table `{table}`{near} (correct the marker)"
        ));
    };
    let (budget, heap) = (BUDGET.to_string(), HEAP.to_string());
    let words = [
        ("BUDGET", budget.as_str()),
        ("HEAP", heap.as_str()),
        ("AreaTable", "[area](#the-area)"),
        ("ChosenTable", "[table](#a-table-of-a-chapter)"),
        ("StatesTable", "[diagram](#a-state-diagram)"),
        ("Size", "[size](#a-size)"),
        ("ModuleTable", "[module](#a-module)"),
        ("Check", "[check](#a-check)"),
        ("Design", "[design](#a-design)"),
        ("Row", "[row](#a-row)"),
        ("SecondTable", "[table](#a-second-opinion)"),
        ("Typed", "`true`"),
    ];
    Declared::read(&SOURCES, &words)
        .and_then(|declared| declared.table(name, "key"))
        .map_err(|error| format!("{error:#} (correct the source of the manifest)"))
}
