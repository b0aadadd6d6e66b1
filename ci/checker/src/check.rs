//! `interlock check`: runs the chosen models and judges each.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::availability::Availability;
use crate::bless;
use crate::commit;
use crate::corpus;
use crate::costs::Costs;
use crate::distributed::{self, Distributed};
use crate::engines::{Engines, Tools};
use crate::evidence::Evidence;
use crate::explain;
use crate::graph;
use crate::interrupt;
use crate::judge;
use crate::lock;
use crate::manifest::{Engine, Lane, Manifest, Model};
use crate::note;
use crate::plan::{self, Job};
use crate::progress::Progress;
use crate::report::last::Last;
use crate::report::{Asked, Report, Row, State, Status, console};
use crate::resident::Resident;
use crate::run::Run;
use crate::say;
use crate::select::Selection;
use crate::shard::Shard;
use crate::tlc::{Ask, Tlc};
use crate::trace;
use crate::verdict::Outcome;

/// From so many runs on JVMs stay: one takes as long to start as a few runs on JVMs of their own.
const MANY: usize = 20;

/// What to run, and where to write.
#[derive(Debug, Clone)]
pub struct Request {
    /// The models.
    pub selection: Selection,
    /// Of these, only those that were not as expected in the last run that wrote to `out`.
    pub failed: bool,
    /// Of these, only this part.
    pub shard: Option<Shard>,
    /// Run them in TLC's distributed mode, one after the other.
    pub distributed: Option<Distributed>,
    /// Engines that must be here.
    pub required: Vec<Engine>,
    /// The directory of the specifications and their claims.
    pub specs: PathBuf,
    /// Write what runs count into the locks, where the verdict is the expected one.
    pub bless: bool,
    /// How many models run at once.
    pub jobs: NonZero<usize>,
    /// Run each model, whatever was found earlier, as if nothing had run before it.
    pub fresh: bool,
    /// Start no more models once one is not as expected.
    pub fail_fast: bool,
    /// Show every model, not only those that are not as expected.
    pub verbose: bool,
    /// Where reports and the models' own files go.
    pub out: PathBuf,
}

impl Request {
    fn asked(&self) -> Asked {
        Asked {
            lane: self.selection.lane,
            engine: self.selection.engine,
            areas: self.selection.areas.clone(),
            names: self.selection.names.clone(),
            shard: self.shard.map(|shard| shard.to_string()),
            failed: self.failed,
        }
    }

    /// The nightly lane judges every claim, or says which engine is missing and judges none.
    fn required(&self, models: &[&Model]) -> Vec<Engine> {
        let mut required = self.required.clone();
        if self.selection.lane == Some(Lane::Nightly) {
            required.extend(models.iter().map(|model| model.engine));
        }
        required.sort_unstable();
        required.dedup();
        required
    }
}

