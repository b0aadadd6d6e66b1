//! One run of Apalache on one model.

pub mod install;
pub mod verdict;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::manifest::{Expect, Kind, Manifest, Model};
use crate::process::{self, Budget};
use crate::run::{Run, clear, create, read};
use crate::verdict::{Outcome, Verdict};
use install::Installed;
use interlock_tla::itf;
use interlock_tla::module;

/// Runs the models of a manifest that are Apalache's.
#[derive(Debug)]
pub struct Apalache<'a> {
    manifest: &'a Manifest,
    installed: &'a Installed,
    out: &'a Path,
}

impl<'a> Apalache<'a> {
    /// Writes below `out`, an absolute path: `out/run/<model>/`.
    pub fn new(manifest: &'a Manifest, installed: &'a Installed, out: &'a Path) -> Apalache<'a> {
        Apalache {
            manifest,
            installed,
            out,
        }
    }

    /// Runs `model` in `out/run/<model>/`.
    ///
    /// # Errors
    ///
    /// When files cannot be read or written, Apalache does not start, or its counterexample is not one that can be read.
    pub fn run(&self, model: &Model) -> Result<Run> {
        let dir = self.out.join("run").join(&model.name);
        clear(&dir)?;
        let scratch = dir.join("scratch");
        fs::create_dir_all(scratch.join("tmp"))
            .with_context(|| format!("{} cannot be made", scratch.display()))?;
        let run = self.start(model, &dir, &scratch);
        let removed = fs::remove_dir_all(&scratch);
        let run = run?;
        removed.with_context(|| format!("{} cannot be removed", scratch.display()))?;
        Ok(run)
    }

    fn start(&self, model: &Model, dir: &Path, scratch: &Path) -> Result<Run> {
        let (stdout, stderr) = (dir.join("stdout.txt"), dir.join("stderr.txt"));
        let mut command = self.command(model, &dir.join("apalache"), scratch)?;
        // Files, not pipes: nothing to fill up, and no status to lose.
        command.stdout(create(&stdout)?).stderr(create(&stderr)?);
        let end = process::run(&mut command, Budget::cpu(model.budget))
            .with_context(|| format!("{} does not start", self.installed.program.display()))?;
        let specs = self.manifest.specs.join(&model.area);
        let module = module::Module::read(&specs, &model.module)?;
        let is_action = |invariant: &String| module.shape(invariant).primed;
        let kind = match model.invariants.iter().any(is_action) {
            true => Kind::Action,
            false => Kind::Invariant,
        };
        let outcome = verdict::outcome(model, kind, end, &read(&stdout)?, &read(&stderr)?);
        let counterexample = match &outcome {
            Outcome::Violates { property, .. } => {
                let path = dir.join("apalache/violation.itf.json");
                let trace = itf::from_apalache(&read(&path)?, property);
                Some(trace.with_context(|| format!("{} cannot be read", path.display()))?)
            }
            _ => None,
        };
        Ok(Run {
            verdict: Verdict {
                outcome,
                tool: Some(format!("Apalache {}", self.installed.version)),
                totals: None,
                fired: None,
                took: end.took,
                cpu: end.cpu,
                peak: end.peak,
                runs: 1,
                evidence: false,
            },
            witness: counterexample.as_ref().map(|found| found.states.len()),
            counterexample,
            dir: dir.to_owned(),
            edges: None,
        })
    }

    /// `apalache-mc` on the model's module; what it finds goes into `found`.
    fn command(&self, model: &Model, found: &Path, scratch: &Path) -> Result<Command> {
        let mut command = install::on_java(&self.installed.program, &self.installed.java)?;
        command.arg(match model.expect {
            Expect::Typed => "typecheck",
            Expect::Holds | Expect::Violates { .. } => "check",
        });
        let path = |flag: &str, path: &Path| format!("{flag}={}", path.display());
        command
            .arg(path("--run-dir", found))
            .arg(path("--out-dir", &scratch.join("out")));
        if let Some(asked) = &model.symbolic {
            command
                .arg(format!("--init={}", asked.init))
                .arg(format!("--next={}", asked.next))
                .arg(format!("--length={}", asked.length))
                .arg(format!("--smt-encoding={}", asked.encoding.name()));
            if let Some(cinit) = &asked.cinit {
                command.arg(format!("--cinit={cinit}"));
            }
            if !model.invariants.is_empty() {
                command.arg(format!("--inv={}", model.invariants.join(",")));
            }
            if !model.deadlock {
                command.arg("--no-deadlock");
            }
        }
        let module = format!("{}/{}.tla", model.area, model.module);
        command
            .arg(std::path::absolute(self.manifest.specs.join(module))?)
            // The script's command line has the folder for temporary files in it, without quotes: nothing of the clone's path.
            .current_dir(scratch)
            .env("TMPDIR", "tmp")
            .env("JVM_GC_ARGS", "-XX:+UseSerialGC")
            // The solver is not Java: the second compiler never pays.
            .env(
                "JVM_ARGS",
                format!("-XX:TieredStopAtLevel=1 -Xmx{}m", model.heap),
            );
        Ok(command)
    }
}
