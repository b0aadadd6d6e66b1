//! One run of TLC, on one model or on several of one state graph.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::assumption;
use crate::cfg;
use crate::costs;
use crate::counts::Counts;
use crate::evidence::key::{Key, Question};
use crate::evidence::{Evidence, Files};
use crate::jvm::{Jvm, Length, SAME_FOR_ALL};
use crate::manifest::{Expect, HEAP, Manifest, Model};
use crate::process::{self, Budget, End};
use crate::resident::{Request, Resident};
use crate::run::{Run, clear, create, read};
use crate::toolchain::Toolchain;
use crate::verdict::{Outcome, Verdict, lasso_is_torn};
use interlock_tla::counterexample::Counterexample;
use interlock_tla::edges::{self, PRINTER};
use interlock_tla::messages::Output;
use interlock_tla::module::Module;

/// So often a model is run whose lasso TLC fails to write down.
const RUNS: u32 = 3;

/// Runs the models of a manifest.
#[derive(Debug)]
pub struct Tlc<'a> {
    /// The models.
    pub manifest: &'a Manifest,
    /// Java and the jar.
    pub toolchain: &'a Toolchain,
    jvm: Jvm<'a>,
    out: &'a Path,
    evidence: Option<&'a Evidence>,
    resident: Option<&'a Resident>,
}

/// How TLC is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// Whether it writes down each step that it explores.
    pub edges: bool,
    /// What it counts beside states.
    pub counts: Counts,
    /// How long that will take.
    pub length: Length,
}

impl Ask {
    /// For all that can be had of `model`.
    pub fn all(model: &Model) -> Ask {
        Ask {
            edges: true,
            counts: Counts::Actions,
            length: Length::of(costs::estimate(model)),
        }
    }
}

