//! Shows a mutant to the rows that read its definition, until one of them notices.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use interlock_checker::costs::{Costs, estimate};
use interlock_checker::counts::Counts;
use interlock_checker::engines::Tools;
use interlock_checker::judge;
use interlock_checker::manifest::{Manifest, Model};
use interlock_checker::plan;
use interlock_checker::run::Run;
use interlock_checker::tlc::{self, Tlc};
use interlock_checker::toolchain::hex_sha256;
use interlock_checker::verdict::{Outcome, Verdict, is_refused};
use interlock_checker::{interrupt, run};
use interlock_tla::messages::Output;

use crate::coverage::Coverage;
use crate::mutant::{Identity, Mutant};
use crate::operators::Role;
use crate::reach::Area;
use crate::request::Request;
use crate::results::{Fate, How, Kill, Record};

/// A mutant may take so many times what its row is estimated to.
const PATIENCE: u64 = 10;

/// That a run has not ended in its time says something if it ends in this part of it without a fault.
const LONGER: u32 = 4;

/// Of a manifest, one whose rows give up on what does not end.
pub fn impatient(manifest: &Manifest) -> Manifest {
    let mut manifest = manifest.clone();
    for model in &mut manifest.models {
        let usual = estimate(model).ceil() as u64;
        model.budget = model.budget.min(PATIENCE * usual);
    }
    manifest
}

/// A run, and the rows that it asks at once.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    rows: Vec<&'a Model>,
    how: tlc::Ask,
    digest: String,
}

impl<'a> Ask<'a> {
    /// Those that ask all rows of an area, first those that count a whole graph, and of these the cheapest; with `matrix` each row by
    /// itself.
    pub fn all(manifest: &Manifest, area: &Area<'a>, matrix: bool) -> Vec<Ask<'a>> {
        let costs = Costs::default();
        let jobs = plan::jobs(manifest, &area.all_rows(), |_| false, &costs).into_iter();
        let mut asks: Vec<Ask> = jobs
            .map(|job| {
                let rows = job.members.iter().map(|(_, row)| *row);
                Ask::new(rows.collect(), job.ask, area)
            })
            .collect();
        if matrix {
            let alone = |ask: Ask<'a>| {
                let how = ask.how;
                let rows = ask.rows.into_iter();
                rows.map(move |row| Ask::new(vec![row], how, area))
            };
            asks = asks.into_iter().flat_map(alone).collect();
        }
        let cost = |ask: &Ask| -> f64 { ask.rows.iter().map(|row| estimate(row)).sum() };
        asks.sort_by(|a, b| {
            let counting = a.is_partial().cmp(&b.is_partial());
            let cheaper = cost(a).total_cmp(&cost(b));
            counting.then(cheaper).then(a.name().cmp(&b.name()))
        });
        asks
    }

    fn new(rows: Vec<&'a Model>, how: tlc::Ask, area: &Area) -> Ask<'a> {
        let digest = area.digest(&rows);
        Ask { rows, how, digest }
    }

    /// CPU time that it may take.
    fn budget(&self) -> Duration {
        Duration::from_secs(self.rows.iter().map(|row| row.budget).sum())
    }

    /// Whether a row counts the whole graph.
    fn counts(&self) -> bool {
        self.rows.iter().any(|row| row.distinct.is_some())
    }

    /// Whether none does.
    fn is_partial(&self) -> bool {
        !self.counts()
    }

    /// Of these rows alone, if there is one.
    fn only(&self, wanted: &BTreeSet<&str>, area: &Area) -> Option<Ask<'a>> {
        let rows = self.rows.iter().copied();
        let rows: Vec<&Model> = rows
            .filter(|row| wanted.contains(row.name.as_str()))
            .collect();
        (!rows.is_empty()).then(|| Ask::new(rows, self.how, area))
    }

    fn name(&self) -> String {
        let names: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        names.join(" ")
    }
}

/// The runs that show a definition's mutants to its rows.
#[derive(Debug)]
pub struct Plan<'a> {
    asks: Vec<Ask<'a>>,
    /// The rows that count how often they evaluate the definition.
    counting: BTreeSet<&'a str>,
}

