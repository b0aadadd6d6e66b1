//! `interlock mutate`: makes the mutants, shows them to the rows, and compares who survives with who may.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use interlock_checker::engines::{Engines, Tools};
use interlock_checker::evidence::Evidence;
use interlock_checker::manifest::{Engine, Manifest};
use interlock_checker::resident::Resident;
use interlock_checker::toolchain::hex_sha256;
use interlock_checker::whole::write_whole;
use interlock_checker::{interrupt, lock, note, say, select};
use interlock_tla::module::source::Source;

use crate::hunt::{Hunter, Noticed, Tried, copied, impatient, key};
use crate::list::List;
use crate::mutant::{Mutant, of_module};
use crate::page;
use crate::plan::{Ask, Plan};
use crate::reach::Area;
use crate::report::{Judged, Report, Rows};
use crate::request::Request;
use crate::results::{Fate, Record, Results};

/// How often it says how far it is.
const EVERY: Duration = Duration::from_secs(30);

/// The report that is kept, in the documentation.
const KEPT: &str = "mutants.md";

/// A mutant that is to be shown to its rows.
struct Task<'a> {
    mutant: &'a Mutant,
    text: String,
    /// What is known of it.
    known: Record,
    plan: &'a Plan<'a>,
}

/// Shows the mutants to the rows and prints what becomes of them. The exit status: 0 if those that survive are the listed ones, 1 if
/// not, 130 after a signal.
///
/// # Errors
///
/// When nothing is judged: bad input, the engine is missing, a row that is not as expected without a mutant either, a directory that cannot
/// be written.
pub fn mutate(root: &Path, request: &Request) -> Result<u8> {
    let start = Instant::now();
    let manifest = impatient(&Manifest::load(&request.specs)?);
    for name in &request.areas {
        select::area(&manifest, name)?;
    }
    let of_request = |name: &String| request.areas.is_empty() || request.areas.contains(name);
    let names = manifest.areas.iter().map(|area| &area.name);
    let names: Vec<&String> = names.filter(|name| of_request(name)).collect();
    let mut areas = Vec::new();
    let mut mutants = Vec::new();
    let mut lists = BTreeMap::new();
    let mut left_out = 0;
    for name in &names {
        let tlc = Area::read(&manifest, name, Engine::Tlc)?;
        let apalache = Area::read(&manifest, name, Engine::Apalache)?;
        let both = [of_area(&tlc, None), of_area(&apalache, Some(&tlc))];
        let list = List::read(&manifest.specs.join(name), &both.concat())?;
        lists.insert((*name).clone(), list);
        let [of_tlc, of_apalache] = both;
        let (area, own) = match request.engine {
            Engine::Apalache => (apalache, of_apalache),
            Engine::Tlc | Engine::TlaChecker => {
                left_out += of_apalache.len();
                (tlc, of_tlc)
            }
        };
        mutants.extend(own);
        areas.push(area);
    }
    if left_out > 0 {
        note!("NOT RUN: {left_out} mutants of what Apalache alone reads (--apalache shows them)");
    }
    let made: Vec<&Mutant> = mutants.iter().collect();
    let chosen = choose(made.clone(), request);
    ensure!(
        !chosen.is_empty(),
        "there is no mutant to show (ask for more of them, another area or another definition)"
    );
    let tools = Tools::find(root, &[], &[request.engine])?;
    let out = std::path::absolute(request.out.join("mutate"))?;
    let _lock = lock::lock(&out)?;
    let mut results = Results::open(&out)?;
    let plans = plans(&manifest, &areas, &chosen, request.matrix);
    let mut found = Vec::new();
    let mut tasks = Vec::new();
    let mut plan_of = BTreeMap::new();
    for mutant in chosen {
        let Some(source) = source(&areas, mutant) else {
            continue;
        };
        let plan = &plans[&place(mutant)];
        let text = mutant.text(source);
        let key = key(mutant, &tools);
        plan_of.insert(key.clone(), plan);
        let known = match results.find(&key) {
            Some(record) => plan.of_known(record),
            None => Record::new(mutant, key, Fate::Survived),
        };
        match plan.is_enough(&known, request) {
            true => found.push(known),
            false => tasks.push(Task {
                mutant,
                text,
                known,
                plan,
            }),
        }
    }
    // Those who may survive cost most: last.
    tasks.sort_by_key(|task| {
        lists[&task.mutant.area]
            .reason(&task.mutant.identity)
            .is_some()
    });
    let known = found.len();
    note!(
        "{} mutants: {known} known, {} to show to their rows",
        known + tasks.len(),
        tasks.len()
    );
    let evidence = Evidence::of(root, false);
    let asked = known + tasks.len();
    let noticed = Noticed::default();
    results.all().for_each(|record| noticed.add(record));
    let hunt = Hunt {
        manifest: &manifest,
        tools: &tools,
        evidence: &evidence,
        noticed: &noticed,
        areas: &areas,
        request,
        out: &out,
    };
    let hunted = hunt.all(tasks, |record| {
        results.keep(record.clone())?;
        found.push(record);
        Ok(())
    });
    evidence.trim()?;
    hunted?;
    // A row that was not asked may notice who has got past the others.
    let is_open = |record: &Record| {
        let is_listed = lists[&record.area].reason(&record.mutant).is_some();
        !is_listed && plan_of[&record.key].is_open(record, request)
    };
    let shown = found.len();
    found.retain(|record| !is_open(record));
    let open = shown - found.len();
    let judged = Judged::all(&found, &lists);
    let report = Report::new(&made, judged, asked, request.matrix);
    say::print(&report.text(open)?)?;
    note!("{:.0} s", start.elapsed().as_secs_f64());
    if interrupt::requested() {
        return Ok(interrupt::EXIT);
    }
    if request.keep {
        let sections = match request.sample {
            Some(_) => {
                let rows = rows(&areas, &plans);
                vec![section(
                    page::SAMPLE,
                    &report,
                    &request.areas,
                    request,
                    &rows,
                )]
            }
            None => sections(&areas, &plans, &made, &found, &lists, request),
        };
        keep(&root.join("docs"), &manifest, sections)?;
    }
    Ok(u8::from(!report.is_as_listed()))
}

