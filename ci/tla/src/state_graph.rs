//! A whole state graph as the corpus keeps it: a header, a line `number state` a state, and a line `from action(arguments) to` a
//! step, with an empty line between the three.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail, ensure};

use crate::counterexample::Step;
use crate::value::Value;

/// The whole graph, as TLC finds it.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The model's constants, each value as in the manifest; a substitution without its `<-`.
    pub constants: BTreeMap<String, String>,
    /// The states, each once: the value of every variable.
    pub states: Vec<BTreeMap<String, Value>>,
    /// The steps, each once: from, how, to. The states by their places in `states`.
    pub steps: Vec<(usize, Step, usize)>,
    /// The initial state's place.
    pub initial: usize,
}

impl Graph {
    /// Reads the text of such a graph, as `interlock graph` writes it.
    ///
    /// # Errors
    /// If a line is malformed, or the counts are not the header's.
    pub fn read(text: &str) -> anyhow::Result<Graph> {
        let mut parts = text.split("\n\n");
        let mut part = |what: &str| parts.next().with_context(|| format!("no {what}"));
        let (head, states, steps) = (part("header")?, part("states")?, part("steps")?);
        // By the word at the beginning of its line.
        let number = |word: &str, what: &str| -> anyhow::Result<usize> {
            let mut lines = head.lines().filter_map(|line| line.split_once(' '));
            let line = lines.find(|(first, _)| *first == word);
            let (_, number) = line.with_context(|| format!("the header has no {what}"))?;
            number
                .parse()
                .with_context(|| format!("the header's {what}"))
        };
        let initial = number("initial", "initial state")?;
        let constants = head
            .lines()
            .filter_map(|line| line.strip_prefix("constant "));
        let constants = constants.map(|constant| {
            let (name, value) = constant.split_once(' ').context("no value of a constant")?;
            Ok((name.to_owned(), bare(value).to_owned()))
        });
        let constants = constants.collect::<anyhow::Result<_>>()?;
        let states = states.lines().zip(0..).map(|(line, number)| {
            let state = state(line, number);
            state.with_context(|| format!("not a state: {line}"))
        });
        let states = states.collect::<anyhow::Result<Vec<_>>>()?;
        let steps = steps.lines().map(|line| {
            let step = step(line, states.len());
            step.with_context(|| format!("not a step: {line}"))
        });
        let steps = steps.collect::<anyhow::Result<Vec<_>>>()?;
        ensure!(
            number("states", "states")? == states.len() && number("steps", "steps")? == steps.len(),
            "it has {} states and {} steps, other than it says",
            states.len(),
            steps.len()
        );
        ensure!(initial < states.len(), "it has no initial state");
        Ok(Graph {
            constants,
            states,
            steps,
            initial,
        })
    }
}

/// A constant's value without the sign before it.
pub fn bare(value: &str) -> &str {
    value.trim_start_matches(['<', '-', '=', ' '])
}

fn state(line: &str, expected: usize) -> anyhow::Result<BTreeMap<String, Value>> {
    let (number, state) = line.split_once(' ').context("no number")?;
    ensure!(
        number == expected.to_string(),
        "its number is not {expected}"
    );
    match state.parse()? {
        Value::Record(state) => Ok(state),
        _ => bail!("no record"),
    }
}

fn step(line: &str, states: usize) -> anyhow::Result<(usize, Step, usize)> {
    let (from, rest) = line.split_once(' ').context("no number")?;
    let (label, to) = rest.rsplit_once(' ').context("no number at its end")?;
    let (action, args) = label.split_once('(').context("no arguments")?;
    let args = args.strip_suffix(')').context("no end of the arguments")?;
    let Value::Seq(args) = format!("<<{args}>>").parse()? else {
        bail!("no arguments")
    };
    let (from, to) = (from.parse()?, to.parse()?);
    ensure!(from < states && to < states, "there is no such state");
    let action = action.to_owned();
    Ok((from, Step { action, args }, to))
}
