//! The plans that are played to every kernel of the rack: `plans/`. Those that are named after a model are its counterexample.

use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::plan::Plan;

/// A plan with its name.
#[derive(Debug, Clone)]
pub struct Named {
    /// The model whose counterexample it is, or what it is about.
    pub name: String,
    /// What the calls and the file at the start are called in specs/dio/models.toml: `XD-eof`.
    pub size: String,
    /// The plan.
    pub plan: Plan,
}

/// Where they are in a clone.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/plans"))
}

/// All of them, in the order of their names.
///
/// # Errors
/// With the file that is no plan.
pub fn all() -> Result<Vec<Named>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    paths
        .iter()
        .map(|path| read(path).with_context(|| path.display().to_string()))
        .collect()
}

fn read(path: &std::path::Path) -> Result<Named> {
    let name = path
        .file_stem()
        .context("a file has a name")?
        .to_string_lossy()
        .into_owned();
    let plan = Plan::parse(&std::fs::read_to_string(path)?)?;
    // A model's name: design, calls, start, and what is asked. MCReflink's sizes have no start.
    let parts: Vec<&str> = name.split('-').collect();
    let size = match parts[..] {
        [_, calls, ..] if plan.cloned => calls.to_owned(),
        [_, calls, start, ..] => format!("{calls}-{start}"),
        _ => name.clone(),
    };
    Ok(Named { plan, size, name })
}
