//! A model that need not run on each push, because its verdict follows from another's that does.
//!
//! The tasks of a module's `arriving` sets may stay away: no fairness obliges one to arrive, and one that has not is as if it were not
//! there. So each behaviour of a size, fair or not, is one of any size with more of them, in which these stay away: what is true of
//! all behaviours and steps at the larger size, and of each task of them, is true at the smaller one. The same holds of a counterexample
//! the other way round. Freedom from deadlock does not follow: where all are stuck, one more may still arrive.

use std::collections::BTreeSet;

use super::Lint;
use crate::manifest::{Engine, Expect, Manifest, Model};

pub(super) fn check(lint: &mut Lint) {
    let manifest = lint.manifest;
    for model in &manifest.models {
        let Some(name) = &model.follows_from else {
            continue;
        };
        let fault = match manifest.model(name) {
            None => Some("is not among the models".to_owned()),
            Some(other) => fault(manifest, model, other),
        };
        if let Some(fault) = fault {
            let message = format!(
                "does not follow from `{name}`, which {fault} (name another model, or let it run in lane `ci`)"
            );
            lint.report(model, "does-not-follow", message);
        }
    }
}

/// Why the verdict does not follow from the other's.
fn fault(manifest: &Manifest, model: &Model, other: &Model) -> Option<String> {
    let violated = match (&model.expect, &other.expect) {
        (Expect::Holds, Expect::Holds) => false,
        (Expect::Violates { property: one, .. }, Expect::Violates { property: two, .. })
            if one == two =>
        {
            true
        }
        _ => return Some("has another verdict".into()),
    };
    // what is true at the larger size, and what is violated at the smaller one
    let (small, large) = if violated {
        (other, model)
    } else {
        (model, other)
    };
    let asked: BTreeSet<&str> = other.checks().collect();
    let about = |model: &Model| {
        [
            model.area.clone(),
            model.module.clone(),
            model.design.clone(),
            model.spec.clone(),
        ]
    };
    let faults = [
        (
            [model, other].iter().any(|each| each.engine != Engine::Tlc),
            "is not of TLC's as this is",
        ),
        (
            about(model) != about(other),
            "is of another module, design or specification",
        ),
        (
            model.deadlock,
            "cannot say that a smaller size has no deadlock",
        ),
        (
            !violated && !model.checks().all(|check| asked.contains(check)),
            "does not check as much",
        ),
        (model.lane <= other.lane, "does not run in an earlier lane"),
        (
            model.constraint.is_some() || other.constraint.is_some(),
            "does not look at all states",
        ),
        (
            !is_within(manifest, small, large),
            "is not of a size of which only tasks that may stay away make the difference",
        ),
    ];
    let found = faults.into_iter().find(|(found, _)| *found);
    found.map(|(_, fault)| fault.to_owned())
}

/// Whether the sizes differ in tasks that may stay away alone, and the larger has all of the smaller's.
fn is_within(manifest: &Manifest, small: &Model, large: &Model) -> bool {
    let arriving = &manifest.module(small).arriving;
    let same_names = small.constants.keys().eq(large.constants.keys());
    same_names
        && small.constants.iter().all(|(constant, value)| {
            let other = &large.constants[constant];
            value == other
                || arriving.contains(constant)
                    && members(value)
                        .zip(members(other))
                        .is_some_and(|(few, many)| few.is_subset(&many))
        })
}

/// The members of a set that is written out.
fn members(value: &str) -> Option<BTreeSet<&str>> {
    let inner = value.trim().strip_prefix('{')?.strip_suffix('}')?;
    let members = inner.split(',').map(str::trim);
    Some(members.filter(|member| !member.is_empty()).collect())
}
