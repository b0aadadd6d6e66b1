//! Which conditions of an action are false where a trace stops: TLC evaluates each in the states that are possible there.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;

use super::protocol::Protocol;
use super::search::Refusal;
use super::tlc::Tlc;
use crate::recording::Trace;
use interlock_tla::module::{Guard, Module};
use interlock_tla::value::Value;

/// A guard of an action that could be taken as an event.
struct Asked<'a> {
    /// The event's.
    place: usize,
    action: &'a str,
    guard: Guard,
}

/// For each event that could come next, by its place: the conditions that are false in every possible state.
///
/// # Errors
/// As [`Tlc::print`]; if the specification cannot be read.
pub fn conjuncts(
    tlc: &Tlc,
    protocol: &Protocol,
    root: &Path,
    trace: &Trace,
    refusal: &Refusal,
) -> Result<BTreeMap<usize, Vec<String>>> {
    let [specs, _] = protocol.library(root);
    let module = Module::read(&specs, protocol.actions)?;
    let mut asked: Vec<Asked> = Vec::new();
    for (place, _) in &refusal.next {
        let event = &trace.events[*place];
        for action in event.names() {
            let guards = module.guards(action, &event.args).unwrap_or_default();
            asked.extend(guards.into_iter().map(|guard| Asked {
                place: *place,
                action,
                guard,
            }));
        }
    }
    let fit = prefix(trace, refusal)?;
    if asked.is_empty() || fit.events.is_empty() {
        return Ok(BTreeMap::new());
    }
    let each: Vec<String> = asked.iter().map(|one| one.guard.formula.clone()).collect();
    let evaluated = ever_true(tlc, protocol, &fit, &each).or_else(|_| {
        // Where one is false, a later one may have no value, as it need not have one for the action.
        let chains = ever_true(tlc, protocol, &fit, &after_those_before(&asked))?;
        Ok::<_, anyhow::Error>(but_for_the_first(&asked, &chains))
    })?;
    Ok(faults(&asked, &evaluated))
}

/// Each guard together with the action's guards before it.
fn after_those_before(asked: &[Asked]) -> Vec<String> {
    let before = |at: usize| {
        let one = &asked[at];
        let same = asked[..at]
            .iter()
            .filter(|other| (other.place, other.action) == (one.place, one.action));
        let all = same
            .chain([one])
            .map(|one| format!("({})", one.guard.formula));
        all.collect::<Vec<_>>().join(" /\\ ")
    };
    (0..asked.len()).map(before).collect()
}

/// Of an action's guards that are never true together with those before, the first is the one that matters.
fn but_for_the_first(asked: &[Asked], ever_true: &[bool]) -> Vec<bool> {
    let is_after_one = |at: usize| {
        let mut before = asked[..at].iter().zip(ever_true);
        before.any(|(other, truth)| {
            (other.place, other.action) == (asked[at].place, asked[at].action) && !truth
        })
    };
    let truths = ever_true.iter().enumerate();
    truths
        .map(|(at, truth)| *truth || is_after_one(at))
        .collect()
}

/// Which of the formulas are true in a state after the trace.
fn ever_true(
    tlc: &Tlc,
    protocol: &Protocol,
    fit: &Trace,
    formulas: &[String],
) -> Result<Vec<bool>> {
    let mut report = String::from("Why ==\n    (\\A l \\in Strand : ~HasMore(l)) =>\n");
    for (number, formula) in formulas.iter().enumerate() {
        report += &format!("        /\\ PrintT(ToString(<<{number}, ({formula})>>))\n");
    }
    let mut ever_true = vec![false; formulas.len()];
    for fields in tlc.print(protocol, &[fit], "Why", &report)? {
        if let [Value::Int(number), Value::Bool(truth)] = fields[..]
            && let Some(seen) = usize::try_from(number)
                .ok()
                .and_then(|number| ever_true.get_mut(number))
        {
            *seen |= truth;
        }
    }
    Ok(ever_true)
}

/// What is shown of those that are never true: each that is so by itself, or else what cannot be met together.
fn faults(asked: &[Asked], ever_true: &[bool]) -> BTreeMap<usize, Vec<String>> {
    let mut faults: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let never = || {
        asked
            .iter()
            .zip(ever_true)
            .filter(|(_, truth)| !**truth)
            .map(|(one, _)| one)
    };
    for one in never() {
        let by_itself = |other: &Asked| {
            (other.place, other.action) == (one.place, one.action) && !other.guard.joint
        };
        let shown = &one.guard.shown;
        let known = faults.entry(one.place).or_default();
        if !(known.contains(shown) || one.guard.joint && never().any(by_itself)) {
            known.push(shown.clone());
        }
    }
    faults
}

/// The events that fit.
fn prefix(trace: &Trace, refusal: &Refusal) -> Result<Trace> {
    let strands = trace.strands()?.into_values();
    let mut places: Vec<usize> = strands
        .zip(&refusal.taken)
        .flat_map(|(places, &taken)| places.into_iter().take(taken))
        .collect();
    places.sort_unstable();
    Ok(Trace {
        events: places
            .iter()
            .map(|&place| trace.events[place].clone())
            .collect(),
        ..trace.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(guards: &[(usize, &'static str, &str, bool)]) -> Vec<Asked<'static>> {
        let asked = guards.iter().map(|(place, action, text, joint)| Asked {
            place: *place,
            action,
            guard: Guard {
                formula: text.to_lowercase(),
                shown: text.to_string(),
                joint: *joint,
            },
        });
        asked.collect()
    }

    fn shown(asked: &[Asked], ever_true: &[bool]) -> Vec<(usize, Vec<String>)> {
        faults(asked, ever_true).into_iter().collect()
    }

    #[test]
    fn guards_that_hold_apart_are_told_together() {
        let asked = asked(&[
            (0, "A", "P", false),
            (0, "A", "Q", false),
            (0, "A", "P and Q", true),
        ]);
        assert_eq!(
            shown(&asked, &[true, true, false]),
            [(0, vec!["P and Q".to_owned()])]
        );
        assert_eq!(
            shown(&asked, &[true, false, false]),
            [(0, vec!["Q".to_owned()])]
        );
        assert!(shown(&asked, &[true, true, true]).is_empty());
    }

    #[test]
    fn a_guard_without_a_value_counts_after_those_before_it() {
        let asked = asked(&[
            (0, "A", "P", false),
            (0, "A", "Q", false),
            (0, "B", "R", false),
            (1, "A", "P", false),
        ]);
        assert_eq!(
            after_those_before(&asked),
            ["(p)", "(p) /\\ (q)", "(r)", "(p)"]
        );
        // Q was evaluated where P was false
        let truths = but_for_the_first(&asked, &[false, false, false, true]);
        assert_eq!(truths, [false, true, false, true]);
        let both = vec!["P".to_owned(), "R".to_owned()];
        assert_eq!(shown(&asked, &truths), [(0, both)]);
    }
}
