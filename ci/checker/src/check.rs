//! `interlock check`: runs the chosen models and judges each.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::availability::Availability;
use crate::bless;
use crate::engines::{Engines, Tools};
use crate::explain;
use crate::graph;
use crate::interrupt;
use crate::judge;
use crate::lock;
use crate::manifest::{Engine, Lane, Manifest, Model};
use crate::note;
use crate::progress::Progress;
use crate::report::{self, Row, Status};
use crate::run::Run;
use crate::say;
use crate::tlc::Tlc;
use crate::verdict::Outcome;
use interlock_tla::counterexample::Counterexample;

/// What to run, and where to write.
#[derive(Debug, Clone)]
pub struct Request {
    /// The models of this lane and of those before it, unless `names` has any.
    pub lane: Lane,
    /// Areas, designs or models, run whatever their lane.
    pub names: Vec<String>,
    /// Only the models of this engine.
    pub engine: Option<Engine>,
    /// Engines that must be here.
    pub required: Vec<Engine>,
    /// The directory of the specifications and their claims.
    pub specs: PathBuf,
    /// Write what runs count into the locks, where the verdict is the expected one.
    pub bless: bool,
    /// How many models run at once.
    pub jobs: NonZero<usize>,
    /// Where reports and the models' own files go.
    pub out: PathBuf,
}

