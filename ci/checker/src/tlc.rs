//! One run of TLC on one model.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::assumption;
use crate::cfg;
use crate::jvm::Jvm;
use crate::manifest::{Manifest, Model};
use crate::process::{self, Budget};
use crate::run::{Run, clear, create, read};
use crate::toolchain::Toolchain;
use crate::verdict::{Outcome, Verdict, lasso_is_torn};
use interlock_tla::counterexample::Counterexample;
use interlock_tla::messages::Output;

/// So often a model is run whose lasso TLC fails to write down.
const RUNS: u32 = 3;

/// Runs the models of a manifest.
#[derive(Debug)]
pub struct Tlc<'a> {
    /// The models.
    pub manifest: &'a Manifest,
    /// Java and the jar.
    pub toolchain: &'a Toolchain,
    jvm: Jvm,
    out: &'a Path,
}

impl<'a> Tlc<'a> {
    /// Writes below `out`, an absolute path: `out/run/<model>/`.
    pub fn new(manifest: &'a Manifest, toolchain: &'a Toolchain, out: &'a Path) -> Tlc<'a> {
        Tlc {
            manifest,
            toolchain,
            jvm: Jvm::new(toolchain),
            out,
        }
    }

    /// Runs `model` in `out/run/<model>/`; with `emit`, TLC also writes down each step that it explores.
    ///
    /// # Errors
    ///
    /// When files cannot be read or written, java does not start, or TLC's counterexample is not one that can be read.
    pub fn run(&self, model: &Model, emit: bool) -> Result<Run> {
        self.run_in(model, emit, self.out.join("run").join(&model.name))
    }

    /// Runs once more a model that turned out to be violated, to have its steps with their arguments.
    ///
    /// # Errors
    ///
    /// Those of [`Tlc::run`], and a second run that does not find what the first did.
    pub fn run_again(&self, model: &Model, first: &Run) -> Result<Run> {
        let again = self.run_in(model, true, first.dir.join("again"))?;
        let same = again.verdict.outcome == first.verdict.outcome;
        ensure!(same, "a second run does not find the same");
        Ok(again)
    }

    fn run_in(&self, model: &Model, emit: bool, dir: PathBuf) -> Result<Run> {
        let mut runs = 1;
        loop {
            let (mut run, torn) = self.run_once(model, emit, dir.clone())?;
            run.verdict.runs = runs;
            if !torn || runs == RUNS {
                return Ok(run);
            }
            runs += 1;
        }
    }

    fn run_once(&self, model: &Model, emit: bool, dir: PathBuf) -> Result<(Run, bool)> {
        clear(&dir)?;
        let scratch = dir.join("scratch");
        fs::create_dir_all(scratch.join("tmp"))
            .with_context(|| format!("{} cannot be made", scratch.display()))?;
        let run = self.start(model, emit, dir, &scratch);
        // What TLC keeps on disk can be large; a fault of the run itself is told first.
        let removed = fs::remove_dir_all(&scratch);
        let run = run?;
        removed.with_context(|| format!("{} cannot be removed", scratch.display()))?;
        Ok(run)
    }

    fn start(
        &self,
        model: &Model,
        emit: bool,
        dir: PathBuf,
        scratch: &Path,
    ) -> Result<(Run, bool)> {
        let module = self.manifest.module(model);
        let cfg = dir.join(format!("{}.cfg", model.name));
        let emit = emit
            .then_some(module.emit.as_str())
            .filter(|emit| !emit.is_empty());
        write(&cfg, &cfg::text(model, emit))?;
        let (stdout, stderr) = (dir.join("stdout.txt"), dir.join("stderr.txt"));
        let edges = emit.map(|_| dir.join("edges.txt"));

        let spec = self.manifest.specs.join(&model.area);
        let mut tlc = self.jvm.tlc(model.heap, model.budget, &scratch.join("tmp"));
        // One worker, and no random fingerprint or seed: the same counts and counterexample each time.
        tlc.args([
            "-workers",
            "1",
            "-fp",
            "0",
            "-seed",
            "1",
            "-checkpoint",
            "0",
            "-lncheck",
            "final",
            "-coverage",
            "1",
        ]);
        tlc.arg("-metadir")
            .arg(scratch.join("meta"))
            .arg("-config")
            .arg(&cfg);
        if let Some(edges) = &edges {
            // By itself this changes which lasso TLC finds (not whether there is one): the order in which it loads classes decides
            // the order of model values. So the lassos that the manifest pins are those of runs with this file.
            tlc.arg("-userFile").arg(edges);
        }
        if !self.toolchain.jar.pinned {
            // Newer versions leave a spec of each counterexample beside ours unless told not to; the pinned one cannot be told.
            tlc.arg("-noGenerateSpecTE");
        }
        tlc.arg(format!("{}.tla", module.name)).current_dir(&spec);
        // Files, not pipes: nothing to fill up, and no status to lose.
        tlc.stdout(create(&stdout)?).stderr(create(&stderr)?);
        let end = process::run(&mut tlc, Budget::cpu(model.budget))
            .with_context(|| format!("{} does not start", tlc.get_program().display()))?;

        let output = Output::parse(&read(&stdout)?);
        let mut verdict = Verdict::new(model, end, &output, &read(&stderr)?);
        assumption::name(&mut verdict.outcome, &spec);
        let counterexample = match verdict.outcome {
            Outcome::Violates { .. } => Counterexample::from_messages(&output.messages)
                .with_context(|| {
                    format!("the counterexample in {} cannot be read", stdout.display())
                })?,
            _ => None,
        };
        let torn = matches!(verdict.outcome, Outcome::Error { .. }) && lasso_is_torn(&output);
        let run = Run {
            verdict,
            witness: counterexample.as_ref().map(|found| found.states.len()),
            counterexample,
            dir,
            edges: edges.filter(|edges| edges.is_file()),
        };
        Ok((run, torn))
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}
