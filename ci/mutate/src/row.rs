//! Which rows are asked about mutants, and what a row names.

use interlock_checker::costs::estimate;
use interlock_checker::manifest::{Engine, Lane, Model};

/// Rows that cost more CPU seconds, by an estimate that is the same on every machine, are not asked: a survivor costs all of them.
const DEAREST: f64 = 5.1;

/// Whether mutants are shown to a row. TLC decides it in seconds, as it is known of one whose graph is counted, or that each push runs.
/// Of Apalache's are those of each push.
pub(crate) fn is_asked(model: &Model) -> bool {
    let of_push = model.lane <= Lane::Ci;
    match model.engine {
        Engine::Tlc => {
            let is_known = of_push || model.total.is_some() && model.follows_from.is_none();
            is_known && estimate(model) <= DEAREST
        }
        Engine::Apalache => of_push,
        Engine::TlaChecker => false,
    }
}

/// What a row takes the steps from: its specification, or the relation that Apalache is given.
pub(crate) fn next(model: &Model) -> Option<&str> {
    match &model.symbolic {
        Some(asked) => Some(&asked.next),
        None if model.engine == Engine::Tlc => Some(&model.spec),
        None => None,
    }
}

/// What Apalache is given for the first states and for the constants.
pub(crate) fn first(model: &Model) -> impl Iterator<Item = &str> {
    let asked = model.symbolic.iter();
    asked.flat_map(|asked| asked.cinit.iter().chain([&asked.init]).map(String::as_str))
}

/// What a row names beside its steps.
pub(crate) fn asked(model: &Model) -> impl Iterator<Item = &str> {
    let named = model.invariants.iter();
    let named = named
        .chain(&model.property)
        .chain(&model.symmetry)
        .chain(&model.view)
        .chain(&model.constraint);
    let named = named.map(String::as_str).chain(substituted(model));
    named.chain(first(model))
}

/// The operators that a row puts in the place of constants and of others.
pub(crate) fn substituted(model: &Model) -> impl Iterator<Item = &str> {
    let values = model.constants.values();
    values.filter_map(|value| value.strip_prefix("<-").map(str::trim))
}
