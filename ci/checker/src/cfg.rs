//! The TLC configuration of one model.
//!
//! Only keywords that the pinned TLC reads are printed: it takes `ALIAS` and `POSTCONDITION` for names of invariants.

use std::fmt::Write as _;

use crate::manifest::{Expect, Kind, Model};
use interlock_tla::edges::{CONSTRAINT, PROPERTY};

/// The cfg of `model`; the same text each time. With `edges` each step is printed: the root
/// module is then [`interlock_tla::edges::printer`]'s.
///
/// Its first line names the model and the command that runs it by hand, so that a committed copy can be compared with its row.
pub fn text(model: &Model, edges: bool) -> String {
    let properties = model.property.as_slice();
    write(header(model), model, &model.invariants, properties, edges)
}

/// The cfg of models that share a run, since they have one state graph: it checks what any of them checks, under the fairness of
/// those that have a property.
///
/// # Panics
///
/// Without models.
pub fn together(models: &[&Model], edges: bool) -> String {
    let mut names = Vec::new();
    let (mut invariants, mut properties) = (Vec::new(), Vec::new());
    for model in models {
        names.push(model.name.as_str());
        for (all, own) in [
            (&mut invariants, &model.invariants[..]),
            (&mut properties, model.property.as_slice()),
        ] {
            for name in own {
                if !all.contains(name) {
                    all.push(name.clone());
                }
            }
        }
    }
    let fair = models.iter().find(|model| model.property.is_some());
    let deadlock = models.iter().any(|model| model.deadlock);
    let like = Model {
        deadlock,
        ..Model::clone(fair.unwrap_or(&models[0]))
    };
    let header = format!(
        "\\* Models {}, which share a state graph.\n",
        names.join(", ")
    );
    write(header, &like, &invariants, &properties, edges)
}

fn write(
    mut text: String,
    model: &Model,
    invariants: &[String],
    properties: &[String],
    edges: bool,
) -> String {
    let mut line = |parts: std::fmt::Arguments| {
        writeln!(text, "{parts}").expect("a String takes all that is written")
    };
    line(format_args!("SPECIFICATION {}", model.spec));
    if !model.constants.is_empty() {
        line(format_args!("CONSTANTS"));
    }
    for (name, value) in &model.constants {
        match substitution(value) {
            Some(operator) => line(format_args!("    {name} <- {operator}")),
            None => line(format_args!("    {name} = {value}")),
        }
    }
    if !invariants.is_empty() {
        line(format_args!("INVARIANTS {}", invariants.join(" ")));
    }
    // TLC warns of an action constraint beside liveness; and of the last step of a safety violation it looks at no property.
    let is_of_a_step =
        matches!(&model.expect, Expect::Violates { kind, .. } if *kind == Kind::Action);
    let is_safety = properties.is_empty() || is_of_a_step;
    let property = (edges && !is_safety).then_some(PROPERTY);
    let mut properties: Vec<&str> = properties.iter().map(String::as_str).collect();
    properties.extend(property);
    if !properties.is_empty() {
        line(format_args!("PROPERTY {}", properties.join(" ")));
    }
    let single = [
        ("SYMMETRY", model.symmetry.as_deref()),
        ("VIEW", model.view.as_deref()),
        ("CONSTRAINT", model.constraint.as_deref()),
        (
            "ACTION_CONSTRAINT",
            (edges && is_safety).then_some(CONSTRAINT),
        ),
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
