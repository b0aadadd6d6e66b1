//! What Apalache found: its exit status and the line with the outcome, which must agree.

use std::os::unix::process::ExitStatusExt;

use crate::blame;
use crate::manifest::{Expect, Kind, Model};
use crate::process::End;
use crate::verdict::Outcome;

const HOLDS: i32 = 0;
/// An invariant is violated, or there is a deadlock.
const VIOLATED: i32 = 12;
const ILL_TYPED: i32 = 120;

/// What a run of `model` has found that ended so and printed this. `kind` is what a violation of the model's invariants is one of.
pub fn outcome(model: &Model, kind: Kind, end: End, stdout: &str, stderr: &str) -> Outcome {
    let error = |why: String| Outcome::Error { why };
    let status = match Outcome::unless_killed(end.stop, model) {
        Ok(status) => status,
        Err(killed) => return killed,
    };
    let Some(status) = status.code() else {
        let signal = status.signal().unwrap_or_default();
        return error(format!(
            "Apalache was killed by signal {signal}{}",
            blame::signal(signal)
        ));
    };
    let failed = || {
        let blamed = complaint(stdout).or_else(|| complaint(stderr));
        let blamed = blamed.map(|line| format!(": {line}")).unwrap_or_default();
        error(format!("Apalache failed (exit status {status}){blamed}"))
    };
    if status == ILL_TYPED {
        let blamed = complaint(stdout).unwrap_or_default();
        return error(format!("a type error: {blamed}"));
    }
    if model.expect == Expect::Typed {
        return match status {
            HOLDS if has(stdout, "Type checker [OK]") => Outcome::Typed,
            _ => failed(),
        };
    }
    let said = stdout
        .lines()
        .find_map(|line| line.trim().strip_prefix("The outcome is: "))
        .and_then(|said| said.split_whitespace().next());
    match (status, said) {
        (HOLDS, Some("NoError")) => Outcome::Holds,
        (HOLDS, Some("ExecutionsTooShort")) => error(
            "no execution is as long as `length`, so nothing was checked (make it shorter, or correct `init`)".into(),
        ),
        (VIOLATED, Some("Deadlock")) => Outcome::Violates {
            property: "Deadlock".into(),
            kind: Kind::Deadlock,
        },
        (VIOLATED, Some("Error")) => Outcome::Violates {
            // Apalache numbers the conjuncts of all invariants, and names none.
            property: model.invariants.join(" or "),
            kind,
        },
        _ => failed(),
    }
}

fn has(text: &str, part: &str) -> bool {
    text.lines().any(|line| line.contains(part))
}

/// The first line that is marked as an error, without the mark and the time behind it.
fn complaint(text: &str) -> Option<String> {
    let marked = |line: &str| {
        let (said, time) = line.rsplit_once(" E@")?;
        time.starts_with(|c: char| c.is_ascii_digit())
            .then(|| said.trim().to_owned())
    };
    text.lines().find_map(marked).or_else(|| {
        let plain = text
            .lines()
            .find(|line| line.to_lowercase().contains("error"));
        plain.map(|line| line.trim().to_owned())
    })
}
