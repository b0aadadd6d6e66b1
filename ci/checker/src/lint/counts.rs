//! The locks against the claims: what a run counts reproducibly has its count, and nothing else has a line.

use super::Lint;
use crate::manifest::counts::{self, Counts};
use crate::manifest::{Engine, Model};

pub(super) fn check(lint: &mut Lint) {
    let manifest = lint.manifest;
    for model in &manifest.models {
        missing(lint, model);
    }
    for (area, lock) in &manifest.locks {
        let file = format!("specs/{area}/{}", counts::LOCK);
        for (name, (counts, line)) in lock {
            let model = manifest.model(name).filter(|model| model.area == *area);
            for (rule, message) in useless(name, *counts, model) {
                lint.at(&file, *line, rule, message);
            }
        }
    }
}

fn missing(lint: &mut Lint, model: &Model) {
    let (graph, trace) = (model.counts_graph(), model.counts_trace());
    let needed = [
        ("distinct", graph && model.distinct.is_none()),
        (
            "total",
            graph && model.engine == Engine::Tlc && model.total.is_none(),
        ),
        ("witness", trace && model.witness.is_none()),
    ];
    for (key, _) in needed.into_iter().filter(|(_, is_missing)| *is_missing) {
        let message = format!(
            "the lock has no `{key}` of it, so a model that shrinks would pass (run `interlock check --bless {}`)",
            model.name
        );
        lint.report(model, "no-count", message);
    }
}

/// What a line of a lock says that no run counts.
fn useless(name: &str, counts: Counts, model: Option<&Model>) -> Vec<(&'static str, String)> {
    const CURE: &str = "remove it, or run `interlock check --bless` of its area";
    let Some(model) = model else {
        let message = format!("no model of this area is named `{name}` ({CURE})");
        return vec![("stale-count", message)];
    };
    if model.engine == Engine::TlaChecker {
        let message = format!("`{name}` is counted by TLC's row ({CURE})");
        return vec![("stale-count", message)];
    }
    let (graph, trace) = (model.counts_graph(), model.counts_trace());
    let useless = [
        (
            "distinct",
            counts.distinct.is_some() && !graph,
            "the whole graph is not counted",
        ),
        (
            "total",
            counts.total.is_some() && !graph,
            "the whole graph is not counted",
        ),
        (
            "witness",
            counts.witness.is_some() && !trace,
            "no counterexample is expected",
        ),
    ];
    let useless = useless.into_iter().filter(|(_, is_useless, _)| *is_useless);
    let useless = useless.map(|(key, _, why)| {
        let message = format!("`{key}` of model `{name}`, but {why} ({CURE})");
        ("stale-count", message)
    });
    useless.collect()
}
