//! A second opinion on models of TLC's: tla-checker, an explicit-state checker that shares no code with TLC.
//!
//! It is built once from its registry, pinned. Of what it cannot do it says that it ignores it, or nothing at all, so: any such
//! warning is an error, its counts must be TLC's, and its limits are set out of reach.

pub mod verdict;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::availability::{Availability, Awaited};
use crate::cfg;
use crate::evidence::key::{Key, Question};
use crate::evidence::{Evidence, Files};
use crate::lock;
use crate::manifest::{Manifest, Model};
use crate::note;
use crate::process::{self, Budget, Stop};
use crate::run::{Run, clear, create, read};
use crate::toolchain::{CARGO, Program, hex_sha256};
use crate::verdict::Verdict;
use verdict::Found;

/// The pinned version; its own lock file pins what it is built of.
pub const VERSION: &str = "0.24.11";

/// Where it is, once it is built.
pub fn place(root: &Path) -> PathBuf {
    root.join(format!("target/tools/tla-checker-{VERSION}/bin/tla"))
}

/// Finds it. Where there is none it is built from now on, beside what else runs, and with less right to the processors.
pub fn find(root: &Path) -> Awaited<PathBuf> {
    let program = place(root);
    if program.is_file() {
        return Awaited::known(Availability::Ready(program));
    }
    match CARGO.find() {
        Err(error) => Awaited::known(Availability::Missing(format!("{error:#}"))),
        Ok(cargo) => {
            let root = root.to_owned();
            Awaited::made(move || match build(&root, &cargo, &program) {
                Ok(()) => Availability::Ready(program),
                Err(error) => Availability::Missing(format!("{error:#}")),
            })
        }
    }
}

fn build(root: &Path, cargo: &Program, program: &Path) -> Result<()> {
    let place = program
        .ancestors()
        .nth(2)
        .context("a program has a folder")?;
    let _alone = lock::wait(place)?;
    if program.is_file() {
        // Whoever was waited for has built it.
        return Ok(());
    }
    note!(
        "building tla-checker {VERSION} with {} (once, some minutes)",
        cargo.path.display()
    );
    let target = root.join("target/tools/tla-checker-build");
    let mut command = Command::new("nice");
    command
        .args(["-n", "10"])
        .arg(&cargo.path)
        .args(["install", "tla-checker", "--locked", "--quiet", "--version"])
        .arg(format!("={VERSION}"))
        // Its other program is of no use here.
        .args(["--bin", "tla"])
        // It runs for seconds: its own profile, with one unit of code and link-time optimisation, takes longer than it saves.
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .arg("--root")
        .arg(place)
        .arg("--target-dir")
        .arg(&target)
        .stdin(Stdio::null())
        .stdout(std::io::stderr());
    let end = process::run(&mut command, Budget::cpu(3600)).context("nice does not start")?;
    let built = matches!(end.stop, Stop::Exited(status) if status.success()) && program.is_file();
    anyhow::ensure!(
        built,
        "tla-checker {VERSION} could not be built: see cargo's message above"
    );
    clear(&target)
}

/// Runs the models of a manifest that are its.
#[derive(Debug)]
pub struct TlaChecker<'a> {
    manifest: &'a Manifest,
    program: &'a Path,
    out: &'a Path,
    evidence: Option<&'a Evidence>,
}

impl<'a> TlaChecker<'a> {
    /// Writes below `out`, an absolute path: `out/run/<model>/`.
    pub fn new(manifest: &'a Manifest, program: &'a Path, out: &'a Path) -> TlaChecker<'a> {
        TlaChecker {
            manifest,
            program,
            out,
            evidence: None,
        }
    }

    /// With what was found earlier.
    pub fn with_evidence(self, evidence: Option<&'a Evidence>) -> TlaChecker<'a> {
        TlaChecker { evidence, ..self }
    }

    /// Runs `model` in `out/run/<model>/`.
    ///
    /// # Errors
    ///
    /// When files cannot be read or written, or the program does not start.
    pub fn run(&self, model: &Model) -> Result<Run> {
        let dir = self.out.join("run").join(&model.name);
        clear(&dir)?;
        fs::create_dir_all(&dir).with_context(|| format!("{} cannot be made", dir.display()))?;
        let cfg = dir.join(format!("{}.cfg", model.name));
        let text = cfg::text(model, false);
        fs::write(&cfg, &text).with_context(|| format!("{} cannot be written", cfg.display()))?;
        let files = Files::of(&dir, false);
        let folder = self.manifest.specs.join(&model.area);
        let mut options = [
            "--json",
            "--max-states",
            "100000000",
            "--max-depth",
            "1000000",
        ]
        .map(str::to_owned)
        .to_vec();
        if !model.deadlock {
            options.push("--allow-deadlock".into());
        }
        // in how many states each was true, as evidence that it was looked at
        for invariant in &model.invariants {
            options.extend(["--count-satisfying".to_owned(), invariant.clone()]);
        }
        let key = || -> Result<Key> {
            let program = fs::read(self.program)
                .with_context(|| format!("{} cannot be read", self.program.display()))?;
            Key::of(&Question {
                program: &["tla-checker".to_owned(), hex_sha256(&program)],
                arguments: &options,
                cfg: &text,
                folder: &folder,
                module: &model.module,
            })
        };
        let keyed = match self.evidence {
            Some(evidence) => Some((evidence, key()?)),
            None => None,
        };
        let found = keyed
            .as_ref()
            .and_then(|(evidence, key)| evidence.find(key));
        let end = match &found {
            Some(entry) => {
                files.restore(entry)?;
                entry.end()
            }
            None => {
                let mut command = Command::new(self.program);
                command
                    .arg(format!("{}.tla", model.module))
                    .arg("--config")
                    .arg(&cfg)
                    .args(&options)
                    .current_dir(&folder)
                    .stdout(create(&files.stdout)?)
                    .stderr(create(&files.stderr)?);
                process::run(&mut command, Budget::cpu(model.budget))
                    .with_context(|| format!("{} does not start", self.program.display()))?
            }
        };
        let (stdout, stderr) = (read(&files.stdout)?, read(&files.stderr)?);
        let Found {
            outcome,
            totals,
            witness,
        } = verdict::found(model, end, &stdout, &stderr);
        if let Some((evidence, asked)) = &keyed
            && found.is_none()
            && outcome.is_verdict()
            && *asked == key()?
            && let Some(entry) = files.entry(end)?
        {
            evidence.keep(asked, &entry);
        }
        Ok(Run {
            witness,
            verdict: Verdict {
                outcome,
                tool: Some(format!("tla-checker {VERSION}")),
                totals,
                fired: None,
                took: end.took,
                cpu: end.cpu,
                peak: end.peak,
                runs: 1,
                evidence: found.is_some(),
            },
            counterexample: None,
            dir,
            edges: None,
        })
    }
}
