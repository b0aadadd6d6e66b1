//! `interlock graph`: what TLC finds, kept in `tests/corpus`, so that the reference is compared with it without Java.
//!
//! Of a model that holds that is the whole state graph, `<model>.graph`; of one that is violated the counterexample,
//! `<model>.itf.json`. Of TLC's models both are the same bytes each time.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::cfg;
use crate::corpus::{GRAPH, TRACE, file, kept, suffix};
use crate::engines::{Engines, Tools};
use crate::explain;
use crate::judge;
use crate::lock;
use crate::manifest::{Engine, Expect, Manifest, Model};
use crate::run::Run;
use crate::tlc::Ask;
use crate::verdict::Outcome;
use crate::whole::write_whole;
use interlock_tla::counterexample::Step;
use interlock_tla::edges::{Edges, Graph};
use interlock_tla::value::Value;

/// What to write, or to compare.
#[derive(Debug, Clone)]
pub struct Request {
    /// The models' names; none for those whose files are in the corpus.
    pub models: Vec<String>,
    /// Compare with the files instead of writing them.
    pub check: bool,
    /// The folder of the files.
    pub corpus: PathBuf,
    /// The directory of the specifications and their claims.
    pub specs: PathBuf,
    /// Where the models' own files go.
    pub out: PathBuf,
}

/// Runs the models and writes or compares their files. The exit status: 1 if TLC finds other than the manifest says, or a file
/// differs; 0 if not.
///
/// # Errors
///
/// A name of no model, a graph asked of a row with a property or a reduction, a run without a verdict, a file that cannot be read
/// or written.
pub fn graph(root: &Path, request: &Request) -> Result<u8> {
    let manifest = Manifest::load(&request.specs)?;
    let corpus = &request.corpus;
    let shown = corpus.strip_prefix(root).unwrap_or(corpus).display();
    let names = if request.models.is_empty() {
        committed(corpus)?
    } else {
        request.models.clone()
    };
    let models = names.iter().map(|name| {
        let model = manifest.model(name);
        model.with_context(|| format!("{name} is not a model of {}", manifest.specs.display()))
    });
    let models = models.collect::<Result<Vec<_>>>()?;
    // Which counterexample Apalache finds is its solver's choice: there is nothing to compare.
    let compared = |model: &&Model| !request.check || model.engine == Engine::Tlc;
    let models: Vec<&Model> = models.into_iter().filter(compared).collect();
    let mut required: Vec<Engine> = models.iter().map(|model| model.engine).collect();
    required.dedup();
    let tools = Tools::find(root, &models, &required)?;
    let out = std::path::absolute(&request.out)?;
    let _lock = lock::lock(&out)?;
    let engines = Engines::new(&manifest, &tools, &out);
    let mut status = 0;
    for model in models {
        let name = file(model);
        let complaint = match fresh(&engines, model)? {
            Err(fault) => Some(fault),
            // The same of another version of TLC; the graph is not its choice.
            Ok(_) if request.check && !engines.is_pinned(model) && suffix(model) == TRACE => None,
            Ok(text) if request.check => difference(&corpus.join(&name), &text)?,
            Ok(text) => {
                write_whole(corpus, &name, &text)?;
                None
            }
        };
        match complaint {
            None => println!("{shown}/{name}"),
            Some(complaint) => {
                println!("{shown}/{name}: {complaint}");
                status = 1;
            }
        }
    }
    Ok(status)
}

/// The models that have a file in the corpus, in the order of their names.
fn committed(corpus: &Path) -> Result<Vec<String>> {
    let list = || -> std::io::Result<Vec<String>> {
        fs::read_dir(corpus)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect()
    };
    let files = list().with_context(|| format!("{} cannot be listed", corpus.display()))?;
    let mut names: Vec<String> = files
        .iter()
        .filter_map(|file| file.strip_suffix(GRAPH).or(file.strip_suffix(TRACE)))
        .map(str::to_owned)
        .collect();
    ensure!(
        !names.is_empty(),
        "{} has no file of a model: name the models",
        corpus.display()
    );
    names.sort_unstable();
    Ok(names)
}

