//! `interlock list`: models without running them, a line each.

use comfy_table::{Table, presets};

use crate::judge;
use crate::manifest::Model;

/// Name, engine, lane, verdict and counts of each model, in columns.
pub fn text(models: &[&Model]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for model in models {
        table.add_row([
            model.name.clone(),
            model.engine.name().to_owned(),
            model.lane.name().to_owned(),
            judge::expected(&model.expect),
            counts(model),
        ]);
    }
    table.trim_fmt() + "\n"
}

fn counts(model: &Model) -> String {
    let witness = model.witness.map(|states| states as u64);
    let counts = [
        ("distinct", model.distinct),
        ("total", model.total),
        ("witness", witness),
    ];
    let counts = counts
        .into_iter()
        .filter_map(|(what, count)| Some(format!("{what} {}", count?)));
    counts.collect::<Vec<_>>().join(", ")
}
