//! A check that never fails says nothing: what holds somewhere is violated somewhere else.

use std::collections::{BTreeMap, BTreeSet};

use super::Lint;
use crate::manifest::{Engine, Expect, Lane, Model};

/// Every check that holds on a module, freedom from deadlock included, is violated by another model of the module; in a lane that
/// runs whenever the first does. The few models of the lane `smoke` are a sample of `ci`, and so have their controls there.
pub(super) fn check(lint: &mut Lint) {
    let models = &lint.manifest.models;
    let mut violated: BTreeMap<_, Lane> = BTreeMap::new();
    for model in models {
        if let Expect::Violates { property, .. } = &model.expect {
            let lane = violated
                .entry(subject(model, property))
                .or_insert(model.lane);
            *lane = model.lane.min(*lane);
        }
    }
    let mut reported = BTreeSet::new();
    // of an inductive invariant a control is asked for in another way: see `induction`
    let explicit = |model: &&Model| model.engine != Engine::Apalache;
    for model in models
        .iter()
        .filter(explicit)
        .filter(|model| model.expect == Expect::Holds)
    {
        // a type invariant is there to find mistakes in the spec; no design is meant to violate it
        for check in model.checks().filter(|check| !check.ends_with("TypeOK")) {
            let subject = subject(model, check);
            let control = violated.get(&subject);
            if control.is_some_and(|lane| *lane <= model.lane.max(Lane::Ci))
                || !reported.insert(subject)
            {
                continue;
            }
            let message = match control {
                None => format!(
                    "{check} holds, and no model of module {} violates it: a check that cannot fail (add a variant that does)",
                    model.module
                ),
                Some(lane) => format!(
                    "{check} holds in lane {}, and is violated only in lane {}, so that nothing shows here that it can fail (move a \
                     model that violates it)",
                    model.lane.name(),
                    lane.name()
                ),
            };
            lint.report(model, "never-violated", message);
        }
    }
}

fn subject<'a>(model: &'a Model, check: &'a str) -> (&'a str, &'a str, &'a str) {
    (&model.area, &model.module, check)
}
