//! Shows a mutant to the rows that read its definition, until one of them notices.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};
use interlock_checker::costs::{Costs, estimate};
use interlock_checker::engines::Tools;
use interlock_checker::evidence::Evidence;
use interlock_checker::judge;
use interlock_checker::manifest::{Manifest, Model};
use interlock_checker::plan::{self, Job};
use interlock_checker::run::Run;
use interlock_checker::tlc::Tlc;
use interlock_checker::toolchain::hex_sha256;
use interlock_checker::verdict::{Outcome, Verdict, is_refused};
use interlock_checker::{interrupt, run};
use interlock_tla::messages::Output;

use crate::mutant::{Identity, Mutant};
use crate::reach::Area;
use crate::results::{Fate, How, Kill, Record};

/// A mutant may take so many times what its row is estimated to.
const PATIENCE: u64 = 10;

/// Of a manifest, one whose rows give up on what does not end.
pub fn impatient(manifest: &Manifest) -> Manifest {
    let mut manifest = manifest.clone();
    for model in &mut manifest.models {
        let usual = estimate(model).ceil() as u64;
        model.budget = model.budget.min(PATIENCE * usual);
    }
    manifest
}

/// The runs that show a definition's mutants to its rows, and the digest of what these are.
#[derive(Debug)]
pub struct Plan<'a> {
    jobs: Vec<Job<'a>>,
    digest: String,
}

impl<'a> Plan<'a> {
    /// For the mutants of a definition. With `matrix` each row has a run of its own, and all are asked.
    ///
    /// # Errors
    ///
    /// When the rows cannot be written down.
    pub fn of(
        manifest: &Manifest,
        area: &Area<'a>,
        module: &str,
        definition: &str,
        matrix: bool,
    ) -> Result<Plan<'a>> {
        let rows = area.rows(module, definition);
        let costs = Costs::default();
        let jobs = |rows: &[&'a Model]| plan::jobs(manifest, rows, |_| false, &costs);
        let mut jobs = match matrix {
            true => rows.iter().flat_map(|row| jobs(&[*row])).collect(),
            false => jobs(&rows),
        };
        let cost = |job: &Job| -> f64 { job.members.iter().map(|(_, row)| estimate(row)).sum() };
        // Of those that cost as much, the manifest's first.
        jobs.sort_by(|a, b| {
            let by_cost = cost(a).total_cmp(&cost(b));
            by_cost.then(a.members[0].0.cmp(&b.members[0].0))
        });
        let mut decides = format!("{matrix}");
        for row in rows {
            // Where a row stands decides nothing.
            let row = Model {
                line: 0,
                ..row.clone()
            };
            decides += &serde_json::to_string(&row)?;
        }
        for module in area.modules_beside(module, definition) {
            let text = area.source(module).map_or("", |source| &source.text);
            decides += &hex_sha256(text.as_bytes());
        }
        Ok(Plan {
            jobs,
            digest: hex_sha256(decides.as_bytes()),
        })
    }

    /// The key of a mutant whose module has this text, on this TLC.
    pub fn key(&self, mutant: &Mutant, text: &str, tools: &Tools) -> String {
        let jar = tools.tlc.as_ref().map(|tlc| tlc.jar.sha256.as_str());
        let identity = &mutant.identity;
        hex_sha256(format!("1 {jar:?} {} {identity:?} {text:?}", self.digest).as_bytes())
    }
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

    /// The jobs, those first whose rows have noticed most.
    fn order<'j, 'a>(&self, mutant: &Mutant, jobs: &'j [Job<'a>]) -> Vec<&'j Job<'a>> {
        let mut jobs: Vec<&Job> = jobs.iter().collect();
        if let Ok(noticed) = self.0.lock() {
            let [definition, module] = Noticed::places(&mutant.area, &mutant.identity);
            let times = |job: &Job, place: &String| -> usize {
                let rows = noticed.get(place);
                let members = job.members.iter();
                let of_row = |(_, row): &(usize, &Model)| rows?.get(&row.name).copied();
                members.filter_map(of_row).sum()
            };
            jobs.sort_by_cached_key(|job| Reverse((times(job, &definition), times(job, &module))));
        }
        jobs
    }

    fn places(area: &str, identity: &Identity) -> [String; 2] {
        let module = format!("{area}/{}", identity.module);
        [format!("{module}!{}", identity.definition), module]
    }
}

/// Which runs were tried without a fault, and are as their rows say.
#[derive(Debug, Default)]
pub struct Tried(Mutex<BTreeMap<String, bool>>);

/// One of those who hunt, with a copy of the specifications for itself.
pub struct Hunter<'a> {
    manifest: &'a Manifest,
    copy: Manifest,
    tools: &'a Tools,
    evidence: &'a Evidence,
    tried: &'a Tried,
    noticed: &'a Noticed,
    dir: PathBuf,
}

