//! What tla-checker found: its exit status and its report, which must agree.

use std::os::unix::process::ExitStatusExt;

use serde::Deserialize;

use crate::blame;
use crate::manifest::{Kind, Model};
use crate::process::End;
use crate::verdict::{Outcome, Totals};

/// What it says on standard error of something in the spec or the cfg that it passes over.
const IGNORES: [&str; 2] = ["ignoring", "does not match"];

/// What a run has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its outcome.
    pub outcome: Outcome,
    /// The states that it counted.
    pub totals: Option<Totals>,
    /// The states of its counterexample.
    pub witness: Option<usize>,
}

/// What a run of `model` has found that ended so and printed this.
pub fn found(model: &Model, end: End, stdout: &str, stderr: &str) -> Found {
    let report = Report::parse(stdout);
    let outcome = match Outcome::unless_killed(end.stop, model) {
        Err(killed) => killed,
        Ok(status) => match (status.code(), &report) {
            (None, _) => {
                let signal = status.signal().unwrap_or_default();
                Outcome::Error {
                    why: format!(
                        "tla-checker was killed by signal {signal}{}",
                        blame::signal(signal)
                    ),
                }
            }
            (Some(_), None) => Outcome::Error {
                why: "tla-checker ended without a report".into(),
            },
            (Some(status), Some(report)) => report.outcome(status, model, stdout, stderr),
        },
    };
    let report = report.unwrap_or_default();
    Found {
        outcome,
        totals: report.stats.map(|stats| Totals {
            total: stats.transitions,
            distinct: stats.states_explored,
            left: None,
        }),
        witness: (report.status == "invariant_violation" || report.status == "deadlock")
            .then_some(report.trace.len()),
    }
}

/// What it prints at its end, as far as it is read here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Report {
    status: String,
    error: Option<String>,
    invariant_name: Option<String>,
    property: Option<String>,
    properties_checked: Vec<String>,
    properties: Vec<Counted>,
    trace: Vec<serde_json::Value>,
    stats: Option<Stats>,
}

/// In how many states a predicate was true, of those that it was evaluated in.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Counted {
    name: String,
    satisfied: u64,
    total: u64,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
struct Stats {
    states_explored: u64,
    transitions: u64,
}

impl Report {
    /// The report stands behind lines about the spec.
    fn parse(stdout: &str) -> Option<Report> {
        let start = stdout.find("{\"status\"")?;
        serde_json::from_str(&stdout[start..]).ok()
    }

    /// How what it looked at is not what it was asked; `None` if it is. It says how many invariants it took from the cfg, and in how
    /// many states each was true: all of them.
    fn overlooks(&self, model: &Model, stdout: &str) -> Option<String> {
        let listed = model.invariants.len();
        let said = stdout
            .lines()
            .find_map(|line| line.trim().strip_prefix("Invariants: "));
        let taken = said.and_then(|number| number.parse::<usize>().ok());
        if taken != Some(listed) {
            return Some(match taken {
                Some(taken) => format!("tla-checker took {taken} of {listed} invariants"),
                None => format!("tla-checker does not say how many of {listed} invariants it took"),
            });
        }
        let states = self.stats.map(|stats| stats.states_explored);
        let in_all = |name: &String| {
            let mut counted = self
                .properties
                .iter()
                .filter(|counted| counted.name == *name);
            counted
                .any(|counted| Some(counted.satisfied) == states && Some(counted.total) == states)
        };
        let overlooked = model.invariants.iter().find(|name| !in_all(name))?;
        Some(format!(
            "tla-checker does not say that {overlooked} is true in each of its states"
        ))
    }

    fn outcome(&self, status: i32, model: &Model, stdout: &str, stderr: &str) -> Outcome {
        let error = |why: String| Outcome::Error { why };
        let ignored = |line: &&str| {
            line.contains("Warning:") && IGNORES.iter().any(|ignores| line.contains(ignores))
        };
        if let Some(line) = stderr.lines().find(ignored) {
            return error(format!(
                "tla-checker passes over something: {}",
                line.trim()
            ));
        }
        let overlooked = || self.overlooks(model, stdout);
        match (status, self.status.as_str()) {
            (0, "ok") if let Some(why) = overlooked() => error(why),
            (0, "ok")
                if model
                    .property
                    .iter()
                    .all(|asked| self.properties_checked.contains(asked)) =>
            {
                Outcome::Holds
            }
            (0, "ok") => error("tla-checker reports success without its property".into()),
            (1, "invariant_violation") => match &self.invariant_name {
                Some(property) => Outcome::Violates {
                    property: property.clone(),
                    kind: Kind::Invariant,
                },
                None => error("tla-checker names no invariant".into()),
            },
            (1, "liveness_violation") => match &self.property {
                Some(property) => Outcome::Violates {
                    property: property.clone(),
                    kind: Kind::Temporal,
                },
                None => error("tla-checker names no property".into()),
            },
            (1, "deadlock") => Outcome::Violates {
                property: "Deadlock".into(),
                kind: Kind::Deadlock,
            },
            (_, said) => {
                let why = self.error.as_deref().and_then(|error| error.lines().next());
                let why = why.map(|why| format!(": {why}")).unwrap_or_default();
                error(format!(
                    "tla-checker failed ({said}, exit status {status}){why}"
                ))
            }
        }
    }
}
