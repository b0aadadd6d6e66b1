//! A run against its row: every way in which it is not what the manifest says, as a sentence.

use std::collections::{BTreeMap, BTreeSet};

use crate::manifest::{Engine, Expect, Kind, Model, Module};
use crate::verdict::{Outcome, Verdict};

/// A verdict in a table's cell.
pub fn found(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Holds => "holds".into(),
        Outcome::Typed => "typed".into(),
        Outcome::Violates { property, kind } => violates(property, *kind),
        Outcome::Inconclusive { .. } => "inconclusive".into(),
        Outcome::Error { .. } => "error".into(),
    }
}

/// The expected verdict in a table's cell.
pub fn expected(expect: &Expect) -> String {
    match expect {
        Expect::Holds => "holds".into(),
        Expect::Typed => "typed".into(),
        Expect::Violates { property, kind } => violates(property, *kind),
    }
}

fn violates(property: &str, kind: Kind) -> String {
    match kind {
        Kind::Deadlock => format!("violates {property}"),
        _ => format!("violates {property} ({})", kind.name()),
    }
}

/// The sentences; none if the run is as its row says. `witness` is the number of states of the counterexample, `pinned` whether
/// the jar is the pinned one. Only for a verdict: neither inconclusive nor an error.
pub fn faults(
    model: &Model,
    module: &Module,
    verdict: &Verdict,
    witness: Option<usize>,
    pinned: bool,
) -> Vec<String> {
    let (expected, found) = (expected(&model.expect), found(&verdict.outcome));
    if expected != found {
        let engine = match model.engine {
            Engine::Tlc => "TLC",
            other => other.name(),
        };
        return vec![format!("expected: {expected}; {engine} found: {found}")];
    }
    let mut faults = Vec::new();
    // A second opinion on TLC's own row has that row's counts.
    let first = model.second_of.as_ref();
    let first = first.filter(|_| model.engine == Engine::TlaChecker);
    let counted = first.unwrap_or(&model.name);
    let complete = verdict.complete();
    let totals = verdict.totals;
    pin(
        counted,
        "distinct",
        model.distinct,
        totals.map(|totals| totals.distinct),
        complete,
        &mut faults,
    );
    // Another engine counts the same states, but need not generate each as often.
    if model.engine == Engine::Tlc {
        pin(
            counted,
            "total",
            model.total,
            totals.map(|totals| totals.total),
            complete,
            &mut faults,
        );
    }
    let lasso = matches!(
        verdict.outcome,
        Outcome::Violates {
            kind: Kind::Temporal,
            ..
        }
    );
    // Which lasso is found is the version's choice; the shortest path to a bad state is not.
    if !lasso || (pinned && model.engine == Engine::Tlc) {
        let required =
            matches!(verdict.outcome, Outcome::Violates { kind, .. } if kind != Kind::Assumption);
        let number = |states: usize| states as u64;
        pin(
            counted,
            "witness",
            model.witness.map(number),
            witness.map(number),
            required,
            &mut faults,
        );
    }
    if let Some(fired) = verdict.fired.as_ref().filter(|_| complete) {
        coverage(model, module, fired, &mut faults);
    }
    faults
}

fn pin(
    name: &str,
    field: &str,
    pinned: Option<u64>,
    measured: Option<u64>,
    required: bool,
    faults: &mut Vec<String>,
) {
    match (pinned, measured) {
        (Some(pinned), Some(measured)) if pinned != measured => {
            faults.push(format!(
                "{field} is {measured}, but the lock says {pinned} (run `interlock check --bless {name}`, if that is right)"
            ));
        }
        (Some(pinned), None) => faults.push(format!(
            "the lock says {field} = {pinned}, but none was found"
        )),
        (None, Some(measured)) if required => {
            faults.push(format!(
                "{field} is {measured}, and the lock says nothing (run `interlock check --bless {name}`, if that is right)"
            ));
        }
        (None, None) if required => {
            faults.push(format!("the lock has no {field}, and none was found"))
        }
        _ => {}
    }
}

/// The actions of Next are the module's, and those that never fire are the row's `silent` ones.
fn coverage(
    model: &Model,
    module: &Module,
    fired: &BTreeMap<String, u64>,
    faults: &mut Vec<String>,
) {
    let declared: BTreeSet<&str> = module.actions.iter().map(String::as_str).collect();
    let silent: BTreeSet<&str> = model.silent.iter().map(String::as_str).collect();
    let name = &module.name;
    for (action, &times) in fired {
        let action = action.as_str();
        if !declared.contains(action) {
            faults.push(format!(
                "Next has the action {action}, which is not among the `actions` of module {name}"
            ));
        } else if times > 0 && silent.contains(action) {
            faults.push(format!("the action {action} is `silent`, but it fired"));
        } else if times == 0 && !silent.contains(action) {
            faults.push(format!(
                "the action {action} never fired, and is not `silent`"
            ));
        }
    }
    for action in declared
        .iter()
        .filter(|action| !fired.contains_key(**action))
    {
        faults.push(format!(
            "Next has no action {action}, which is among the `actions` of module {name}"
        ));
    }
    for action in silent.difference(&declared) {
        faults.push(format!(
            "the `silent` action {action} is not among the `actions` of module {name}"
        ));
    }
}
