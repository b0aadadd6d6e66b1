//! What one run of TLC found: its exit status, its message codes and the property's name read together.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use crate::blame;
use crate::manifest::{Kind, Model};
use crate::process::{End, Stop};
use interlock_tla::messages::{Message, Output};

/// TLC's message codes, as its `EC.java` names them.
mod code {
    pub const ASSUMPTION_FALSE: u32 = 2104;
    pub const INVARIANT_VIOLATED_INITIAL: u32 = 2107;
    pub const PROPERTY_VIOLATED_INITIAL: u32 = 2108;
    pub const INVARIANT_VIOLATED: u32 = 2110;
    pub const ACTION_PROPERTY_VIOLATED: u32 = 2112;
    pub const DEADLOCK: u32 = 2114;
    pub const TEMPORAL_PROPERTY_VIOLATED: u32 = 2116;
    /// "The behavior up to this point is:"
    pub const BEHAVIOR: u32 = 2121;
    pub const FINISHED: u32 = 2186;
    pub const SUCCESS: u32 = 2193;
    pub const STATS: u32 = 2199;
    /// "The following behavior constitutes a counter-example:"
    pub const COUNTEREXAMPLE: u32 = 2264;
    pub const VERSION: u32 = 2262;
    pub const COVERAGE_NEXT: u32 = 2772;
    pub const PARSING_FAILED: u32 = 3002;
    /// Advice to use a parallel garbage collector, which costs small models more than it gives.
    pub const GARBAGE_COLLECTOR: u32 = 2401;
}

/// TLC's own exit statuses that mean a violation, the message that must come with each, and what it means.
const VIOLATIONS: [(i32, u32, Kind); 7] = [
    (10, code::ASSUMPTION_FALSE, Kind::Assumption),
    (11, code::DEADLOCK, Kind::Deadlock),
    (12, code::INVARIANT_VIOLATED, Kind::Invariant),
    (12, code::INVARIANT_VIOLATED_INITIAL, Kind::Invariant),
    (13, code::PROPERTY_VIOLATED_INITIAL, Kind::Invariant),
    (13, code::ACTION_PROPERTY_VIOLATED, Kind::Action),
    (13, code::TEMPORAL_PROPERTY_VIOLATED, Kind::Temporal),
];

/// What a run found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The whole state space satisfies every check.
    Holds,
    /// Everything has a type.
    Typed,
    /// A counterexample.
    Violates {
        /// What is violated, by the name TLC gives it; `Deadlock` for a deadlock.
        property: String,
        /// How.
        kind: Kind,
    },
    /// No answer within the budget.
    Inconclusive {
        /// Why, as a sentence.
        why: String,
    },
    /// No verdict: TLC, the spec or the machine failed.
    Error {
        /// Why, as a sentence.
        why: String,
    },
}

impl Outcome {
    /// Whether it answers the question, one way or the other.
    pub fn is_verdict(&self) -> bool {
        match self {
            Self::Holds | Self::Typed | Self::Violates { .. } => true,
            Self::Inconclusive { .. } | Self::Error { .. } => false,
        }
    }

    /// The exit status of a child that ended by itself; else what it means that the runner has killed it.
    pub(crate) fn unless_killed(stop: Stop, model: &Model) -> Result<ExitStatus, Outcome> {
        let why = match stop {
            Stop::Exited(status) => return Ok(status),
            Stop::Budget => format!(
                "no verdict within its budget of {} s of CPU time; its processes were killed",
                model.budget
            ),
            Stop::Idle => {
                "no verdict, and next to no CPU time used for minutes: it hangs; its processes were killed".into()
            }
            Stop::Interrupted => "interrupted".into(),
        };
        Err(Outcome::Inconclusive { why })
    }
}

