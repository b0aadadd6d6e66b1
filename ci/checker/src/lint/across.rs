//! Faults that show only when models are compared with each other.

use std::collections::{BTreeMap, BTreeSet};

use super::Lint;
use crate::manifest::{Model, claims};

pub(super) fn check(lint: &mut Lint) {
    duplicates(lint);
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