impl<'a> Plan<'a> {
    /// For the mutants of a definition: of an area's asks those that read it. If they make it weaker, of the rows that this leaves as
    /// they are only the cheapest, which finds that a formula has no value without its guard.
    pub fn of(
        asks: &[Ask<'a>],
        area: &Area<'a>,
        module: &str,
        definition: &str,
        is_weaker: bool,
    ) -> Plan<'a> {
        let mut rows = area.rows(module, definition);
        if is_weaker {
            let blind = area.blind(module, definition);
            let asked = asks.iter().flat_map(|ask| &ask.rows);
            let mut names = asked.map(|row| row.name.as_str());
            let first = names.find(|row| blind.contains(row));
            rows.retain(|row| first == Some(&row.name) || !blind.contains(row.name.as_str()));
        }
        let wanted: BTreeSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        // What only checks use changes no count: who expects to see it violated may see it no more.
        let first = match area.role(definition) {
            Role::Property => Ask::is_partial,
            Role::Initial | Role::Behavior | Role::Policy => Ask::counts,
        };
        let asks = asks.iter().filter_map(|ask| ask.only(&wanted, area));
        Plan {
            asks: mixed(asks, first),
            counting: area.counting(module, definition),
        }
    }

    /// What its asks have found, as far as is known.
    pub fn of_known(&self, record: &Record) -> Record {
        record.of(&self.asks.iter().map(|ask| &ask.digest[..]).collect())
    }

    /// Whether nothing else is found by so many runs, or by as many as there are.
    pub fn is_enough(&self, record: &Record, request: &Request) -> bool {
        let is_over = |runs: NonZero<usize>| record.runs() >= runs.get();
        let all = || self.asks.iter().all(|ask| record.has(&ask.digest));
        match record.fate {
            Fate::Refused => true,
            Fate::Killed(_) if !request.matrix => true,
            Fate::Killed(_) | Fate::Survived => request.runs.is_some_and(is_over) || all(),
        }
    }
}

/// The key of a mutant whose module has this text, on this TLC.
pub fn key(mutant: &Mutant, text: &str, tools: &Tools) -> String {
    let jar = tools.tlc.as_ref().map(|tlc| tlc.jar.sha256.as_str());
    let Mutant { area, identity, .. } = mutant;
    hex_sha256(format!("3 {jar:?} {area} {identity:?} {text:?}").as_bytes())
}

/// The asks in an order in which each is of another module, design and size than those before it, as far as there are any, after those
/// that come `first`: what one row does not notice, another that is like it hardly does.
fn mixed<'a>(asks: impl Iterator<Item = Ask<'a>>, first: fn(&Ask<'a>) -> bool) -> Vec<Ask<'a>> {
    let mut left: Vec<Ask> = asks.collect();
    let mut mixed = Vec::new();
    let mut seen: BTreeMap<(u8, &str), usize> = BTreeMap::new();
    let kinds = |ask: &Ask<'a>| {
        let row = ask.rows[0];
        [
            (0, &row.module[..]),
            (1, &row.design[..]),
            (2, &row.size[..]),
        ]
    };
    while !left.is_empty() {
        let like = |ask: &Ask<'a>| -> usize {
            let kinds = kinds(ask).into_iter();
            kinds.filter_map(|kind| seen.get(&kind)).sum()
        };
        let next = (0..left.len()).min_by_key(|at| (!first(&left[*at]), like(&left[*at])));
        let ask = left.remove(next.unwrap_or(0));
        for kind in kinds(&ask) {
            *seen.entry(kind).or_default() += 1;
        }
        mixed.push(ask);
    }
    mixed
}

/// Which rows have noticed mutants of a definition, and of a module: they are asked first about the next one.
#[derive(Debug, Default)]
pub struct Noticed(Mutex<BTreeMap<String, BTreeMap<String, usize>>>);

impl Noticed {
    /// A mutant was killed, or was not.
    pub fn add(&self, record: &Record) {
        let (Fate::Killed(kills), Ok(mut noticed)) = (&record.fate, self.0.lock()) else {
            return;
        };
        let [definition, module] = Noticed::places(&record.area, &record.mutant);
        for place in [definition, module] {
            let rows = noticed.entry(place).or_default();
            for kill in kills {
                *rows.entry(kill.row.clone()).or_default() += 1;
            }
        }
    }

    /// The asks, those first whose rows have noticed most.
    fn order<'p, 'a>(&self, mutant: &Mutant, asks: &'p [Ask<'a>]) -> Vec<&'p Ask<'a>> {
        let mut asks: Vec<&Ask> = asks.iter().collect();
        if let Ok(noticed) = self.0.lock() {
            let [definition, module] = Noticed::places(&mutant.area, &mutant.identity);
            let times = |ask: &Ask, place: &String| -> usize {
                let known = noticed.get(place);
                let of_row = |row: &&Model| known?.get(&row.name).copied();
                ask.rows.iter().filter_map(of_row).sum()
            };
            asks.sort_by_cached_key(|ask| Reverse((times(ask, &definition), times(ask, &module))));
        }
        asks
    }

    fn places(area: &str, identity: &Identity) -> [String; 2] {
        let module = format!("{area}/{}", identity.module);
        [format!("{module}!{}", identity.definition), module]
    }
}

