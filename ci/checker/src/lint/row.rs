//! Faults of one row, with what its operators are made of.

use super::Lint;
use crate::manifest::{Engine, Expect, Kind, Model};
use interlock_tla::module::Shape;

pub(super) fn check(lint: &mut Lint, model: &Model) {
    reductions(lint, model);
    let typed = model.expect == Expect::Typed;
    if !typed && model.invariants.is_empty() && model.property.is_none() && !model.deadlock {
        lint.report(
            model,
            "checks-nothing",
            "no invariant, property or deadlock is checked (add one, or remove the row)".into(),
        );
    }
    if typed && model.engine != Engine::Apalache {
        let message = "only Apalache finds types (say engine = \"apalache\")".into();
        lint.report(model, "kind-mismatch", message);
    }
    formulas(lint, model);
    expectation(lint, model);
    fairness(lint, model);
    second(lint, model);
}

fn reductions(lint: &mut Lint, model: &Model) {
    let Some(property) = &model.property else {
        return;
    };
    // each step that TLC makes is checked, as each state is of an invariant: a constraint says between which states
    let of_steps = lint
        .shape(model, property)
        .is_some_and(|shape| !shape.is_liveness());
    for (keyword, operator) in [
        ("SYMMETRY", model.symmetry.as_ref()),
        ("VIEW", model.view.as_ref()),
        (
            "CONSTRAINT",
            model.constraint.as_ref().filter(|_| !of_steps),
        ),
    ] {
        if let Some(operator) = operator {
            let message = format!(
                "{keyword} {operator} beside the property {property}: TLC's verdict would mean nothing \
                 (remove it, or move the property to a row without it)"
            );
            lint.report(model, "unsound-reduction", message);
        }
    }
}

/// Each formula stands where TLC checks all of it.
fn formulas(lint: &mut Lint, model: &Model) {
    for invariant in &model.invariants {
        let shape = lint.shape(model, invariant).unwrap_or_default();
        // Apalache checks what says something of a step, of each step.
        let of_steps = shape.primed && model.engine != Engine::Apalache;
        if shape.is_temporal() || of_steps {
            let message = format!(
                "{invariant} is {}, not a state predicate (give it as `property`)",
                describe(shape)
            );
            lint.report(model, "kind-mismatch", message);
        }
    }
    if let Some(property) = &model.property
        && lint
            .shape(model, property)
            .is_some_and(|shape| !shape.is_temporal())
    {
        let message = format!(
            "{property} is a state predicate: as a property it is checked in initial states only (list it in `invariants`)"
        );
        lint.report(model, "kind-mismatch", message);
    }
}

fn describe(shape: Shape) -> &'static str {
    match shape {
        Shape { leads_to: true, .. } => "a leads-to",
        Shape {
            action_box: true, ..
        } => "an action property",
        _ if shape.is_temporal() => "a temporal formula",
        Shape { primed: true, .. } => "an action",
        _ => "a state predicate",
    }
}

/// The expected violation is one that the row can show.
fn expectation(lint: &mut Lint, model: &Model) {
    let Expect::Violates { property, kind } = &model.expect else {
        return;
    };
    let as_property = model.property.as_ref() == Some(property);
    let as_invariant = model.invariants.contains(property);
    let checked = match kind {
        Kind::Deadlock => property == "Deadlock" && model.deadlock,
        Kind::Assumption => true,
        _ => as_property || as_invariant,
    };
    if !checked {
        let cure = if *kind == Kind::Deadlock {
            "say violates = \"Deadlock\" and set `deadlock`"
        } else {
            "list it in `invariants` or give it as `property`"
        };
        let message =
            format!("expects a violation of {property}, which it does not check ({cure})");
        lint.report(model, "expectation-not-checked", message);
        return;
    }
    if !as_property && !as_invariant {
        return;
    }
    let possible = if as_invariant {
        match lint.shape(model, property) {
            Some(Shape { primed: true, .. }) => vec![Kind::Action],
            _ => vec![Kind::Invariant],
        }
    } else {
        let Some(shape) = lint.shape(model, property) else {
            return;
        };
        let kinds = [
            (shape.is_liveness(), Kind::Temporal),
            (shape.action_box, Kind::Action),
            (shape.always, Kind::Invariant),
        ];
        kinds
            .into_iter()
            .filter_map(|(possible, kind)| possible.then_some(kind))
            .collect()
    };
    if !possible.is_empty() && !possible.contains(kind) {
        let names: Vec<_> = possible.into_iter().map(Kind::name).collect();
        let (kind, names) = (kind.name(), names.join(" or "));
        let message =
            format!("a violation of {property} cannot be of kind {kind} (say kind = \"{names}\")");
        lint.report(model, "kind-mismatch", message);
    }
}

/// Without fairness a liveness property is violated by standing still, which says nothing about the design.
fn fairness(lint: &mut Lint, model: &Model) {
    let Some(property) = &model.property else {
        return;
    };
    let live = lint.shape(model, property).is_some_and(Shape::is_liveness);
    let unfair = lint
        .shape(model, &model.spec)
        .is_some_and(|shape| !shape.fairness);
    if live && unfair {
        let message = format!(
            "{property} fails of itself: {} promises no step, so nothing need ever happen (use a spec with WF_ or SF_)",
            model.spec
        );
        lint.report(model, "no-fairness", message);
    }
}

/// A second opinion is one on the same question.
fn second(lint: &mut Lint, model: &Model) {
    let Some(name) = &model.second_of else {
        return;
    };
    let first = lint.manifest.model(name);
    let Some(first) = first.filter(|first| first.engine == Engine::Tlc) else {
        let message =
            format!("TLC has no model `{name}` for a second opinion (correct `second_of`)");
        return lint.report(model, "second-opinion", message);
    };
    let asked = |of: &Model| match &of.expect {
        Expect::Violates { property, .. } => vec![property.clone()],
        _ => of.invariants.iter().chain(&of.property).cloned().collect(),
    };
    let same_question = asked(model)
        .iter()
        .all(|check| asked(first).contains(check));
    let same = (&first.area, &first.expect) == (&model.area, &model.expect);
    if !same || !same_question || (model.witness.is_some() && model.witness != first.witness) {
        let message = format!(
            "is a second opinion of `{name}`, but does not ask or expect the same (correct one of them)"
        );
        lint.report(model, "second-opinion", message);
    }
}
