//! The files of `tests/corpus`, which `interlock graph` writes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use interlock_checker::manifest::Model;
use interlock_tla::counterexample::Counterexample;
use interlock_tla::itf;
pub use interlock_tla::state_graph::Graph;
use interlock_tla::state_graph::bare;

/// The graph of `model`, from `tests/corpus/<model>.graph`.
///
/// # Errors
/// If the file cannot be read, or is not as `interlock graph` writes it; the error names the file and the line.
pub fn graph(model: &str) -> Result<Graph> {
    let file = format!("{model}.graph");
    Graph::read(&read(&file)?).with_context(|| format!("in tests/corpus/{file}"))
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

/// Whether a machine that has the policies of these names has the steps of `model`: a control may have a policy of its own, or another
/// operator replaced.
pub fn is_of_machine<P>(model: &Model, named: &[(&str, P)]) -> bool {
    model
        .constants
        .iter()
        .all(|(name, value)| match name.as_str() {
            "Policy" => named.iter().any(|(policy, _)| *policy == bare(value)),
            "State" => true,
            _ => !value.starts_with("<-"),
        })
        && model.constants.contains_key("Policy")
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn read(file: &str) -> Result<String> {
    std::fs::read_to_string(folder().join(file))
        .with_context(|| format!("tests/corpus/{file} cannot be read"))
}
