//! What says that something follows from something holds too where that never happens: a probe shows that it does.

use super::Lint;
use crate::manifest::{Expect, Kind, Lane, Model};

/// A property that holds, and starts from something (`P ~> Q`, `[][P => Q]_v`), has a probe: a model of the same constants with a
/// counterexample in which that is so. What starts from nothing, such as `[]<>P` or a refinement `[][A \/ B]_v`, is about each step, and
/// which actions are taken is counted anyway. The few models of the lane `smoke` have their probes in `ci`.
pub(super) fn check(lint: &mut Lint, model: &Model) {
    let (Some(property), Expect::Holds) = (&model.property, &model.expect) else {
        return;
    };
    // what is no formula about behaviours is a finding of its own
    if !lint
        .shape(model, property)
        .is_some_and(|shape| shape.is_temporal())
    {
        return;
    }
    let module = lint.module(model);
    if !module.is_some_and(|module| module.has_antecedent(property)) && model.probe.is_none() {
        return;
    }
    let Some(name) = &model.probe else {
        let message = format!(
            "{property} may hold because nothing ever starts it (name as `probe` a model that violates the negation of its left side)"
        );
        return lint.report(model, "missing-probe", message);
    };
    let Some(probe) = lint.manifest.model(name) else {
        return lint.report(
            model,
            "missing-probe",
            format!("its probe `{name}` is not there (add that model)"),
        );
    };
    let violated = match &probe.expect {
        Expect::Violates {
            property,
            kind: Kind::Invariant | Kind::Action,
        } => Some(property),
        _ => None,
    };
    let shows = |violated| module.is_none_or(|module| module.reaches(violated, property));
    let later = probe.lane > model.lane.max(Lane::Ci) && probe.follows_from.is_none();
    let same_module = (&probe.area, &probe.module) == (&model.area, &model.module);
    let faults = [
        (!same_module, "runs on another module"),
        (probe.constants != model.constants, "has other constants"),
        (
            violated.is_none(),
            "is not expected to violate an invariant, or a property of steps",
        ),
        (later, "runs in a later lane"),
        (
            same_module && violated.is_some_and(|violated| !shows(violated)),
            "violates what need not be violated where that starts",
        ),
    ];
    for (_, fault) in faults.into_iter().filter(|(found, _)| *found) {
        let message = format!(
            "its probe `{name}` {fault}, so it shows nothing about {property} (name one that does)"
        );
        lint.report(model, "bad-probe", message);
    }
}
