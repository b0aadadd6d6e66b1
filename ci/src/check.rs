//! `interlock check`: runs the chosen models and judges each.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::counterexample::Counterexample;
use crate::docs;
use crate::interrupt;
use crate::judge;
use crate::manifest::{Expect, Lane, Manifest, Model};
use crate::progress::Progress;
use crate::report::{self, Row, Status};
use crate::tlc::{Run, Tlc};
use crate::toolchain::Toolchain;
use crate::trace;
use crate::verdict::Outcome;

/// What to run, and where to write.
#[derive(Debug, Clone)]
pub struct Request {
    /// The models of this lane and of those before it, unless `names` has any.
    pub lane: Lane,
    /// Areas, designs or models, run whatever their lane.
    pub names: Vec<String>,
    /// The manifest.
    pub manifest: PathBuf,
    /// How many models run at once.
    pub jobs: NonZero<usize>,
    /// Where reports and the models' own files go.
    pub out: PathBuf,
}

/// Runs the models, prints the table and writes the reports. The exit status: 0 if all is as expected, 1 if not, 130 after a
/// signal.
///
/// # Errors
///
/// When nothing is judged: bad input, a missing tool, a directory that cannot be written.
pub fn check(root: &Path, request: &Request) -> Result<u8> {
    let start = Instant::now();
    let manifest = Manifest::load(&request.manifest)?;
    let models = manifest.select(request.lane, &request.names)?;
    if models.is_empty() {
        bail!("{} has no model in this lane", request.manifest.display());
    }
    let toolchain = Toolchain::find(root)?;
    if !toolchain.jar.pinned {
        let (jar, version) = (&toolchain.jar, toolchain.tlc_version()?);
        eprintln!(
            "TLC {version} from {}, SHA-256 {}: not the pinned one",
            jar.path.display(),
            jar.sha256
        );
    }
    let out = std::path::absolute(&request.out)?;
    let _lock = lock(&out)?;
    let tlc = Tlc::new(&manifest, &toolchain, &out);
    let rows = run_all(&tlc, &models, request.jobs);
    if interrupt::requested() {
        eprintln!(
            "interrupted: {} of {} models were judged; no report is written",
            rows.len(),
            models.len()
        );
        return Ok(interrupt::EXIT);
    }
    ensure!(
        rows.len() == models.len(),
        "{} of {} models were not judged",
        models.len() - rows.len(),
        models.len()
    );
    report::print(
        manifest.path.strip_prefix(root).unwrap_or(&manifest.path),
        &rows,
    );
    report::write(&out, &manifest.path, &toolchain, &rows, start.elapsed())?;
    Ok(u8::from(
        rows.iter().any(|row| row.status != Status::AsExpected),
    ))
}

/// Two runs must not write to the same files. The lock ends with the process that holds it.
pub(crate) fn lock(out: &Path) -> Result<fs::File> {
    fs::create_dir_all(out).with_context(|| format!("{} cannot be made", out.display()))?;
    let path = out.join("lock");
    let file =
        fs::File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            bail!(
                "another interlock runs in {}: wait for it, or give --out another directory",
                out.display()
            )
        }
        Err(fs::TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", path.display()))
        }
    }
}

/// The rows of the models that were judged, in the manifest's order.
fn run_all(tlc: &Tlc, models: &[&Model], jobs: NonZero<usize>) -> Vec<Row> {
    enum Event {
        Started(usize),
        Done(usize, Box<Row>),
    }
    let mut order: Vec<usize> = (0..models.len()).collect();
    // The longest first, so that the last one to end is a short one.
    order.sort_by_key(|&index| std::cmp::Reverse(models[index].budget));
    let queue = Mutex::new(order.into_iter());
    let next = || {
        queue
            .lock()
            .ok()
            .and_then(|mut queue| queue.next())
            .filter(|_| !interrupt::requested())
    };
    let mut rows: Vec<Option<Row>> = models.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let (events, inbox) = mpsc::channel();
        for _ in 0..jobs.get().min(models.len()) {
            let (events, next) = (events.clone(), &next);
            scope.spawn(move || {
                while let Some(index) = next() {
                    let sent = events.send(Event::Started(index));
                    let row = row(tlc, models[index]);
                    if interrupt::requested()
                        || sent.is_err()
                        || events.send(Event::Done(index, Box::new(row))).is_err()
                    {
                        return;
                    }
                }
            });
        }
        drop(events);
        let mut progress = Progress::new(models.len());
        for event in inbox {
            match event {
                Event::Started(index) => progress.started(&models[index].name),
                Event::Done(index, row) => {
                    progress.done(&row);
                    rows[index] = Some(*row);
                }
            }
        }
    });
    rows.into_iter().flatten().collect()
}

fn row(tlc: &Tlc, model: &Model) -> Row {
    let start = Instant::now();
    let judged = judge_model(tlc, model);
    judged.unwrap_or_else(|error| Row {
        status: Status::Error,
        found: "error".into(),
        sentences: vec![format!("{error:#}")],
        ..Row::new(model, start.elapsed())
    })
}

