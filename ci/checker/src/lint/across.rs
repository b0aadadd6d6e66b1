//! Faults that show only when models are compared with each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Lint;
use crate::manifest::{Engine, Expect, Model, claims};

pub(super) fn check(lint: &mut Lint) {
    duplicates(lint);
    never_violated(lint);
    unused_modules(lint);
    headlines(lint);
}

fn headlines(lint: &mut Lint) {
    let manifest = lint.manifest;
    for area in &manifest.areas {
        for name in &area.headlines {
            let model = manifest.model(name);
            if model.is_none_or(|model| model.area != area.name) {
                let message = format!(
                    "area `{}` has no model `{name}` for a headline (correct the name)",
                    area.name
                );
                lint.at(&claims(&area.name), area.line, "unknown-headline", message);
            }
        }
    }
}

fn duplicates(lint: &mut Lint) {
    fn checks(model: &Model) -> impl Ord {
        let invariants: BTreeSet<String> = model.invariants.iter().cloned().collect();
        let reductions = [
            model.symmetry.clone(),
            model.view.clone(),
            model.constraint.clone(),
        ];
        let module = [model.area.clone(), model.module.clone(), model.spec.clone()];
        (
            (model.engine, model.symbolic.clone()),
            module,
            model.constants.clone(),
            invariants,
            model.property.clone(),
            model.deadlock,
            reductions,
        )
    }
    let mut seen = BTreeMap::new();
    for model in &lint.manifest.models {
        let first: &Model = seen.entry(checks(model)).or_insert(model);
        if first.name != model.name {
            let message = format!(
                "checks the same as `{}` on line {} of {} (remove one of them)",
                first.name, first.line, first.file
            );
            lint.report(model, "duplicate-check", message);
        }
    }
}

/// Every property that holds somewhere is violated somewhere else, or nothing shows that it can fail.
fn never_violated(lint: &mut Lint) {
    let violated: BTreeSet<_> = lint
        .manifest
        .models
        .iter()
        .filter_map(|model| match &model.expect {
            Expect::Violates { property, .. } => Some((&model.area, property)),
            Expect::Holds | Expect::Typed => None,
        })
        .collect();
    let mut reported = BTreeSet::new();
    for model in lint
        .manifest
        .models
        .iter()
        // of an inductive invariant a control is asked for in another way: see `induction`
        .filter(|model| model.expect == Expect::Holds && model.engine != Engine::Apalache)
    {
        // a type invariant is there to find mistakes in the spec; no design is meant to violate it
        for property in model
            .invariants
            .iter()
            .chain(&model.property)
            .filter(|property| *property != "TypeOK")
        {
            let key = (&model.area, property);
            if !violated.contains(&key) && reported.insert(key) {
                let message = format!(
                    "{property} holds, and no model of `{}` violates it: a check that cannot fail (add a variant that does)",
                    model.area
                );
                lint.report(model, "never-violated", message);
            }
        }
    }
}

fn unused_modules(lint: &mut Lint) {
    let manifest = lint.manifest;
    for module in &manifest.modules {
        if !manifest
            .models
            .iter()
            .any(|model| (&model.area, &model.module) == (&module.area, &module.name))
        {
            let message = format!(
                "no model runs on module `{0}` (add one, or remove the [module.{0}])",
                module.name
            );
            lint.at(&claims(&module.area), module.line, "unused-module", message);
        }
    }
}