/// Runs the models, writes the reports and prints what is not as expected. The exit status: 0 if all is as expected, 1 if not, 130
/// after a signal. Models whose engine is not here are not run, and said to be.
///
/// # Errors
///
/// When nothing is judged: bad input, a missing or required tool, a directory that cannot be written. And when a required tool turns
/// out at the end not to be one that can be built.
pub fn check(root: &Path, request: &Request) -> Result<u8> {
    let start = Instant::now();
    let manifest = Manifest::load(&request.specs)?;
    let out = std::path::absolute(&request.out)?;
    let mut models = request.selection.of(&manifest)?;
    if request.failed {
        let last = Last::read(&out)?;
        let failed = last.failed();
        models.retain(|model| failed.contains(model.name.as_str()));
        note!(
            "{} of these models were not as expected in the run of {}",
            models.len(),
            last.started
        );
        if models.is_empty() {
            return Ok(0);
        }
    }
    if let Some(shard) = &request.shard {
        models = shard.part(&models);
        ensure!(
            !models.is_empty(),
            "shard {shard} has no model (ask for fewer shards)"
        );
    }
    if request.distributed.is_some() {
        distributed::allow(&models)?;
    }
    let required = request.required(&models);
    let tools = Tools::find(root, &models, &required)?;
    tell_unpinned(&tools)?;
    let _lock = lock::lock(&out)?;
    let not_judged = models.iter().map(|model| Row::not_judged(model)).collect();
    let report = Report::start(
        commit::find(root),
        &manifest.specs,
        request.asked(),
        request.jobs.get(),
        &tools,
        not_judged,
    );
    report.announce(&out)?;
    let rows = match &request.distributed {
        Some(distributed) => {
            let engines = Engines::new(&manifest, &tools, &out);
            distributed::rows(&engines, &models, &out, distributed)?
        }
        None => {
            let evidence = Evidence::of(root, request.fresh);
            let engines = || Engines::with_evidence(&manifest, &tools, &out, Some(&evidence));
            let alone = engines();
            let mut costs = Costs::read(&out);
            let jobs = plan::jobs(&manifest, &models, |model| is_kept(root, model), &costs);
            let resident = Resident::new(out.join("jvm"));
            let staying = stay(request, &alone, &jobs, &resident);
            let staying = staying.then(|| engines().on(&resident));
            let judges = Judges { alone, staying };
            let rows = run_all(&judges, models.len(), jobs, request);
            for row in rows.iter().flatten() {
                if !row.evidence && row.cpu > 0.0 {
                    costs.measured(&row.model, row.cpu);
                }
            }
            costs.write();
            evidence.trim()?;
            rows
        }
    };
    let judged = rows.iter().flatten().count();
    let stopped = request.fail_fast && rows.iter().flatten().any(|row| row.status.is_fault());
    let state = if interrupt::requested() {
        State::Interrupted
    } else if stopped {
        State::Stopped
    } else {
        State::Complete
    };
    ensure!(
        state != State::Complete || judged == models.len(),
        "{} of {} models were not judged",
        models.len() - judged,
        models.len()
    );
    let blessed = rows.iter().flatten();
    let blessed = blessed.filter(|_| state != State::Interrupted);
    let measured = blessed.filter_map(|row| Some((row.model.as_str(), row.counts?)));
    let changes = bless::write(&manifest, &measured.collect())?;
    let rows = models.iter().zip(rows);
    let rows = rows.map(|(model, row)| row.unwrap_or_else(|| Row::not_judged(model)));
    let report = report.end(state, start.elapsed(), rows.collect());
    // Written first: whoever reads what is printed may go before its end.
    let written = report.write(&out);
    let below = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_owned();
    let base = below(manifest.base());
    let changes = changes.iter().map(|change| format!("blessed: {change}\n"));
    let text = console::text(&report, &base, &below(&out), request.verbose);
    say::print(&(changes.collect::<String>() + &text))?;
    written?;
    if state == State::Complete {
        tools.require(&required)?;
    }
    Ok(if state == State::Interrupted {
        note!(
            "interrupted: {judged} of {} models were judged",
            models.len()
        );
        interrupt::EXIT
    } else if report.faults().next().is_some() {
        1
    } else if report.rows.iter().all(|row| row.status == Status::NotRun) {
        2
    } else {
        0
    })
}

/// Says which tools are not those that the project pins.
fn tell_unpinned(tools: &Tools) -> Result<()> {
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
    Ok(())
}

/// Whether what a run of the model shows is compared with a file of the clone.
fn is_kept(root: &Path, model: &Model) -> bool {
    corpus::kept(root, model).is_some() || explain::picture(root, model).is_some()
}

/// The engines, and where there are many runs those whose JVMs stay.
struct Judges<'a> {
    alone: Engines<'a>,
    staying: Option<Engines<'a>>,
}

/// Whether JVMs stay, the first of which then runs. They do not where each row is to be run as if nothing had been before it, nor with a
/// TLC that they are not written for.
fn stay(request: &Request, engines: &Engines, jobs: &[Job], resident: &Resident) -> bool {
    let Some(tlc) = &engines.tlc else {
        return false;
    };
    let is_for_each = request.fresh || request.bless || !tlc.toolchain.jar.pinned;
    if is_for_each || jobs.len() < MANY {
        return false;
    }
    let started = tlc.start_resident(resident);
    if let Err(error) = &started {
        note!("slower, each run on a JVM of its own: {error:#}");
    }
    started.is_ok()
}

