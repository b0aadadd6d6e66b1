//! Shows a mutant to the rows that read its definition, until one of them notices.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use interlock_checker::availability::Availability;
use interlock_checker::costs::estimate;
use interlock_checker::counts::Counts;
use interlock_checker::engines::{Engines, Tools};
use interlock_checker::judge;
use interlock_checker::manifest::{Engine, Manifest, Model};
use interlock_checker::run::Run;
use interlock_checker::tlc;
use interlock_checker::toolchain::hex_sha256;
use interlock_checker::verdict::{Outcome, Verdict, is_refused};
use interlock_checker::{interrupt, note, run};
use interlock_tla::messages::Output;

use crate::coverage::Coverage;
use crate::mutant::{Identity, Mutant};
use crate::plan::{Ask, Plan};
use crate::reach::Area;
use crate::request::Request;
use crate::results::{Fate, How, Kill, Record};

/// A mutant may take so many times what its row is estimated to.
const PATIENCE: u64 = 10;

/// That a run has not ended in its time says something if it ends in this part of it without a fault.
const LONGER: u32 = 4;

/// Of a manifest, one whose rows give up on what does not end. Apalache's keep their budgets: the estimate has one figure for all of them.
pub fn impatient(manifest: &Manifest) -> Manifest {
    let mut manifest = manifest.clone();
    let models = manifest.models.iter_mut();
    for model in models.filter(|model| model.engine != Engine::Apalache) {
        let usual = estimate(model).ceil() as u64;
        model.budget = model.budget.min(PATIENCE * usual);
    }
    manifest
}

/// The key of a mutant, on the TLC or the Apalache that is here. What else its rows read is in the digests of the asks.
pub fn key(mutant: &Mutant, tools: &Tools) -> String {
    let jar = tools.tlc.as_ref().map(|tlc| tlc.jar.sha256.as_str());
    let apalache = tools.apalache.as_ref().and_then(Availability::ready);
    let apalache = apalache.map(|installed| format!("Apalache {}", installed.version));
    let tool = jar.or(apalache.as_deref());
    let Mutant {
        area,
        identity,
        code,
        ..
    } = mutant;
    let written = mutant.written();
    hex_sha256(format!("5 {tool:?} {area} {identity:?} {written:?} {code:?}").as_bytes())
}

/// Which rows have noticed mutants of a definition, and of a module, and what they cost: those that notice most for their time are asked
/// first about the next one.
#[derive(Debug, Default)]
pub struct Noticed {
    /// How often, by place and row.
    rows: Mutex<BTreeMap<String, BTreeMap<String, usize>>>,
    /// CPU time that an ask has taken at most, by its digest.
    took: Mutex<BTreeMap<String, Duration>>,
}

impl Noticed {
    /// A mutant was killed, or was not.
    pub fn add(&self, record: &Record) {
        let (Fate::Killed(kills), Ok(mut noticed)) = (&record.fate, self.rows.lock()) else {
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

    /// An ask has taken so long.
    fn took(&self, ask: &Ask, cpu: Duration) {
        if let Ok(mut took) = self.took.lock() {
            let most = took.entry(ask.digest.clone()).or_default();
            *most = cpu.max(*most);
        }
    }

    /// The asks, those first whose rows have noticed most in the time that they take. Of those that have noticed nothing the ones that
    /// count a graph come first, and the cheap ones.
    fn order<'p, 'a>(&self, mutant: &Mutant, asks: &'p [Ask<'a>]) -> Vec<&'p Ask<'a>> {
        let mut asks: Vec<&Ask> = asks.iter().collect();
        if let (Ok(rows), Ok(took)) = (self.rows.lock(), self.took.lock()) {
            let [definition, module] = Noticed::places(&mutant.area, &mutant.identity);
            let cost = |ask: &Ask| took.get(&ask.digest).copied().unwrap_or(ask.cost());
            let rate = |ask: &Ask, place: &String| -> u128 {
                let known = rows.get(place);
                let of_row = |row: &&Model| known?.get(&row.name).copied();
                let times: usize = ask.rows.iter().filter_map(of_row).sum();
                times as u128 * 1_000_000 / cost(ask).as_millis().max(1)
            };
            asks.sort_by_cached_key(|ask| {
                let noticing = Reverse((rate(ask, &definition), rate(ask, &module)));
                (noticing, ask.is_partial(), cost(ask))
            });
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
    pub original: Engines<'a>,
    /// On the copy, which has the fault.
    pub mutated: Engines<'a>,
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
    /// When a file cannot be written, an engine does not start, or a row is not as expected without the fault either.
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
            match may_notice {
                Some(true) => {}
                Some(false) => {
                    record.unread.insert(ask.digest.clone());
                    continue;
                }
                // The next run asks again: how long a row takes is the machine's.
                None => continue,
            }
            let mut run = self.mutated.run_all(&ask.rows, ask.how)?;
            record.cpu += run.verdict.cpu.as_secs_f64();
            self.noticed.took(ask, run.verdict.cpu);
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
                Some(_) if self.original(ask)?.is_too_slow() => continue,
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

    /// Whether the run without the fault gets to the formula that has it, as far as is known: else it cannot notice. `None` if that run
    /// takes more than a mutant may.
    fn may_evaluate(&self, ask: &Ask, mutant: &Mutant, plan: &Plan) -> Result<Option<bool>> {
        let mut rows = ask.rows.iter();
        if !rows.all(|row| plan.counting.contains(row.name.as_str())) {
            return Ok(Some(true));
        }
        let original = self.original(ask)?;
        if original.is_too_slow() {
            return Ok(None);
        }
        let Identity {
            module, definition, ..
        } = &mutant.identity;
        let may_evaluate = original.hidden.contains(definition)
            || original.coverage.may_evaluate(module, &mutant.span);
        Ok(Some(may_evaluate))
    }

    /// Whether what is noticed is because of the fault, of a run that ends in time without it: then it ends as its rows say, or it would
    /// kill everything, and one that has no end takes many times as long.
    fn is_sound(&self, ask: &Ask, how: How) -> Result<bool> {
        let original = self.original(ask)?;
        if original.fault.is_some() {
            let name = ask.name();
            bail!("{name}: not as expected without a mutant either (run `interlock check {name}`)");
        }
        Ok(how != How::Endless || original.took * LONGER <= ask.budget())
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
        if original.is_too_slow() {
            let most = ask.budget().as_secs();
            note!("{name}: not judged: it takes more than a mutant may, {most} s of CPU time");
        }
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
