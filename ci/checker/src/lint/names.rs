//! Names that a row or a `[module]` uses and the TLA+ module does not have, and the other way round.

use std::collections::BTreeSet;

use super::Lint;
use crate::cfg;
use crate::manifest::{Engine, Expect, Model, Module, Symbolic, claims};
use crate::near::did_you_mean;

/// The operators of its module that a row names, each with the key that it does so by.
pub(super) fn operators(model: &Model) -> Vec<(String, &str)> {
    let asked = model.symbolic.as_ref();
    let spec = Some(&model.spec).filter(|_| model.engine != Engine::Apalache);
    let single = [
        ("spec", spec),
        ("init", asked.map(|asked| &asked.init)),
        ("next", asked.map(|asked| &asked.next)),
        ("cinit", asked.and_then(|asked| asked.cinit.as_ref())),
        ("property", model.property.as_ref()),
        ("symmetry", model.symmetry.as_ref()),
    ];
    let more = [
        ("view", model.view.as_ref()),
        ("constraint", model.constraint.as_ref()),
    ];
    let named = single
        .into_iter()
        .chain(more)
        .filter_map(|(key, operator)| Some((key.to_owned(), operator?.as_str())));
    let invariants = model
        .invariants
        .iter()
        .map(|operator| ("invariants".to_owned(), operator.as_str()));
    let replaced = model.constants.iter().filter_map(|(constant, value)| {
        Some((format!("constants.{constant}"), cfg::substitution(value)?))
    });
    named.chain(invariants).chain(replaced).collect()
}

pub(super) fn check_model(lint: &mut Lint, model: &Model) {
    let Some(module) = lint.module(model) else {
        return;
    };
    let mut found = Vec::new();

    for (key, operator) in operators(model) {
        if !module.defines(operator) {
            let near = did_you_mean(operator, module.operators());
            let message = format!(
                "`{key}` names {operator}, which {} does not define{near} (correct the name, or define it)",
                model.module
            );
            found.push(("undefined-operator", message));
        }
    }

    let given: BTreeSet<String> = match &model.symbolic {
        // `cinit` says what all of them may be, or Apalache refuses it.
        Some(Symbolic { cinit: Some(_), .. }) => module.constants().clone(),
        _ if model.expect == Expect::Typed => module.constants().clone(),
        _ => model.constants.keys().cloned().collect(),
    };
    for constant in module.constants().difference(&given) {
        let message = format!(
            "the constant {constant} of {} gets no value (add it to the module, the size, the design or the row; for Apalache, give `cinit`)",
            model.module
        );
        found.push(("constant-not-given", message));
    }
    for (constant, value) in &model.constants {
        let replaces = cfg::substitution(value).is_some() && module.defines(constant);
        if !module.constants().contains(constant) && !replaces {
            let near = did_you_mean(constant, module.constants().iter().map(String::as_str));
            let message = format!(
                "{} declares no constant {constant}{near} (correct the name, or remove it)",
                model.module
            );
            found.push(("constant-not-declared", message));
        }
    }

    let actions = &lint.manifest.module(model).actions;
    for silent in model
        .silent
        .iter()
        .filter(|silent| !actions.contains(silent))
    {
        let near = did_you_mean(silent, actions.iter().map(String::as_str));
        let message = format!(
            "`silent` names {silent}, which is no action of {}{near} (correct the name, or remove it)",
            model.module
        );
        found.push(("silent-unknown", message));
    }

    for (rule, message) in found {
        lint.report(model, rule, message);
    }
}

pub(super) fn check_module(lint: &mut Lint, declared: &Module) {
    let Some(module) = lint
        .modules
        .get(&(declared.area.clone(), declared.name.clone()))
    else {
        return;
    };
    if declared.engine != Engine::Tlc {
        return;
    }
    let mut found = Vec::new();
    let undefined = |operator: &&String| !module.defines(operator);
    for operator in declared.actions.iter().filter(undefined) {
        let near = did_you_mean(operator, module.operators());
        let message = format!(
            "module `{}` does not define {operator}{near} (correct the name, or define it)",
            declared.name
        );
        found.push(("undefined-operator", message));
    }
    // A step that the manifest does not know of is a step whose coverage nobody looks at.
    let specs = lint
        .manifest
        .models
        .iter()
        .filter(|model| (&model.area, &model.module) == (&declared.area, &declared.name));
    let mut steps: Vec<_> = specs.flat_map(|model| module.steps(&model.spec)).collect();
    steps.sort_unstable();
    steps.dedup();
    for step in steps {
        if !module
            .used_by(step)
            .into_iter()
            .any(|used| declared.actions.iter().any(|action| action == used))
        {
            let message = format!(
                "`actions` of module `{}` lacks {step}, a step of its next-state relation (add it)",
                declared.name
            );
            found.push(("action-unlisted", message));
        }
    }
    for (rule, message) in found {
        lint.at(&claims(&declared.area), declared.line, rule, message);
    }
}