/// A section of the page that is kept, its title first: of an area, or of the sample.
fn section(
    of: &str,
    report: &Report,
    areas: &[String],
    request: &Request,
    rows: &Rows,
) -> (String, String) {
    let title = page::title(of, request.engine);
    let command = request.command(areas);
    (title, report.section(&command, request.runs, rows))
}

/// A section for each of these areas.
fn sections(
    areas: &[Area],
    plans: &BTreeMap<Place, Plan>,
    made: &[&Mutant],
    found: &[Record],
    lists: &BTreeMap<String, List>,
    request: &Request,
) -> Vec<(String, String)> {
    let whole = |area: &Area| {
        let name = &area.name;
        let made: Vec<&Mutant> = made
            .iter()
            .copied()
            .filter(|one| one.area == *name)
            .collect();
        let found = found.iter().filter(|record| record.area == *name);
        let judged = Judged::all(found, lists);
        let report = Report::new(&made, judged, made.len(), false);
        let rows = rows(std::slice::from_ref(area), plans);
        section(name, &report, std::slice::from_ref(name), request, &rows)
    };
    areas.iter().map(whole).collect()
}

/// The rows that are asked.
fn rows(areas: &[Area], plans: &BTreeMap<Place, Plan>) -> Rows {
    let rows = areas.iter().flat_map(Area::all_rows);
    let asks = plans.values().flat_map(|plan| &plan.asks);
    let run = |ask: &Ask| {
        let names = ask.rows.iter().map(|row| row.name.clone());
        (ask.digest.clone(), names.collect())
    };
    Rows {
        lanes: rows.map(|row| (row.name.clone(), row.lane)).collect(),
        runs: asks.map(run).collect(),
    }
}

/// Puts the sections into the page.
fn keep(docs: &Path, manifest: &Manifest, sections: Vec<(String, String)>) -> Result<()> {
    let path = docs.join(KEPT);
    let page = match fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.with_context(|| format!("{} cannot be read", path.display()))?,
    };
    let areas: Vec<&str> = manifest.areas.iter().map(|area| &area.name[..]).collect();
    write_whole(docs, KEPT, page::with(&page, &areas, sections))
}

/// The mutants of the modules that an area's rows read, in the order of their names; not of those that others read too.
fn of_area(area: &Area, others: Option<&Area>) -> Vec<Mutant> {
    let elsewhere = others.map(Area::modules).unwrap_or_default();
    let modules = area.modules().into_iter();
    let modules = modules.filter(|module| !elsewhere.contains(module));
    modules.flat_map(|module| of_module(area, module)).collect()
}

/// Those that the request is about, in an order that its seed says.
fn choose<'a>(mut mutants: Vec<&'a Mutant>, request: &Request) -> Vec<&'a Mutant> {
    if !request.definitions.is_empty() {
        let is_asked = |name| request.definitions.iter().any(|asked| asked.matches(name));
        mutants.retain(|mutant| is_asked(&mutant.identity.definition));
    }
    if let Some(shard) = &request.shard {
        mutants.retain(|mutant| shard.has(number(mutant, 0)));
    }
    mutants.sort_by_cached_key(|mutant| number(mutant, request.seed));
    mutants.truncate(request.sample.unwrap_or(usize::MAX));
    mutants
}