/// The rows of the models, in their order; `None` of one that was not judged, since something ended the run.
fn run_all(judges: &Judges, models: usize, jobs: Vec<Job>, request: &Request) -> Vec<Option<Row>> {
    enum Event {
        Started(String),
        Done(usize, Box<Row>),
    }
    let workers = request.jobs.get().min(jobs.len());
    let queue = Mutex::new(jobs.into_iter());
    let stop = AtomicBool::new(false);
    let next = || {
        queue
            .lock()
            .ok()
            .and_then(|mut queue| queue.next())
            .filter(|_| !interrupt::requested() && !stop.load(Ordering::Relaxed))
    };
    let mut rows: Vec<Option<Row>> = (0..models).map(|_| None).collect();
    std::thread::scope(|scope| {
        let (events, inbox) = mpsc::channel();
        for _ in 0..workers {
            let (events, next, stop) = (events.clone(), &next, &stop);
            scope.spawn(move || {
                while let Some(job) = next() {
                    for (_, model) in &job.members {
                        // The receiver outlives the workers.
                        let _ = events.send(Event::Started(model.name.clone()));
                    }
                    for (place, row) in judges.job(&job, request.bless) {
                        if request.fail_fast && row.status.is_fault() {
                            stop.store(true, Ordering::Relaxed);
                        }
                        if interrupt::requested() {
                            return;
                        }
                        let _ = events.send(Event::Done(place, Box::new(row)));
                    }
                }
            });
        }
        drop(events);
        let mut progress = Progress::new(models, request.verbose);
        loop {
            match inbox.recv_timeout(progress.patience()) {
                Ok(Event::Started(model)) => progress.started(&model),
                Ok(Event::Done(place, row)) => {
                    progress.done(&row);
                    rows[place] = Some(*row);
                }
                Err(RecvTimeoutError::Timeout) => progress.tick(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    rows
}

impl Judges<'_> {
    /// The rows of a job's models. One that is not as expected on a JVM that stays is asked again, on one of its own.
    fn job<'a>(&'a self, job: &'a Job, bless: bool) -> Box<dyn Iterator<Item = (usize, Row)> + 'a> {
        let Some(staying) = &self.staying else {
            return judge_job(&self.alone, job, bless);
        };
        let rows = judge_job(staying, job, bless).zip(&job.members);
        Box::new(rows.map(move |((place, found), (_, model))| {
            if !found.status.is_fault() || interrupt::requested() {
                return (place, found);
            }
            // Which lasso is found is the JVM's choice too.
            if !plan::is_lasso(model) || found.found != found.expected {
                let why = found.sentences.join("; ");
                note!("{}: asked again, on a JVM of its own: {why}", model.name);
            }
            (place, row(&self.alone, model, job.ask, bless))
        }))
    }
}

/// The rows of a job's models, in their order. Should the run that they share not find that all hold, each is run by itself: TLC stops
/// at the first violation that it finds, and does not always name it.
fn judge_job<'a>(
    engines: &'a Engines,
    job: &'a Job,
    bless: bool,
) -> Box<dyn Iterator<Item = (usize, Row)> + 'a> {
    let members = job.members.iter();
    let models: Vec<&Model> = members.clone().map(|(_, model)| *model).collect();
    if let (Some(tlc), [_, _, ..]) = (&engines.tlc, &models[..])
        && let Ok(Some(run)) = tlc.run_together(&models, job.ask)
    {
        let share = run.shared_by(models.len());
        return Box::new(members.map(move |(place, model)| {
            let row = judge_run(engines, model, &share, bless);
            (*place, row_or_error(model, row))
        }));
    }
    Box::new(members.map(move |(place, model)| (*place, row(engines, model, job.ask, bless))))
}

fn row(engines: &Engines, model: &Model, ask: Ask, bless: bool) -> Row {
    if let Some(why) = engines.tools.missing(model.engine) {
        return Row::not_run(model, why);
    }
    let run = engines.run(model, ask);
    let row = run.and_then(|run| judge_run(engines, model, &run, bless));
    row_or_error(model, row)
}

fn row_or_error(model: &Model, row: Result<Row>) -> Row {
    row.unwrap_or_else(|error| Row {
        status: Status::Error,
        found: "error".into(),
        sentences: vec![format!("{error:#}")],
        ..Row::new(model, Duration::ZERO)
    })
}

fn judge_run(engines: &Engines, model: &Model, run: &Run, bless: bool) -> Result<Row> {
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
        cpu: verdict.cpu.as_secs_f64(),
        evidence: verdict.evidence,
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
    // Only what is shown or compared is drawn.
    let is_drawn = row.found != row.expected
        || engines
            .tlc
            .as_ref()
            .is_some_and(|tlc| is_kept(&tlc.toolchain.root, model));
    if let Some(counterexample) = run.counterexample.as_ref().filter(|_| is_drawn) {
        match trace::explain(engines, model, run, counterexample) {
            Ok(timeline) => {
                row.timeline = (row.found != row.expected).then_some(timeline);
                let stale = engines
                    .tlc
                    .as_ref()
                    .map(|tlc| stale_picture(tlc, model, run));
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
        row.add_fault(graph::stale(&tlc.toolchain.root, model, run)?);
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
