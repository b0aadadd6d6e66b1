//! A state graph as the corpus keeps it: a header, a line `number state` a state, and a line `from action(arguments) to` a step.

use anyhow::{Context as _, bail, ensure};

use crate::counterexample::State;
use crate::value::Value;

/// The whole graph.
pub(super) struct Graph {
    pub(super) states: Vec<State>,
    pub(super) steps: Vec<Step>,
    /// The first state's number.
    pub(super) initial: usize,
}

/// A step between two states, by their numbers.
pub(super) struct Step {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) action: String,
    pub(super) args: Vec<Value>,
}

impl Graph {
    pub(super) fn read(text: &str) -> anyhow::Result<Graph> {
        let mut parts = text.split("\n\n");
        let mut part = |what: &str| parts.next().with_context(|| format!("no {what}"));
        let (head, states, steps) = (part("header")?, part("states")?, part("steps")?);
        let initial = head.lines().find_map(|line| line.strip_prefix("initial "));
        let initial = initial
            .context("the header has no initial state")?
            .parse()?;
        let states = states.lines().zip(0..).map(|(line, number)| {
            let state = state(line, number);
            state.with_context(|| format!("not a state: {line}"))
        });
        let states = states.collect::<anyhow::Result<Vec<_>>>()?;
        let steps = steps.lines().map(|line| {
            let step = step(line, states.len());
            step.with_context(|| format!("not a step: {line}"))
        });
        Ok(Graph {
            steps: steps.collect::<anyhow::Result<_>>()?,
            states,
            initial,
        })
    }
}

fn state(line: &str, expected: usize) -> anyhow::Result<State> {
    let (number, state) = line.split_once(' ').context("no number")?;
    ensure!(
        number.parse::<usize>()? == expected,
        "its number is not {expected}"
    );
    match state.parse()? {
        Value::Record(vars) => Ok(State {
            number: expected,
            action: String::new(),
            args: Vec::new(),
            vars,
        }),
        _ => bail!("no record"),
    }
}

fn step(line: &str, states: usize) -> anyhow::Result<Step> {
    let (from, rest) = line.split_once(' ').context("no number")?;
    let (label, to) = rest.rsplit_once(' ').context("no number at its end")?;
    let (action, args) = label.split_once('(').context("no arguments")?;
    let args = args.strip_suffix(')').context("no end of the arguments")?;
    let Value::Seq(args) = format!("<<{args}>>").parse()? else {
        bail!("no arguments")
    };
    let (from, to) = (from.parse()?, to.parse()?);
    ensure!(from < states && to < states, "there is no such state");
    Ok(Step {
        from,
        to,
        action: action.to_owned(),
        args,
    })
}