/// What was found of runs without a fault, by the names of their rows.
#[derive(Debug, Default)]
pub struct Tried(Mutex<BTreeMap<String, Arc<Original>>>);

/// What a run without a fault finds.
#[derive(Debug)]
struct Original {
    /// How its rows notice that nothing is as they expect; none, if it is.
    fault: Option<How>,
    /// CPU time.
    took: Duration,
    coverage: Coverage,
    /// Definitions of which the coverage does not tell.
    hidden: BTreeSet<String>,
}

impl Original {
    /// Whether it takes longer than a mutant may: it tells nothing of those.
    fn is_too_slow(&self) -> bool {
        self.fault == Some(How::Endless)
    }
}

/// A manifest of specifications that may be changed: a copy of them, in `dir`.
///
/// # Errors
///
/// When the copy cannot be made.
pub fn copied(manifest: &Manifest, dir: &Path) -> Result<Manifest> {
    run::clear(dir)?;
    let specs = dir.join("specs");
    for area in &manifest.areas {
        let (from, to) = (manifest.specs.join(&area.name), specs.join(&area.name));
        copy(&from, &to).with_context(|| format!("{} cannot be copied", from.display()))?;
    }
    Ok(Manifest {
        specs,
        ..manifest.clone()
    })
}

/// One of those who hunt, with a copy of the specifications for itself.
#[derive(Debug)]
pub struct Hunter<'a> {
    /// On the specifications as they are.
    pub original: Tlc<'a>,
    /// On the copy, which has the fault.
    pub mutated: Tlc<'a>,
    /// How long to go on.
    pub request: &'a Request,
    /// The definitions of its manifest.
    pub areas: &'a [Area<'a>],
    /// What was tried without a fault.
    pub tried: &'a Tried,
    /// Whom to ask first.
    pub noticed: &'a Noticed,
}