impl<'a> Hunter<'a> {
    /// With a copy of each area's folder in `dir`.
    ///
    /// # Errors
    ///
    /// When the copy cannot be made.
    pub fn new(
        manifest: &'a Manifest,
        tools: &'a Tools,
        evidence: &'a Evidence,
        tried: &'a Tried,
        noticed: &'a Noticed,
        dir: PathBuf,
    ) -> Result<Hunter<'a>> {
        run::clear(&dir)?;
        let specs = dir.join("specs");
        for area in &manifest.areas {
            let (from, to) = (manifest.specs.join(&area.name), specs.join(&area.name));
            copy(&from, &to).with_context(|| format!("{} cannot be copied", from.display()))?;
        }
        let copy = Manifest {
            specs,
            ..manifest.clone()
        };
        Ok(Hunter {
            manifest,
            copy,
            tools,
            evidence,
            tried,
            noticed,
            dir,
        })
    }

    /// What becomes of a mutant whose module has this text; `None` when a signal has ended it. With `matrix` no kill ends the hunt.
    ///
    /// # Errors
    ///
    /// When a file cannot be written, TLC does not start, or a row is not as expected without the fault either.
    pub fn hunt(
        &self,
        mutant: &Mutant,
        text: &str,
        plan: &Plan,
        matrix: bool,
        key: String,
    ) -> Result<Option<Record>> {
        let file = format!("{}/{}.tla", mutant.area, mutant.identity.module);
        let place = self.copy.specs.join(&file);
        let write = |text: &str| {
            fs::write(&place, text)
                .with_context(|| format!("{} cannot be written", place.display()))
        };
        write(text)?;
        let found = self.show(mutant, plan, matrix, key);
        let original = self.manifest.specs.join(&file);
        write(&run_text(&original)?)?;
        found
    }

    fn show(
        &self,
        mutant: &Mutant,
        plan: &Plan,
        matrix: bool,
        key: String,
    ) -> Result<Option<Record>> {
        let toolchain = self.tools.tlc.as_ref().context("TLC is not here")?;
        let out = self.dir.join("out");
        let tlc = Tlc::new(&self.copy, toolchain, &out);
        let mut record = Record {
            key,
            area: mutant.area.clone(),
            mutant: mutant.identity.clone(),
            fate: Fate::Survived,
            runs: 0,
            cpu: 0.0,
        };
        let mut kills = Vec::new();
        for job in self.noticed.order(mutant, &plan.jobs) {
            let models: Vec<&Model> = job.members.iter().map(|(_, model)| *model).collect();
            let run = tlc.run_all(&models, job.ask)?;
            if interrupt::requested() {
                return Ok(None);
            }
            record.runs += 1;
            record.cpu += run.verdict.cpu.as_secs_f64();
            if let Outcome::Error { .. } = run.verdict.outcome
                && is_refused(&Output::parse(&run_text(&run.dir.join("stdout.txt"))?))
            {
                record.fate = Fate::Refused;
                return Ok(Some(record));
            }
            let Some(kill) = kill(&self.copy, &models, &run) else {
                continue;
            };
            self.is_sound(job, &models)?;
            kills.push(kill);
            if !matrix {
                break;
            }
        }
        if !kills.is_empty() {
            record.fate = Fate::Killed(kills);
            self.noticed.add(&record);
        }
        Ok(Some(record))
    }

    /// That the run is as its rows say without a fault: else it kills everything.
    fn is_sound(&self, job: &Job, models: &[&Model]) -> Result<()> {
        let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
        let names = names.join(" ");
        let known = self
            .tried
            .0
            .lock()
            .ok()
            .and_then(|tried| tried.get(&names).copied());
        let sound = match known {
            Some(sound) => sound,
            None => {
                let toolchain = self.tools.tlc.as_ref().context("TLC is not here")?;
                let out = self.dir.join("original");
                let tlc =
                    Tlc::new(self.manifest, toolchain, &out).with_evidence(Some(self.evidence));
                let run = tlc.run_all(models, job.ask)?;
                let sound = interrupt::requested() || kill(self.manifest, models, &run).is_none();
                if let Ok(mut tried) = self.tried.0.lock() {
                    tried.insert(names.clone(), sound);
                }
                sound
            }
        };
        if !sound {
            bail!(
                "{names}: not as expected without a mutant either (run `interlock check {names}`)"
            );
        }
        Ok(())
    }
}

/// Who of the models that share a run notices what it has found, and how.
fn kill(manifest: &Manifest, models: &[&Model], run: &Run) -> Option<Kill> {
    let by = |model: &Model, how| {
        let row = model.name.clone();
        Some(Kill { row, how })
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

fn run_text(path: &Path) -> Result<String> {
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
