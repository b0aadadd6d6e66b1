//! Which conjuncts of an action are false where a trace stops: TLC evaluates each in the states that are possible there.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::protocol::Protocol;
use super::search::Refusal;
use super::tlc::Tlc;
use crate::recording::Trace;
use interlock_tla::module::Module;
use interlock_tla::value::Value;

/// For each event that could come next, by its place: the conjuncts that are false in every possible state.
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
    let path = specs.join(format!("{}.tla", protocol.actions));
    let text =
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut asked = Vec::new();
    for (place, _) in &refusal.next {
        let event = &trace.events[*place];
        for action in event.names() {
            let Some((parameters, parts)) = guards(&text, action, &module) else {
                continue;
            };
            let values = (protocol.parameters)(&event.args);
            let lets = parameters.iter().zip(&values);
            let lets: String = lets
                .map(|(name, value)| format!("LET {name} == {value} IN "))
                .collect();
            for part in parts {
                let known =
                    |(other, _, known): &(usize, String, String)| (other, known) == (place, &part);
                if !asked.iter().any(known) {
                    asked.push((*place, lets.clone(), part));
                }
            }
        }
    }
    if asked.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut report = String::from("Why ==\n    (\\A l \\in Strand : ~HasMore(l)) =>\n");
    for (number, (_, lets, part)) in asked.iter().enumerate() {
        let part = part.replace('\n', "\n          ");
        report +=
            &format!("        /\\ PrintT(ToString(<<{number}, ({lets}(\n          {part}))>>))\n");
    }
    let fit = prefix(trace, refusal)?;
    let printed = if fit.events.is_empty() {
        return Ok(BTreeMap::new());
    } else {
        tlc.print(protocol, &[&fit], "Why", &report)?
    };
    let mut ever_true = vec![false; asked.len()];
    for fields in printed {
        if let [Value::Int(number), Value::Bool(truth)] = fields[..]
            && let Some(seen) = usize::try_from(number)
                .ok()
                .and_then(|number| ever_true.get_mut(number))
        {
            *seen |= truth;
        }
    }
    let mut faults: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for ((place, _, part), truth) in asked.into_iter().zip(ever_true) {
        if !truth {
            let line = part.split_whitespace().collect::<Vec<_>>().join(" ");
            faults.entry(place).or_default().push(line);
        }
    }
    Ok(faults)
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

/// An action's parameters, and those of its conjuncts that are about one state.
fn guards(text: &str, action: &str, module: &Module) -> Option<(Vec<String>, Vec<String>)> {
    let head = |line: &&str| {
        line.strip_prefix(action)
            .is_some_and(|rest| rest.starts_with('(') || rest.starts_with(" =="))
            && line.contains("==")
    };
    let mut lines = text.lines().skip_while(|line| !head(line));
    let first = lines.next()?;
    let parameters = first
        .split_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    let parameters = parameters.map_or(Vec::new(), |(names, _)| {
        names
            .split(',')
            .map(|name| name.trim().to_owned())
            .collect()
    });
    let body = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    let mut parts: Vec<String> = Vec::new();
    for line in body {
        let line = line.split("\\*").next().unwrap_or_default();
        if let Some(part) = line.strip_prefix("    /\\ ") {
            parts.push(format!("   {part}"));
        } else if let Some(part) = parts.last_mut() {
            *part = format!("{part}\n{}", line.get(4..).unwrap_or_default());
        }
    }
    let is_of_one_state = |part: &String| {
        let words = part.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
        let mut words = words.filter(|word| !word.is_empty());
        !words.any(|word| {
            word.ends_with('\'')
                || word == "UNCHANGED"
                || word == "Emit"
                || module.shape(word).primed
        })
    };
    parts.retain(is_of_one_state);
    Some((parameters, parts))
}