/// A number that the mutant has for the seed, on every machine.
fn number(mutant: &Mutant, seed: u64) -> u64 {
    let digest = hex_sha256(format!("{seed} {} {:?}", mutant.area, mutant.identity).as_bytes());
    u64::from_str_radix(&digest[..16], 16).unwrap_or_default()
}

/// Area, module and definition, and whether the mutant makes it weaker.
type Place = (String, String, String, bool);

fn place(mutant: &Mutant) -> Place {
    let identity = &mutant.identity;
    (
        mutant.area.clone(),
        identity.module.clone(),
        identity.definition.clone(),
        mutant.is_weaker,
    )
}

fn plans<'a>(
    manifest: &Manifest,
    areas: &[Area<'a>],
    mutants: &[&Mutant],
    matrix: bool,
) -> BTreeMap<Place, Plan<'a>> {
    let mut plans = BTreeMap::new();
    for area in areas {
        let mut asks = None;
        for mutant in mutants.iter().filter(|mutant| mutant.area == area.name) {
            if let Entry::Vacant(entry) = plans.entry(place(mutant)) {
                let asks = asks.get_or_insert_with(|| Ask::all(manifest, area, matrix));
                let (_, module, definition, is_weaker) = entry.key();
                let plan = Plan::of(asks, area, module, definition, *is_weaker);
                entry.insert(plan);
            }
        }
    }
    plans
}

/// What those who hunt share.
struct Hunt<'a> {
    manifest: &'a Manifest,
    tools: &'a Tools,
    evidence: &'a Evidence,
    noticed: &'a Noticed,
    areas: &'a [Area<'a>],
    request: &'a Request,
    out: &'a Path,
}

impl Hunt<'_> {
    /// Shows each to its rows, several at once, and hands on what becomes of it.
    fn all(&self, tasks: Vec<Task>, mut keep: impl FnMut(Record) -> Result<()>) -> Result<()> {
        let total = tasks.len();
        let workers = self.request.jobs.get().min(total);
        let queue = Mutex::new(tasks.into_iter());
        let tried = Tried::default();
        let stop = AtomicBool::new(false);
        let begun = Instant::now();
        let budget = self.request.budget;
        let over = || budget.is_some_and(|budget| begun.elapsed() >= budget);
        let next = || {
            let go_on = !interrupt::requested() && !stop.load(Ordering::Relaxed) && !over();
            queue.lock().ok()?.next().filter(|_| go_on)
        };
        std::thread::scope(|scope| {
            let (events, inbox) = mpsc::channel();
            for worker in 0..workers {
                let (events, next, tried) = (events.clone(), &next, &tried);
                scope.spawn(move || {
                    let done = self.work(worker, tried, next, |record| {
                        // The receiver outlives the workers.
                        let _ = events.send(Ok(record));
                    });
                    if let Err(error) = done {
                        let _ = events.send(Err(error));
                    }
                });
            }
            drop(events);
            let (mut done, mut said) = (0, Instant::now());
            let mut failed = None;
            for event in inbox {
                if let Err(error) = event.and_then(&mut keep) {
                    stop.store(true, Ordering::Relaxed);
                    failed.get_or_insert(error);
                }
                done += 1;
                if said.elapsed() >= EVERY {
                    note!("[{done:>4}/{total}]");
                    said = Instant::now();
                }
            }
            failed.map_or(Ok(()), Err)
        })
    }

    /// One worker's part.
    fn work<'t>(
        &self,
        worker: usize,
        tried: &Tried,
        next: impl Fn() -> Option<Task<'t>>,
        tell: impl Fn(Record),
    ) -> Result<()> {
        let dir = self.out.join(format!("worker-{worker}"));
        let copy = copied(self.manifest, &dir)?;
        let (original, mutated) = (dir.join("original"), dir.join("mutated"));
        let resident = Resident::new(dir.join("jvm"));
        let hunter = Hunter {
            original: Engines::with_evidence(
                self.manifest,
                self.tools,
                &original,
                Some(self.evidence),
            )
            .on(&resident),
            mutated: Engines::new(&copy, self.tools, &mutated).on(&resident),
            request: self.request,
            areas: self.areas,
            tried,
            noticed: self.noticed,
        };
        while let Some(task) = next() {
            let Task {
                mutant,
                text,
                mut known,
                plan,
            } = task;
            let source = source(self.areas, mutant);
            let record = if source.is_some_and(|source| mutant.fits(source)) {
                hunter.hunt(mutant, &text, plan, known)?
            } else {
                known.fate = Fate::Refused;
                Some(known)
            };
            record.into_iter().for_each(&tell);
        }
        Ok(())
    }
}

/// The text of the mutant's module without the fault.
fn source<'a>(areas: &'a [Area], mutant: &Mutant) -> Option<&'a Source> {
    let area = areas.iter().find(|area| area.name == mutant.area)?;
    area.source(&mutant.identity.module)
}