/// What a run found and counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What it found.
    pub outcome: Outcome,
    /// The engine and its version, for the reports.
    pub tool: Option<String>,
    /// The totals, if TLC came to print them.
    pub totals: Option<Totals>,
    /// How many states each action of the next-state relation generated, duplicates included; `None` if TLC was not asked.
    pub fired: Option<BTreeMap<String, u64>>,
    /// Wall time.
    pub took: Duration,
    /// CPU time, user and system.
    pub cpu: Duration,
    /// The most memory that was resident, in bytes.
    pub peak: u64,
    /// How many runs it took.
    pub runs: u32,
    /// Whether what it found, and its cost, are those of an earlier run.
    pub evidence: bool,
}

/// TLC's count of the state graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    /// States generated, duplicates included.
    pub total: u64,
    /// Distinct states.
    pub distinct: u64,
    /// States found but not explored; `None` of an engine that does not count them, and stops with another verdict if there are any.
    pub left: Option<u64>,
}

impl Verdict {
    /// Judges a run of `model` that ended so, with this output.
    pub fn new(model: &Model, end: End, output: &Output, stderr: &str, coverage: bool) -> Verdict {
        let totals = output
            .of(code::STATS)
            .last()
            .and_then(|message| Totals::parse(&message.body));
        let version = output.of(code::VERSION).next();
        Verdict {
            outcome: outcome(model, end, output, totals, stderr),
            tool: version.map(|message| message.body.trim().to_owned()),
            totals,
            fired: coverage.then(|| fired(output)),
            took: end.took,
            cpu: end.cpu,
            peak: end.peak,
            runs: 1,
            evidence: false,
        }
    }

    /// Whether TLC explored the whole state graph, so that its counts are facts about the model.
    pub fn complete(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::Holds
                | Outcome::Violates {
                    kind: Kind::Temporal,
                    ..
                }
        ) && self
            .totals
            .is_some_and(|totals| totals.left.is_none_or(|left| left == 0))
    }
}

/// Whether TLC shows a behaviour that violates something. Its distributed mode does not say what, and ends with status 0.
pub fn shows_behavior(output: &Output) -> bool {
    output.has(code::BEHAVIOR)
}

/// Whether TLC's parser does not take the module for TLA+.
pub fn is_refused(output: &Output) -> bool {
    output.has(code::PARSING_FAILED)
}

/// Whether TLC has found a lasso and then failed to write it down: it reads the prefix and the cycle from one file in two threads
/// at once, and now and then one finds itself at the other's place (tlaplus issue 597; no release on Maven Central has the cure).
/// Such a run has no verdict, and another one may have.
pub fn lasso_is_torn(output: &Output) -> bool {
    output.has(code::TEMPORAL_PROPERTY_VIOLATED) && !output.has(code::FINISHED)
}

impl Totals {
    /// Reads `17 states generated, 12 distinct states found, 0 states left on queue.`
    fn parse(body: &str) -> Option<Totals> {
        let mut parts = body.trim().strip_suffix('.')?.split(", ");
        let mut number = |unit: &str| {
            parts
                .next()?
                .strip_suffix(unit)?
                .trim_end()
                .replace(',', "")
                .parse()
                .ok()
        };
        let totals = Totals {
            total: number("states generated")?,
            distinct: number("distinct states found")?,
            left: Some(number("states left on queue")?),
        };
        parts.next().is_none().then_some(totals)
    }
}

