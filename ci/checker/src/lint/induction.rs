//! A step from an invariant says something of every run only together with other models.

use super::Lint;
use crate::manifest::{Expect, Model, Symbolic};

/// By their names, the predicates that say of the types what is assigned to the variables that an induction starts from.
const IN_TYPES: [&str; 2] = ["InTypes", "TypeOK"];

pub(super) fn check(lint: &mut Lint) {
    let models = &lint.manifest.models;
    for model in models.iter().filter(|model| model.expect == Expect::Holds) {
        let Some(step) = step(model) else {
            continue;
        };
        let of_area = || models.iter().filter(|other| other.area == model.area);
        let holds = || {
            of_area().filter(|other| other.expect == Expect::Holds && other.module == model.module)
        };
        let violates = |other: &Model| matches!(other.expect, Expect::Violates { .. });
        if !of_area().any(|other| self::step(other).is_some() && violates(other)) {
            let message = format!(
                "is a step that keeps its invariant, and no step of `{}` breaks one: a check that cannot fail (add one from too \
                 weak an invariant, or of a faulty variant)",
                model.area
            );
            lint.report(model, "never-violated", message);
        }
        // The types may be kept by themselves.
        let from_same = |other: &&Model| {
            self::step(other).is_some_and(|asked| {
                let same = asked.init == step.init || IN_TYPES.contains(&asked.init.as_str());
                same && asked.cinit == step.cinit
            })
        };
        if !holds()
            .filter(from_same)
            .any(|other| keeps_types(lint, other, step))
        {
            let message = format!(
                "is a step from {0}, and no model says that a step keeps all of it (list {0} itself, or have InTypes or TypeOK in the \
                 invariant)",
                step.init
            );
            lint.report(model, "half-induction", message);
        }
        // What it says of steps alone is no invariant.
        let mut invariants = model.invariants.iter();
        let of_states =
            invariants.all(|name| lint.shape(model, name).is_some_and(|shape| !shape.primed));
        let is_base =
            |other: &Model| {
                let mut all = model.invariants.iter();
                other.symbolic.as_ref().is_some_and(|asked| {
                    asked.length == 0 && asked.starts && asked.cinit == step.cinit
                }) && all.all(|invariant| other.invariants.contains(invariant))
            };
        if of_states && !holds().any(is_base) {
            let message = format!(
                "is a step from {}, and no model says that the first states have its invariant (add it: length = 0)",
                step.init
            );
            lint.report(model, "half-induction", message);
        }
    }
}

/// What a model asks that starts from an invariant and takes steps. From the first states a run is a run.
fn step(model: &Model) -> Option<&Symbolic> {
    let asked = model.symbolic.as_ref()?;
    (asked.length > 0 && !asked.starts).then_some(asked)
}

/// What it checks is all that its variables were assigned: the predicate that it starts from, or one of the types.
fn keeps_types(lint: &Lint, model: &Model, step: &Symbolic) -> bool {
    let says_types = |invariant: &String| {
        let used = lint.module(model).map(|module| module.used_by(invariant));
        used.is_some_and(|used| IN_TYPES.iter().any(|types| used.contains(types)))
    };
    let mut invariants = model.invariants.iter();
    invariants.any(|invariant| *invariant == step.init || says_types(invariant))
}