impl<'a> Tlc<'a> {
    /// Writes below `out`, an absolute path: `out/run/<model>/`.
    pub fn new(manifest: &'a Manifest, toolchain: &'a Toolchain, out: &'a Path) -> Tlc<'a> {
        Tlc {
            manifest,
            toolchain,
            jvm: Jvm::new(toolchain),
            out,
            evidence: None,
            resident: None,
        }
    }

    /// With what was found earlier.
    pub fn with_evidence(self, evidence: Option<&'a Evidence>) -> Tlc<'a> {
        Tlc { evidence, ..self }
    }

    /// On JVMs that stay, all but what is long. What is found there is no evidence for who asks for a JVM of its own.
    pub fn on(self, resident: &'a Resident) -> Tlc<'a> {
        Tlc {
            resident: Some(resident),
            ..self
        }
    }

    /// Starts the first of the JVMs that are to stay.
    ///
    /// # Errors
    ///
    /// Those of [`Resident::start`].
    pub fn start_resident(&self, resident: &Resident) -> Result<()> {
        resident.start(&self.jvm, HEAP)
    }

    fn resident(&self, ask: Ask) -> Option<&'a Resident> {
        self.resident.filter(|_| ask.length == Length::Short)
    }

    /// Asks about `model`, in `out/run/<model>/`: runs it, unless there is evidence.
    ///
    /// # Errors
    ///
    /// When files cannot be read or written, java does not start, or TLC's counterexample is not one that can be read.
    pub fn run(&self, model: &Model, ask: Ask) -> Result<Run> {
        self.run_in(&[model], ask, self.dir(model), self.evidence)
    }

    /// Asks about models of one state graph at once, all of which should hold: one run with the checks of all, in the first one's
    /// folder. `None` if it does not find that they hold: which of them does not, only runs of their own can tell.
    ///
    /// # Errors
    ///
    /// Those of [`Tlc::run`].
    pub fn run_together(&self, models: &[&Model], ask: Ask) -> Result<Option<Run>> {
        let run = self.run_all(models, ask)?;
        Ok((run.verdict.outcome == Outcome::Holds).then_some(run))
    }

    /// The same, whatever is found: TLC stops at the first violation that it finds.
    ///
    /// # Errors
    ///
    /// Those of [`Tlc::run`].
    pub fn run_all(&self, models: &[&Model], ask: Ask) -> Result<Run> {
        for model in models {
            clear(&self.dir(model))?;
        }
        self.run_in(models, ask, self.dir(models[0]), self.evidence)
    }

    /// Runs once more a model that turned out to be violated, to have its steps with their arguments.
    ///
    /// # Errors
    ///
    /// Those of [`Tlc::run`], and a second run that does not find what the first did.
    pub fn run_again(&self, model: &Model, first: &Run) -> Result<Run> {
        let dir = first.dir.join("again");
        let again = self.run_in(&[model], Ask::all(model), dir, None)?;
        let same = again.verdict.outcome == first.verdict.outcome;
        ensure!(same, "a second run does not find the same");
        Ok(again)
    }

    fn dir(&self, model: &Model) -> PathBuf {
        self.out.join("run").join(&model.name)
    }

    fn run_in(
        &self,
        models: &[&Model],
        ask: Ask,
        dir: PathBuf,
        evidence: Option<&Evidence>,
    ) -> Result<Run> {
        let mut runs = 1;
        loop {
            let (mut run, torn) = self.run_once(models, ask, dir.clone(), evidence)?;
            run.verdict.runs = runs;
            if !torn || runs == RUNS {
                return Ok(run);
            }
            runs += 1;
        }
    }

    fn run_once(
        &self,
        models: &[&Model],
        ask: Ask,
        dir: PathBuf,
        evidence: Option<&Evidence>,
    ) -> Result<(Run, bool)> {
        clear(&dir)?;
        fs::create_dir_all(&dir).with_context(|| format!("{} cannot be made", dir.display()))?;
        let printer = self.printer(models[0], ask)?;
        let text = match models {
            [model] => cfg::text(model, printer.is_some()),
            _ => cfg::together(models, printer.is_some()),
        };
        let name = &models[0].name;
        let cfg = dir.join(format!("{name}.cfg"));
        fs::write(&cfg, &text).with_context(|| format!("{} cannot be written", cfg.display()))?;
        if let Some(module) = &printer {
            let path = dir.join(format!("{PRINTER}.tla"));
            fs::write(&path, module)
                .with_context(|| format!("{} cannot be written", path.display()))?;
        }
        let files = Files::of(&dir, printer.is_some());
        let text = text + printer.as_deref().unwrap_or_default();
        let keyed = evidence.map(|evidence| (evidence, self.keys(models, ask, &text)));
        let found = keyed.iter().find_map(|(evidence, keys)| {
            keys.as_ref()
                .ok()?
                .iter()
                .find_map(|key| evidence.find(key))
        });
        let end = match &found {
            Some(entry) => {
                files.restore(entry)?;
                entry.end()
            }
            None => {
                let scratch = dir.join("scratch");
                let end = self.start(models, ask, &cfg, &files, &dir, &scratch);
                // What TLC keeps on disk can be large; a fault of the run itself is told first.
                let removed = fs::remove_dir_all(&scratch);
                let end = end?;
                removed.with_context(|| format!("{} cannot be removed", scratch.display()))?;
                end
            }
        };
        let (mut run, torn) = self.judge(models, ask, dir, &files, end)?;
        run.verdict.evidence = found.is_some();
        if let Some((evidence, Ok(keys))) = &keyed
            && found.is_none()
            && run.verdict.outcome.is_verdict()
            // Not if a module was edited meanwhile: who knows which text TLC has read.
            && self.keys(models, ask, &text)?.first() == keys.first()
            && let (Some(key), Some(entry)) = (keys.first(), files.entry(end)?)
        {
            evidence.keep(key, &entry);
        }
        Ok((run, torn))
    }

    /// The module that prints the steps of `model`, if they are asked for and it has any that can be named.
    fn printer(&self, model: &Model, ask: Ask) -> Result<Option<String>> {
        if !ask.edges {
            return Ok(None);
        }
        let module = Module::read(&self.manifest.specs.join(&model.area), &model.module)?;
        edges::printer(&module, &model.module, model.expect == Expect::Holds)
    }

    /// The keys under which an answer may be kept; a new one is kept under the first. What was found by one that counts more also
    /// answers who asks for less.
    fn keys(&self, models: &[&Model], ask: Ask, cfg: &str) -> Result<Vec<Key>> {
        use Counts::{Actions, Formulas, Nothing};

        let Toolchain { java, jar, .. } = self.toolchain;
        let program = [java.said.clone(), jar.sha256.clone()];
        let folder = self.manifest.specs.join(&models[0].area);
        let key = |counts, stays: bool| {
            let options = SAME_FOR_ALL.iter().copied().map(str::to_owned);
            let mut arguments: Vec<String> = options.collect();
            arguments.extend(stays.then(|| "on a JVM that stays".to_owned()));
            arguments.push(format!("-Xmx{}m", heap(models)));
            arguments.extend(self.options(counts != Nothing).map(str::to_owned));
            let alone = stays && counts == Actions;
            arguments.extend(alone.then(|| "of actions alone".to_owned()));
            arguments.push(format!("edges: {}", ask.edges));
            Key::of(&Question {
                program: &program,
                arguments: &arguments,
                cfg,
                folder: &folder,
                module: &models[0].module,
            })
        };
        // TLC itself counts formulas wherever it counts actions: of a JVM of its own both are one question.
        let resident = [(Nothing, true), (Actions, true), (Formulas, true)];
        let own = [(Nothing, false), (Formulas, false)];
        let kinds = resident.into_iter().chain(own);
        let stays = self.resident(ask).is_some();
        kinds
            .filter(|(counts, of_resident)| *counts >= ask.counts && (stays || !of_resident))
            .map(|(counts, of_resident)| key(counts, of_resident))
            .collect()
    }

    /// TLC's options that are no paths.
    fn options(&self, coverage: bool) -> impl Iterator<Item = &'static str> {
        // One worker, and no random fingerprint or seed: the same counts and counterexample each time.
        let same = "-workers 1 -fp 0 -seed 1 -checkpoint 0 -lncheck final".split(' ');
        let coverage = coverage.then_some(["-coverage", "1"]);
        // Newer versions leave a spec of each counterexample beside ours unless told not to; the pinned one cannot be told.
        let unpinned = (!self.toolchain.jar.pinned).then_some("-noGenerateSpecTE");
        same.chain(coverage.into_iter().flatten()).chain(unpinned)
    }

    fn start(
        &self,
        models: &[&Model],
        ask: Ask,
        cfg: &Path,
        files: &Files,
        dir: &Path,
        scratch: &Path,
    ) -> Result<End> {
        let tmp = scratch.join("tmp");
        fs::create_dir_all(&tmp).with_context(|| format!("{} cannot be made", tmp.display()))?;
        let folder = self.manifest.specs.join(&models[0].area);
        // Where the root module is, and where the other modules are if that is elsewhere.
        let (place, root, library) = match &files.edges {
            None => (&*folder, &models[0].module[..], None),
            Some(_) => (dir, PRINTER, Some(&*folder)),
        };
        let resident = self.resident(ask);
        // A JVM that stays counts actions by itself.
        let counts = if resident.is_some() {
            ask.counts == Counts::Formulas
        } else {
            ask.counts != Counts::Nothing
        };
        let mut arguments: Vec<OsString> = self.options(counts).map(OsString::from).collect();
        let meta = scratch.join("meta");
        // Whether there is such a file changes which lasso TLC finds (not whether there is one), so there always is; what it holds,
        // and whether steps are counted, does not.
        let unused = scratch.join("edges.txt");
        let user_file = files.edges.as_ref().unwrap_or(&unused);
        for (option, path) in [
            ("-metadir", &*meta),
            ("-config", cfg),
            ("-userFile", user_file),
        ] {
            arguments.extend([option.into(), path.into()]);
        }
        let (heap, length) = (heap(models), ask.length);
        let budget = Budget::cpu(models.iter().map(|model| model.budget).sum());
        let root = format!("{root}.tla");
        if let Some(resident) = resident {
            arguments.push(place.join(&root).into());
            let request = Request {
                library,
                stdout: &files.stdout,
                stderr: &files.stderr,
                arguments: &arguments,
                counts: ask.counts,
            };
            return resident.run(&self.jvm, heap, &request, budget);
        }
        let mut tlc = match library {
            None => self.jvm.tlc(heap, length, &tmp),
            Some(library) => {
                let library = library.display().to_string();
                self.jvm.tlc_with_library(heap, length, &tmp, &library)
            }
        };
        tlc.current_dir(place).args(arguments).arg(root);
        // Files, not pipes: nothing to fill up, and no status to lose.
        tlc.stdout(create(&files.stdout)?)
            .stderr(create(&files.stderr)?);
        process::run(&mut tlc, budget)
            .with_context(|| format!("{} does not start", tlc.get_program().display()))
    }

    fn judge(
        &self,
        models: &[&Model],
        ask: Ask,
        dir: PathBuf,
        files: &Files,
        end: End,
    ) -> Result<(Run, bool)> {
        let model = models[0];
        let output = Output::parse(&read(&files.stdout)?);
        let counted = ask.counts != Counts::Nothing;
        let mut verdict = Verdict::new(model, end, &output, &read(&files.stderr)?, counted);
        assumption::name(&mut verdict.outcome, &self.manifest.specs.join(&model.area));
        let counterexample = match verdict.outcome {
            Outcome::Violates { .. } => Counterexample::from_messages(&output.messages)
                .with_context(|| {
                    format!(
                        "the counterexample in {} cannot be read",
                        files.stdout.display()
                    )
                })?,
            _ => None,
        };
        let torn = matches!(verdict.outcome, Outcome::Error { .. }) && lasso_is_torn(&output);
        let run = Run {
            verdict,
            witness: counterexample.as_ref().map(|found| found.states.len()),
            counterexample,
            dir,
            edges: files.edges.clone().filter(|edges| edges.is_file()),
        };
        Ok((run, torn))
    }
}

/// The largest heap that one of the models is given, in MiB.
fn heap(models: &[&Model]) -> u64 {
    models
        .iter()
        .map(|model| model.heap)
        .max()
        .unwrap_or_default()
}