fn outcome(
    model: &Model,
    end: End,
    output: &Output,
    totals: Option<Totals>,
    stderr: &str,
) -> Outcome {
    let error = |why: String| Outcome::Error { why };
    let status = match Outcome::unless_killed(end.stop, model) {
        Ok(status) => status,
        Err(killed) => return killed,
    };
    let Some(status) = status.code() else {
        let signal = status.signal().unwrap_or_default();
        return error(format!(
            "the JVM was killed by signal {signal}{}",
            blame::signal(signal)
        ));
    };
    let blamed = || blame::sentence(output, stderr);
    if let Some(damage) = &output.damage {
        return error(format!(
            "TLC's output is cut off or not TLC's: {damage} (exit status {status}){}",
            blamed()
        ));
    }
    if !output.has(code::FINISHED) {
        return error(format!(
            "TLC ended without finishing (exit status {status}){}",
            blamed()
        ));
    }
    let warning =
        |message: &&Message| message.severity == 3 && message.code != code::GARBAGE_COLLECTOR;
    if let Some(message) = output.messages.iter().find(warning) {
        return error(format!(
            "TLC warns, so its verdict is not used: {}",
            blame::first_line(&message.body)
        ));
    }
    let explained = [code::BEHAVIOR, code::COUNTEREXAMPLE];
    let errors: Vec<&Message> = output
        .messages
        .iter()
        .filter(|m| matches!(m.severity, 1 | 2) && !explained.contains(&m.code))
        .collect();
    match errors.as_slice() {
        [] if status == 0 && output.has(code::SUCCESS) => match totals {
            Some(Totals { left: Some(0), .. }) => Outcome::Holds,
            Some(Totals {
                left: Some(left), ..
            }) => error(format!(
                "TLC reports success with {left} states not explored"
            )),
            _ => error("TLC reports success without its totals".into()),
        },
        [message] => {
            let known = VIOLATIONS
                .iter()
                .find(|(rc, code, _)| (*rc, *code) == (status, message.code));
            match known {
                Some((_, _, kind)) if !output.has(code::SUCCESS) => {
                    violation(model, *kind, message)
                }
                _ => error(format!("TLC failed (exit status {status}){}", blamed())),
            }
        }
        _ => error(format!("TLC failed (exit status {status}){}", blamed())),
    }
}

fn violation(model: &Model, kind: Kind, message: &Message) -> Outcome {
    let line = message.body.lines().next().unwrap_or_default();
    let between = |before: &str, after: &str| {
        Some(line.strip_prefix(before)?.split_once(after)?.0.to_owned())
    };
    let property = match message.code {
        code::DEADLOCK => Some("Deadlock".into()),
        code::INVARIANT_VIOLATED | code::INVARIANT_VIOLATED_INITIAL => {
            between("Invariant ", " is violated")
        }
        code::PROPERTY_VIOLATED_INITIAL => between("Property ", " is violated"),
        code::ACTION_PROPERTY_VIOLATED => between("Action property ", " is violated"),
        code::ASSUMPTION_FALSE => between("Assumption ", " is false"),
        // The pinned TLC does not name the property, but its cfg has only one; newer ones do.
        code::TEMPORAL_PROPERTY_VIOLATED
            if line.starts_with("Temporal properties were violated") =>
        {
            model.property.clone()
        }
        _ => between("Temporal property ", " was violated")
            .or_else(|| between("Temporal properties ", " were violated")),
    };
    match property {
        Some(property) => Outcome::Violates { property, kind },
        None => Outcome::Error {
            why: format!("TLC reports a violation, but of what is not clear: {line}"),
        },
    }
}

/// Per action, the states that it generated: `<Enter line 7, col 1 to line 7, col 8 of module Small>: 3:12`. An operator that Next
/// uses twice has two rows.
fn fired(output: &Output) -> BTreeMap<String, u64> {
    let mut fired = BTreeMap::new();
    for message in output
        .coverage()
        .iter()
        .filter(|message| message.code == code::COVERAGE_NEXT)
    {
        let Some((name, count)) = coverage(&message.body) else {
            continue;
        };
        *fired.entry(name).or_default() += count;
    }
    fired
}

fn coverage(body: &str) -> Option<(String, u64)> {
    let (label, counts) = body.trim().strip_prefix('<')?.rsplit_once(">: ")?;
    // newer versions of TLC show an action's parameters: `<Enter(t) line ...`
    let name = label.split([' ', '(']).next()?;
    let (_distinct, total) = counts.split_once(':')?;
    Some((name.to_owned(), total.replace(',', "").parse().ok()?))
}