/// Runs the models, prints the table and writes the reports. The exit status: 0 if all is as expected, 1 if not, 130 after a
/// signal. Models whose engine is not here are not run, and said to be.
///
/// # Errors
///
/// When nothing is judged: bad input, a missing or required tool, a directory that cannot be written. And when a required tool turns
/// out at the end not to be one that can be built.
pub fn check(root: &Path, request: &Request) -> Result<u8> {
    let start = Instant::now();
    let manifest = Manifest::load(&request.specs)?;
    let mut models = manifest.select(request.lane, &request.names)?;
    models.retain(|model| request.engine.is_none_or(|engine| model.engine == engine));
    if models.is_empty() {
        let engine = request
            .engine
            .map(|engine| format!(" for {}", engine.name()));
        bail!(
            "{} has no model{} in this lane",
            request.specs.display(),
            engine.unwrap_or_default()
        );
    }
    let tools = Tools::find(root, &models, &request.required)?;
    if let Some(toolchain) = tools.tlc.as_ref().filter(|tlc| !tlc.jar.pinned) {
        let (jar, version) = (&toolchain.jar, toolchain.tlc_version()?);
        note!(
            "TLC {version} from {}, SHA-256 {}: not the pinned one",
            jar.path.display(),
            jar.sha256
        );
    }
    if let Some(Availability::Ready(apalache)) = &tools.apalache {
        let pinned = if apalache.pinned {
            ""
        } else {
            ": not the pinned one"
        };
        note!(
            "Apalache {} from {} on Java {}{pinned}",
            apalache.version,
            apalache.program.display(),
            apalache.java.version
        );
    }
    let out = std::path::absolute(&request.out)?;
    let _lock = lock::lock(&out)?;
    let engines = Engines::new(&manifest, &tools, &out);
    let rows = run_all(&engines, &models, request);
    if interrupt::requested() {
        note!(
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
    let measured = rows
        .iter()
        .filter_map(|row| Some((row.model.as_str(), row.counts?)));
    let changes = bless::write(&manifest, &measured.collect())?;
    // Written first: whoever reads what is printed may go before its end.
    report::write(&out, &manifest.specs, &tools, &rows, start.elapsed())?;
    let base = manifest.base();
    let mut text = report::text(base.strip_prefix(root).unwrap_or(base), &rows);
    for change in changes {
        text += &format!("blessed: {change}\n");
    }
    say::print(&text)?;
    tools.require(&request.required)?;
    Ok(if rows.iter().any(Row::is_fault) {
        1
    } else if rows.iter().all(|row| row.status == Status::NotRun) {
        2
    } else {
        0
    })
}

/// The rows of the models that were judged, in the manifest's order.
fn run_all(engines: &Engines, models: &[&Model], request: &Request) -> Vec<Row> {
    enum Event {
        Started(usize),
        Done(usize, Box<Row>),
    }
    let mut order: Vec<usize> = (0..models.len()).collect();
    // The longest first, so that the last one to end is a short one; those of tla-checker last, which may still be built.
    order.sort_by_key(|&index| {
        let model = models[index];
        (
            model.engine == Engine::TlaChecker,
            std::cmp::Reverse(model.budget),
        )
    });
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
        for _ in 0..request.jobs.get().min(models.len()) {
            let (events, next) = (events.clone(), &next);
            scope.spawn(move || {
                while let Some(index) = next() {
                    let sent = events.send(Event::Started(index));
                    let row = row(engines, models[index], request.bless);
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

fn row(engines: &Engines, model: &Model, bless: bool) -> Row {
    if let Some(why) = engines.tools.missing(model.engine) {
        return Row::not_run(model, why);
    }
    let start = Instant::now();
    let judged = judge_model(engines, model, bless);
    judged.unwrap_or_else(|error| Row {
        status: Status::Error,
        found: "error".into(),
        sentences: vec![format!("{error:#}")],
        ..Row::new(model, start.elapsed())
    })
}

fn judge_model(engines: &Engines, model: &Model, bless: bool) -> Result<Row> {
    let run = engines.run(model)?;
    let verdict = &run.verdict;
    let mut row = Row {
        found: judge::found(&verdict.outcome),
        distinct: verdict.totals.map(|totals| totals.distinct),
        total: verdict
            .totals
            .filter(|_| model.engine == Engine::Tlc)
            .map(|totals| totals.total),
        witness: run.witness,
        mebibytes: verdict.peak / (1 << 20),
        runs: verdict.runs,
        tool: verdict.tool.clone(),
        dir: run.dir.clone(),
        ..Row::new(model, verdict.took)
    };
    let see = |why: &str| format!("{why}. See {}", run.dir.join("stdout.txt").display());
    match &verdict.outcome {
        Outcome::Inconclusive { why } => {
            (row.status, row.sentences) = (Status::Inconclusive, vec![see(why)])
        }
        Outcome::Error { why } => (row.status, row.sentences) = (Status::Error, vec![see(why)]),
        Outcome::Holds | Outcome::Typed | Outcome::Violates { .. } => {
            let module = engines.manifest.module(model);
            let pinned = engines.is_pinned(model);
            let mut judged = model.clone();
            if bless && row.found == row.expected {
                row.counts = bless::measured(model, verdict, run.witness, pinned);
            }
            if let Some(counts) = row.counts {
                (judged.distinct, judged.total) = (counts.distinct, counts.total);
                judged.witness = counts.witness;
            }
            row.sentences = judge::faults(&judged, module, verdict, run.witness, pinned);
            row.status = if row.sentences.is_empty() {
                Status::AsExpected
            } else {
                Status::Unexpected
            };
        }
    }
    if let Some(counterexample) = &run.counterexample {
        match explain(engines, model, &run, counterexample) {
            Ok(timeline) => {
                row.timeline = (row.found != row.expected).then_some(timeline);
                let stale = engines
                    .tlc
                    .as_ref()
                    .map(|tlc| stale_picture(tlc, model, &run));
                row.add_fault(stale.transpose()?.flatten());
            }
            Err(error) => {
                row.sentences.push(format!("{error:#}"));
                if row.status == Status::AsExpected {
                    row.status = Status::Error;
                }
            }
        }
    }
    // Which lasso is found is the version's choice.
    let comparable = engines.is_pinned(model) || run.counterexample.is_none();
    if let Some(tlc) = engines.tlc.as_ref().filter(|_| comparable)
        && row.status == Status::AsExpected
    {
        row.add_fault(graph::stale(&tlc.toolchain.root, model, &run)?);
    }
    Ok(row)
}

/// What is wrong with the documentation's picture of the model: it is not what this run drew. Another version of TLC may well find
/// another lasso.
fn stale_picture(tlc: &Tlc, model: &Model, run: &Run) -> Result<Option<String>> {
    let Some(path) = explain::picture(&tlc.toolchain.root, model) else {
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
fn explain(
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

/// `interlock trace`: runs one model, and returns the timeline of its counterexample; `None` if there is none.
///
/// # Errors
///
/// When there is no verdict, for whatever reason.
pub fn trace(
    root: &Path,
    specs: &Path,
    name: &str,
    out: &Path,
) -> Result<Option<(String, PathBuf)>> {
    let manifest = Manifest::load(specs)?;
    let Some(model) = manifest.model(name) else {
        manifest.select(Lane::Nightly, &[name.to_owned()])?;
        bail!("{name} is not one model: give one of its models' names");
    };
    let tools = Tools::find(root, &[model], &[model.engine])?;
    let out = std::path::absolute(out)?;
    let _lock = lock::lock(&out)?;
    let engines = Engines::new(&manifest, &tools, &out);
    let run = match &engines.tlc {
        Some(tlc) => tlc.run(model, true)?,
        None => engines.run(model)?,
    };
    match (&run.verdict.outcome, &run.counterexample) {
        (Outcome::Inconclusive { why } | Outcome::Error { why }, _) => {
            bail!(
                "{name}: {why}. See {}",
                run.dir.join("stdout.txt").display()
            )
        }
        (_, None) => Ok(None),
        (_, Some(counterexample)) => Ok(Some((
            explain(&engines, model, &run, counterexample)?,
            run.dir,
        ))),
    }
}