impl Hunter<'_> {
    /// What becomes of a mutant whose module has this text, and of which so much is known; `None` when a signal has ended it.
    ///
    /// # Errors
    ///
    /// When a file cannot be written, TLC does not start, or a row is not as expected without the fault either.
    pub fn hunt(
        &self,
        mutant: &Mutant,
        text: &str,
        plan: &Plan,
        known: Record,
    ) -> Result<Option<Record>> {
        let file = format!("{}/{}.tla", mutant.area, mutant.identity.module);
        let place = self.mutated.manifest.specs.join(&file);
        let write = |text: &str| {
            fs::write(&place, text)
                .with_context(|| format!("{} cannot be written", place.display()))
        };
        write(text)?;
        let found = self.show(mutant, plan, known);
        write(&text_of(&self.original.manifest.specs.join(&file))?)?;
        found
    }

    fn show(&self, mutant: &Mutant, plan: &Plan, mut record: Record) -> Result<Option<Record>> {
        for ask in self.noticed.order(mutant, &plan.asks) {
            if plan.is_enough(&record, self.request) {
                break;
            }
            if record.has(&ask.digest) {
                continue;
            }
            let may_notice = self.may_evaluate(ask, mutant, plan)?;
            if interrupt::requested() {
                return Ok(None);
            }
            if !may_notice {
                record.unread.insert(ask.digest.clone());
                continue;
            }
            let mut run = self.mutated.run_all(&ask.rows, ask.how)?;
            record.cpu += run.verdict.cpu.as_secs_f64();
            if interrupt::requested() {
                return Ok(None);
            }
            let is_error = matches!(run.verdict.outcome, Outcome::Error { .. });
            if is_error && is_refused(&Output::parse(&text_of(&run.dir.join("stdout.txt"))?)) {
                record.fate = Fate::Refused;
                break;
            }
            // Without a verdict it is asked again: time and room may be short because of those before, and that JVM has just started.
            if is_error || matches!(run.verdict.outcome, Outcome::Inconclusive { .. }) {
                run = self.mutated.run_all(&ask.rows, ask.how)?;
                record.cpu += run.verdict.cpu.as_secs_f64();
                if interrupt::requested() {
                    return Ok(None);
                }
            }
            let kill = match kill(self.mutated.manifest, ask, &run) {
                Some(kill) if self.is_sound(ask, kill.how)? => kill,
                _ => {
                    record.passed.insert(ask.digest.clone());
                    continue;
                }
            };
            match &mut record.fate {
                Fate::Killed(kills) => kills.push(kill),
                fate => *fate = Fate::Killed(vec![kill]),
            }
        }
        self.noticed.add(&record);
        Ok(Some(record))
    }

    /// Whether the run without the fault gets to the formula that has it, as far as is known: else it cannot notice.
    fn may_evaluate(&self, ask: &Ask, mutant: &Mutant, plan: &Plan) -> Result<bool> {
        let mut rows = ask.rows.iter();
        if !rows.all(|row| plan.counting.contains(row.name.as_str())) {
            return Ok(true);
        }
        let original = self.original(ask)?;
        let Identity {
            module, definition, ..
        } = &mutant.identity;
        let may_evaluate = original.hidden.contains(definition)
            || original.coverage.may_evaluate(module, &mutant.span);
        Ok(may_evaluate && !original.is_too_slow())
    }

    /// Whether what is noticed is because of the fault: the run ends in time without it, and as its rows say, or it would kill everything.
    /// One that has no end then takes many times as long.
    fn is_sound(&self, ask: &Ask, how: How) -> Result<bool> {
        let original = self.original(ask)?;
        if original.fault.is_some() && !original.is_too_slow() {
            let name = ask.name();
            bail!("{name}: not as expected without a mutant either (run `interlock check {name}`)");
        }
        let is_quick = || original.took * LONGER <= ask.budget();
        Ok(!original.is_too_slow() && (how != How::Endless || is_quick()))
    }

    fn original(&self, ask: &Ask) -> Result<Arc<Original>> {
        let name = ask.name();
        if let Ok(tried) = self.tried.0.lock()
            && let Some(known) = tried.get(&name)
        {
            return Ok(known.clone());
        }
        let how = tlc::Ask {
            counts: Counts::Formulas,
            ..ask.how
        };
        let run = self.original.run_all(&ask.rows, how)?;
        let kill = kill(self.original.manifest, ask, &run);
        let said = text_of(&run.dir.join("stdout.txt"))?;
        let coverage = Coverage::of(&Output::parse(&said));
        let area = self.areas.iter().find(|area| area.name == ask.rows[0].area);
        let original = Arc::new(Original {
            fault: kill
                .filter(|_| !interrupt::requested())
                .map(|kill| kill.how),
            hidden: area.map_or_else(BTreeSet::new, |area| area.hidden(&coverage)),
            coverage,
            took: run.verdict.cpu,
        });
        if let Ok(mut tried) = self.tried.0.lock() {
            tried.insert(name, original.clone());
        }
        Ok(original)
    }
}

/// Who of the models that share a run notices what it has found, and how.
fn kill(manifest: &Manifest, ask: &Ask, run: &Run) -> Option<Kill> {
    let models = &ask.rows[..];
    let by = |model: &Model, how| {
        let (row, ask) = (model.name.clone(), ask.digest.clone());
        Some(Kill { row, how, ask })
    };
    let outcome = &run.verdict.outcome;
    match outcome {
        Outcome::Inconclusive { .. } => return by(models[0], How::Endless),
        Outcome::Error { .. } => return by(models[0], How::Evaluation),
        Outcome::Holds | Outcome::Typed | Outcome::Violates { .. } => {}
    }
    for model in models {
        let asks = |property: &String| model.checks().any(|check| check == property);
        match outcome {
            Outcome::Violates { property, .. } if models.len() > 1 => {
                if asks(property) {
                    return by(model, How::Verdict);
                }
                continue;
            }
            _ if judge::expected(&model.expect) != judge::found(outcome) => {
                return by(model, How::Verdict);
            }
            _ => {}
        }
        // Which lasso TLC finds is no fact about the model.
        let faults = |verdict| {
            let module = manifest.module(model);
            !judge::faults(model, module, verdict, run.witness, false).is_empty()
        };
        let uncovered = Verdict {
            fired: None,
            ..run.verdict.clone()
        };
        if faults(&uncovered) {
            return by(model, How::Count);
        }
        if faults(&run.verdict) {
            return by(model, How::Coverage);
        }
    }
    match outcome {
        Outcome::Violates { .. } if models.len() > 1 => by(models[0], How::Verdict),
        _ => None,
    }
}

fn text_of(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for file in fs::read_dir(from)? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "tla")
            && let Some(name) = path.file_name()
        {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}