fn judge_model(tlc: &Tlc, model: &Model) -> Result<Row> {
    let run = tlc.run(model, model.expect != Expect::Holds)?;
    let verdict = &run.verdict;
    let witness = run
        .counterexample
        .as_ref()
        .map(|counterexample| counterexample.states.len());
    let mut row = Row {
        found: judge::found(&verdict.outcome),
        distinct: verdict.totals.map(|totals| totals.distinct),
        total: verdict.totals.map(|totals| totals.total),
        witness,
        tlc: verdict.tlc.clone(),
        dir: run.dir.clone(),
        ..Row::new(model, verdict.took)
    };
    let see = |why: &str| format!("{why}. See {}", run.dir.join("stdout.txt").display());
    match &verdict.outcome {
        Outcome::Inconclusive { why } => {
            (row.status, row.sentences) = (Status::Inconclusive, vec![see(why)])
        }
        Outcome::Error { why } => (row.status, row.sentences) = (Status::Error, vec![see(why)]),
        Outcome::Holds | Outcome::Violates { .. } => {
            let module = tlc.manifest.module(model);
            row.sentences =
                judge::faults(model, module, verdict, witness, tlc.toolchain.jar.pinned);
            row.status = if row.sentences.is_empty() {
                Status::AsExpected
            } else {
                Status::Unexpected
            };
        }
    }
    if let Some(counterexample) = &run.counterexample {
        match explain(tlc, model, &run, counterexample) {
            Ok(timeline) => {
                row.timeline = (row.found != row.expected).then_some(timeline);
                if let Some(fault) = stale_picture(tlc, model, &run)? {
                    row.sentences.push(fault);
                    if row.status == Status::AsExpected {
                        row.status = Status::Unexpected;
                    }
                }
            }
            Err(error) => {
                row.sentences.push(format!("{error:#}"));
                if row.status == Status::AsExpected {
                    row.status = Status::Error;
                }
            }
        }
    }
    Ok(row)
}

/// What is wrong with the documentation's picture of the model: it is not what this run drew. Another version of TLC may well find
/// another lasso.
fn stale_picture(tlc: &Tlc, model: &Model, run: &Run) -> Result<Option<String>> {
    let Some(path) = docs::picture(&tlc.toolchain.root, model) else {
        return Ok(None);
    };
    let read =
        |path: &Path| fs::read(path).with_context(|| format!("{} cannot be read", path.display()));
    let same = read(&path)? == read(&run.dir.join("trace.svg"))?;
    Ok((tlc.toolchain.jar.pinned && !same).then(|| {
        format!(
            "{} is not the picture of this counterexample: run `make docs`",
            path.display()
        )
    }))
}

/// Writes the counterexample's files, and reads the timeline back. A row that should hold ran without its steps' arguments: it
/// runs once more to have them, and goes without if that fails.
fn explain(tlc: &Tlc, model: &Model, run: &Run, counterexample: &Counterexample) -> Result<String> {
    let mut note = String::new();
    let again = match run.edges {
        None => tlc.run_again(model, run).map(Some).unwrap_or_else(|error| {
            note = format!("Who takes which step is not shown: {error:#}\n");
            None
        }),
        Some(_) => None,
    };
    let (shown, edges) = match &again {
        Some(Run {
            counterexample: Some(shown),
            edges,
            ..
        }) => (shown, edges),
        _ => (counterexample, &run.edges),
    };
    trace::write_all(&run.dir, tlc.manifest, model, shown, edges.as_deref())
        .context("the counterexample cannot be drawn")?;
    let path = run.dir.join("trace.txt");
    let text =
        fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(text + &note)
}

/// `interlock trace`: runs one model, and returns the timeline of its counterexample; `None` if there is none.
///
/// # Errors
///
/// When there is no verdict, for whatever reason.
pub fn trace(
    root: &Path,
    manifest: &Path,
    name: &str,
    out: &Path,
) -> Result<Option<(String, PathBuf)>> {
    let manifest = Manifest::load(manifest)?;
    let Some(model) = manifest.model(name) else {
        manifest.select(Lane::Nightly, &[name.to_owned()])?;
        bail!("{name} is not one model: give one of its models' names");
    };
    let toolchain = Toolchain::find(root)?;
    let out = std::path::absolute(out)?;
    let _lock = lock(&out)?;
    let tlc = Tlc::new(&manifest, &toolchain, &out);
    let run = tlc.run(model, true)?;
    match (&run.verdict.outcome, &run.counterexample) {
        (Outcome::Inconclusive { why } | Outcome::Error { why }, _) => {
            bail!(
                "{name}: {why}. See {}",
                run.dir.join("stdout.txt").display()
            )
        }
        (_, None) => Ok(None),
        (_, Some(counterexample)) => {
            Ok(Some((explain(&tlc, model, &run, counterexample)?, run.dir)))
        }
    }
}
