//! The TLC configuration of one model.
//!
//! Only keywords that the pinned TLC reads are printed: it takes `ALIAS` and `POSTCONDITION` for names of invariants.

use std::fmt::Write as _;

use crate::manifest::Model;

/// The cfg of `model`; the same text each time. `emit` replaces the operator `Emit`, to have every step printed.
///
/// Its first line names the model and the command that runs it by hand, so that a committed copy can be compared with its row.
pub fn text(model: &Model, emit: Option<&str>) -> String {
    let mut text = header(model);
    let mut line = |parts: std::fmt::Arguments| {
        writeln!(text, "{parts}").expect("a String takes all that is written")
    };
    line(format_args!("SPECIFICATION {}", model.spec));
    if !model.constants.is_empty() || emit.is_some() {
        line(format_args!("CONSTANTS"));
    }
    for (name, value) in &model.constants {
        match substitution(value) {
            Some(operator) => line(format_args!("    {name} <- {operator}")),
            None => line(format_args!("    {name} = {value}")),
        }
    }
    if let Some(operator) = emit {
        line(format_args!("    Emit <- {operator}"));
    }
    if !model.invariants.is_empty() {
        line(format_args!("INVARIANTS {}", model.invariants.join(" ")));
    }
    let single = [
        ("PROPERTY", &model.property),
        ("SYMMETRY", &model.symmetry),
        ("VIEW", &model.view),
        ("CONSTRAINT", &model.constraint),
    ];
    for (keyword, operator) in single {
        if let Some(operator) = operator {
            line(format_args!("{keyword} {operator}"));
        }
    }
    line(format_args!(
        "CHECK_DEADLOCK {}",
        if model.deadlock { "TRUE" } else { "FALSE" }
    ));
    text
}

/// The operator that replaces a constant whose manifest value is `<- Operator`.
pub fn substitution(value: &str) -> Option<&str> {
    value.trim_start().strip_prefix("<-").map(str::trim)
}

/// The name of the model whose cfg starts with the line `first`.
pub fn model_name(first: &str) -> Option<&str> {
    first
        .strip_prefix("\\* Model ")?
        .split_once(' ')
        .map(|(name, _)| name)
}

fn header(
    Model {
        name,
        area,
        module,
        file,
        ..
    }: &Model,
) -> String {
    format!(
        "\\* Model {name} of {file}. By hand, in specs/{area}: \
         java -cp tla2tools.jar tlc2.TLC -lncheck final -config THIS.cfg {module}.tla\n"
    )
}
