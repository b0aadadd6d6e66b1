//! The files of `tests/corpus`, which `interlock graph` writes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use interlock_checker::manifest::Model;
use interlock_tla::counterexample::{Counterexample, Step};
use interlock_tla::itf;
use interlock_tla::value::Value;

/// A whole state graph, as TLC finds it.
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

/// The graph of `model`, from `tests/corpus/<model>.graph`.
///
/// # Errors
/// If the file cannot be read, or is not as `interlock graph` writes it; the error names the file and the line.
pub fn graph(model: &str) -> Result<Graph> {
    let file = format!("{model}.graph");
    parse(&read(&file)?).with_context(|| format!("in tests/corpus/{file}"))
}

/// The counterexample of `model`, from `tests/corpus/<model>.itf.json`.
///
/// # Errors
/// If the file cannot be read, or is not as `interlock graph` writes it.
pub fn counterexample(model: &str) -> Result<Counterexample> {
    let file = format!("{model}.itf.json");
    itf::from_json(&read(&file)?).with_context(|| format!("in tests/corpus/{file}"))
}

/// Every model of `module` that has a graph, in the order of their names.
///
/// # Errors
/// If the folder cannot be listed, or a graph not be read.
pub fn graphs(module: &str) -> Result<Vec<String>> {
    let mut models = Vec::new();
    for entry in std::fs::read_dir(folder()).context("tests/corpus cannot be listed")? {
        let file = entry?.file_name();
        let file = file.to_string_lossy();
        if let Some(model) = file.strip_suffix(".graph")
            && read(&file)?
                .lines()
                .any(|line| line.strip_prefix("module ") == Some(module))
        {
            models.push(model.to_owned());
        }
    }
    models.sort_unstable();
    Ok(models)
}

/// The model's constants as a graph has them: each value as in the manifest, a substitution without its `<-`.
pub fn constants(model: &Model) -> BTreeMap<String, String> {
    let constant = |(name, value): (&String, &String)| (name.clone(), bare(value).to_owned());
    model.constants.iter().map(constant).collect()
}

/// A constant's value without the sign before it.
fn bare(value: &str) -> &str {
    value.trim_start_matches(['<', '-', '=', ' '])
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn read(file: &str) -> Result<String> {
    std::fs::read_to_string(folder().join(file))
        .with_context(|| format!("tests/corpus/{file} cannot be read"))
}

/// Reads the text of such a graph: a header, the states, the steps, with an empty line between them.
///
/// # Errors
/// If a line is malformed, or the counts are not the header's.
pub fn parse(text: &str) -> Result<Graph> {
    let mut graph = Graph {
        constants: BTreeMap::new(),
        states: Vec::new(),
        steps: Vec::new(),
        initial: 0,
    };
    let mut header = BTreeMap::new();
    let mut part = 0;
    for (line, number) in text.lines().zip(1..) {
        let mut add = || -> Result<()> {
            match part {
                _ if line.is_empty() => part += 1,
                0 if line.starts_with('#') => {}
                0 => {
                    let (key, value) = line
                        .split_once(' ')
                        .context("expected a word and a value")?;
                    if key == "constant" {
                        let (name, value) = value.split_once(' ').context("expected a constant")?;
                        let value = bare(value).to_owned();
                        graph.constants.insert(name.to_owned(), value);
                    } else {
                        header.insert(key.to_owned(), value.to_owned());
                    }
                }
                1 => {
                    let (place, state) = line.split_once(' ').context("expected a state")?;
                    ensure!(
                        place == graph.states.len().to_string(),
                        "the states are not numbered"
                    );
                    let Value::Record(state) = state.parse()? else {
                        bail!("expected a record of the variables")
                    };
                    graph.states.push(state);
                }
                _ => graph.steps.push(step(line, graph.states.len())?),
            }
            Ok(())
        };
        add().with_context(|| format!("line {number}"))?;
    }
    let count = |key: &str| -> Result<usize> {
        let value = header
            .get(key)
            .with_context(|| format!("no line `{key}`"))?;
        value.parse().with_context(|| format!("line `{key}`"))
    };
    graph.initial = count("initial")?;
    ensure!(
        count("states")? == graph.states.len() && count("steps")? == graph.steps.len(),
        "it has {} states and {} steps, other than it says",
        graph.states.len(),
        graph.steps.len()
    );
    ensure!(
        graph.initial < graph.states.len(),
        "it has no initial state"
    );
    Ok(graph)
}

/// Reads `from Action(arguments) to`.
fn step(line: &str, states: usize) -> Result<(usize, Step, usize)> {
    let parts = || {
        let (from, rest) = line.split_once(' ')?;
        let (label, to) = rest.rsplit_once(' ')?;
        let (action, args) = label.strip_suffix(')')?.split_once('(')?;
        Some((from, action, args, to))
    };
    let (from, action, args, to) = parts().context("expected `from Action(arguments) to`")?;
    let Value::Seq(args) = format!("<<{args}>>").parse()? else {
        bail!("expected the arguments of {action}")
    };
    let [from, to] = [from.parse::<usize>()?, to.parse()?];
    ensure!(from < states && to < states, "there is no such state");
    let action = action.to_owned();
    Ok((from, Step { action, args }, to))
}
