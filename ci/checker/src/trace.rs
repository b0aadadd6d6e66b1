//! `interlock trace`: one model's counterexample, as text and as files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use interlock_tla::counterexample::Counterexample;

use crate::engines::{Engines, Tools};
use crate::explain;
use crate::judge;
use crate::lock;
use crate::manifest::{Engine, Manifest, Model};
use crate::run::Run;
use crate::select;
use crate::tlc::Ask;
use crate::verdict::Outcome;

/// Writes the counterexample's files, and reads the timeline back. A model that ran without its steps' arguments runs once more to
/// have them, and goes without if that fails.
pub(crate) fn explain(
    engines: &Engines,
    model: &Model,
    run: &Run,
    counterexample: &Counterexample,
) -> Result<String> {
    let mut note = String::new();
    let tlc = engines.tlc.as_ref().filter(|_| model.engine == Engine::Tlc);
    let again = match (&run.edges, tlc) {
        (None, Some(tlc)) => tlc.run_again(model, run).map(Some).unwrap_or_else(|error| {
            note = format!("Who takes which step is not shown: {error:#}\n");
            None
        }),
        _ => None,
    };
    let (shown, edges) = match &again {
        Some(Run {
            counterexample: Some(shown),
            edges,
            ..
        }) => (shown, edges),
        _ => (counterexample, &run.edges),
    };
    explain::write_all(&run.dir, engines.manifest, model, shown, edges.as_deref())
        .context("the counterexample cannot be drawn")?;
    let path = run.dir.join("trace.txt");
    let text =
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(text + &note)
}

/// What `interlock trace` shows.
#[derive(Debug)]
pub struct Traced {
    /// What TLC, or another engine, found.
    pub found: String,
    /// What the manifest expects.
    pub expected: String,
    /// The timeline of the counterexample, and the folder of its files; `None` if there is none.
    pub counterexample: Option<(String, PathBuf)>,
}

/// `interlock trace`: runs one model, and returns the timeline of its counterexample.
///
/// # Errors
///
/// When there is no verdict, for whatever reason.
pub fn trace(root: &Path, specs: &Path, name: &str, out: &Path) -> Result<Traced> {
    let manifest = Manifest::load(specs)?;
    let model = select::one(&manifest, name)?;
    let tools = Tools::find(root, &[model], &[model.engine])?;
    let out = std::path::absolute(out)?;
    let _lock = lock::lock(&out)?;
    let engines = Engines::new(&manifest, &tools, &out);
    let run = engines.run(model, Ask::all(model))?;
    if let Outcome::Inconclusive { why } | Outcome::Error { why } = &run.verdict.outcome {
        let output = run.dir.join("stdout.txt");
        bail!("{name}: {why}. See {}", output.display());
    }
    let counterexample = match &run.counterexample {
        Some(found) => Some((explain(&engines, model, &run, found)?, run.dir.clone())),
        None => None,
    };
    Ok(Traced {
        found: judge::found(&run.verdict.outcome),
        expected: judge::expected(&model.expect),
        counterexample,
    })
}