/// How the file that is kept of the model is not what this run of TLC found; `None` if it is, or if none is kept.
///
/// # Errors
///
/// When the file, or what TLC wrote, cannot be read.
pub fn stale(root: &Path, model: &Model, run: &Run) -> Result<Option<String>> {
    let Some(path) = kept(root, model) else {
        return Ok(None);
    };
    let text = match run.counterexample {
        None => state_graph(model, run)?,
        Some(_) => read(&run.dir.join("trace.itf.json"))?,
    };
    let shown = path.strip_prefix(root).unwrap_or(&path).display();
    let complaint = difference(&path, &text)?;
    Ok(complaint.map(|complaint| format!("{shown}: {complaint}")))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// The text that belongs into the model's file, or how what was found is not what the manifest says.
fn fresh(engines: &Engines, model: &Model) -> Result<Result<String, String>> {
    if model.expect == Expect::Holds
        && [
            &model.property,
            &model.symmetry,
            &model.view,
            &model.constraint,
        ]
        .iter()
        .any(|of| of.is_some())
    {
        bail!(
            "{}: a graph is written of a row without property, symmetry, view and constraint",
            model.name
        );
    }
    ensure!(
        model.engine == Engine::Tlc || suffix(model) == TRACE,
        "{}: only TLC finds a graph",
        model.name
    );
    let run = engines.run(model, Ask::all(model))?;
    if let Outcome::Inconclusive { why } | Outcome::Error { why } = &run.verdict.outcome {
        bail!("{}: {why}", model.name);
    }
    let witness = run.counterexample.as_ref().map(|found| found.states.len());
    let module = engines.manifest.module(model);
    let pinned = engines.is_pinned(model);
    let faults = judge::faults(model, module, &run.verdict, witness, pinned);
    if !faults.is_empty() {
        return Ok(Err(faults.join("; ")));
    }
    let Some(counterexample) = &run.counterexample else {
        return Ok(Ok(state_graph(model, &run)?));
    };
    explain::write_all(
        &run.dir,
        engines.manifest,
        model,
        counterexample,
        run.edges.as_deref(),
    )?;
    Ok(Ok(read(&run.dir.join("trace.itf.json"))?))
}

fn state_graph(model: &Model, run: &Run) -> Result<String> {
    let path = run.edges.as_ref();
    let path =
        path.with_context(|| format!("{} has no `Next` whose steps could be named", model.module))?;
    let edges = Edges::read(path)?;
    let graph = edges.graph();
    let totals = run.verdict.totals.context("TLC printed no totals")?;
    ensure!(
        graph.states.len() as u64 == totals.distinct && edges.explored() as u64 + 1 == totals.total,
        "{}: TLC wrote {} states and explored {} steps, but counts {} states, and {} generated, one of them initial",
        model.name,
        graph.states.len(),
        edges.explored(),
        totals.distinct,
        totals.total
    );
    Ok(text(model, &graph))
}

/// A graph as text: the header, a line `number state` for each state and a line `from action(arguments) to` for each step, both in
/// the order of their values. A variable that is the empty function in every state is left out: history that nobody watches.
pub fn text(model: &Model, graph: &Graph) -> String {
    let empty = Value::Seq(Vec::new());
    let tells: BTreeSet<&String> = graph
        .states
        .iter()
        .flat_map(|state| state.iter())
        .filter(|(_, value)| **value != empty)
        .map(|(name, _)| name)
        .collect();
    let states = graph.states.iter().map(|state| {
        let mut state = (*state).clone();
        state.retain(|name, _| tells.contains(name));
        state
    });
    let mut states: Vec<(BTreeMap<String, Value>, usize)> = states.zip(0..).collect();
    states.sort_unstable();
    let mut number = vec![0; states.len()];
    for (new, (_, old)) in states.iter().enumerate() {
        number[*old] = new;
    }
    let steps = graph.steps.iter();
    let mut steps: Vec<_> = steps
        .map(|(from, step, to)| (number[*from], label(step), number[*to]))
        .collect();
    steps.sort_unstable();

    let Model { name, file, .. } = model;
    let mut text = format!(
        "# The whole state graph of {name} of {file}, as TLC finds it: number and state, then from, action, to.\n\
         # Written by `interlock graph {name}`; `interlock graph --check` compares it with what TLC finds now.\n"
    );
    let mut line = |parts: std::fmt::Arguments| {
        writeln!(text, "{parts}").expect("a String takes all that is written")
    };
    line(format_args!("module {}", model.module));
    for (name, value) in &model.constants {
        match cfg::substitution(value) {
            Some(operator) => line(format_args!("constant {name} <- {operator}")),
            None => line(format_args!("constant {name} = {value}")),
        }
    }
    line(format_args!("states {}", states.len()));
    line(format_args!("steps {}", steps.len()));
    line(format_args!("initial {}", number.first().unwrap_or(&0)));
    line(format_args!(""));
    for (number, (state, _)) in states.into_iter().enumerate() {
        line(format_args!("{number} {}", Value::Record(state)));
    }
    line(format_args!(""));
    for (from, label, to) in steps {
        line(format_args!("{from} {label} {to}"));
    }
    text
}

fn label(step: &Step) -> String {
    let args: Vec<String> = step.args.iter().map(Value::to_string).collect();
    format!("{}({})", step.action, args.join(", "))
}

/// The first line in which the file is not `text`; `None` if it is.
fn difference(path: &Path, text: &str) -> Result<Option<String>> {
    if !path.exists() {
        let cure = "it is not there (`interlock graph` with the model's name writes it)";
        return Ok(Some(cure.to_owned()));
    }
    let old = read(path)?;
    if old == text {
        return Ok(None);
    }
    let mut lines = (old.lines(), text.lines());
    for number in 1.. {
        match (lines.0.next(), lines.1.next()) {
            (None, None) => break,
            (old, new) if old != new => {
                let [old, new] = [old, new].map(|line| line.unwrap_or("the end"));
                return Ok(Some(format!(
                    "line {number} is\n  {old}\nbut TLC finds\n  {new}"
                )));
            }
            _ => {}
        }
    }
    Ok(Some("it differs in its line ends".to_owned()))
}
