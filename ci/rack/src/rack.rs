//! `interlock kernels`: every kernel of the rack plays every plan, and runs the workloads; what it did is written down.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use interlock_checker::manifest::{Engine, Expect, Manifest};
use interlock_checker::record::Cell;
use interlock_checker::{interrupt, note};
use interlock_traces::kernel::family::Family;

use crate::guest::Guest;
use crate::kernels::{self, Kernel};
use crate::order::{Order, Report};
use crate::page;
use crate::part::Part;
use crate::plan::Fs;
use crate::plans::{self, Named};
use crate::play::Aim;
use crate::record::{self, Record};
use crate::replay;
use crate::traces;
use crate::verdict::Verdict;
use crate::workload::{Measured, Workload, journal, unaligned};

/// A workload ends in this time, or the guest hangs.
const LIMIT: Duration = Duration::from_secs(240);

/// What to run.
#[derive(Debug)]
pub struct Request {
    /// The kernels; none: all.
    pub kernels: Vec<String>,
    /// Runs none, and writes the page anew from the record.
    pub page: bool,
    /// Asks for this part alone: what else the record has of a kernel stays.
    pub only: Option<Part>,
    /// Where they are kept.
    pub kept: PathBuf,
    /// Where consoles go.
    pub out: PathBuf,
}

/// Runs them, and writes the record and its page. The exit status: 1 if a kernel and its model disagree, 2 if no kernel was run.
///
/// # Errors
/// If a table cannot be read or a file written.
pub fn run(root: &Path, request: &Request) -> Result<u8> {
    let mut record = Record::load(root)?;
    if request.page {
        page::write(root, &record)?;
        return Ok(0);
    }
    let manifest = Manifest::load(&root.join("specs"))?;
    let plans = plans::all()?;
    let mut run = Vec::new();
    let kernels = kernels::chosen(&request.kernels)?;
    if let Some(built) = kernels.iter().find(|kernel| kernel.cure().is_some()) {
        bail!(
            "{}: what is built here, `interlock cures` asks",
            built.version
        );
    }
    for kernel in kernels {
        let before = record.kernels.get(&kernel.version);
        match of(&kernel, &manifest, &plans, request, before) {
            Ok(did) => {
                println!("{}: {}", did.release, summary(&did));
                for line in did.not_run.iter().chain(&did.disagrees) {
                    println!("  {line}");
                }
                record.kernels.insert(kernel.version.clone(), did);
                // One that is interrupted keeps what it has.
                record.store(root)?;
                page::write(root, &record)?;
                run.push(kernel.version);
            }
            Err(_) if interrupt::requested() => return Ok(interrupt::EXIT),
            Err(error) => println!("{}: NOT RUN: {error:#}", kernel.version),
        }
    }
    if run.is_empty() {
        println!("no kernel was run");
        return Ok(2);
    }
    println!(
        "docs/kernels.md and docs/kernels.json have what they did; `make docs` brings the tables up to date"
    );
    let disagrees = |version: &String| !record.kernels[version].disagrees.is_empty();
    Ok(u8::from(run.iter().any(disagrees)))
}

fn summary(did: &record::Kernel) -> String {
    let known = did.plans.values().filter(|cell| cell.loses.is_some());
    let agree = known
        .clone()
        .filter(|cell| cell.loses == Some(cell.lost()))
        .count();
    format!(
        "{} plans, {} lost something; {agree} of {} as the model says; {} workloads; {} traces",
        did.plans.len(),
        did.plans.values().filter(|cell| cell.lost()).count(),
        known.count(),
        did.workloads.len(),
        did.traces.len(),
    )
}

/// What one kernel did; `before` is what the record has of it.
fn of(
    kernel: &Kernel,
    manifest: &Manifest,
    plans: &[Named],
    request: &Request,
    before: Option<&record::Kernel>,
) -> Result<record::Kernel> {
    let out = request.out.join("rack");
    let mut guest = Guest::boot(kernel, &request.kept, &out)?;
    note!("{}: up", guest.release);
    let family = kernel.family(&guest.release)?;
    let without = |program| format!("NOT RUN without {program}");
    let mut did = match request.only {
        Some(part) => part.left_out(&guest.release, before)?,
        None => record::Kernel {
            release: guest.release.clone(),
            not_run: guest.missing.iter().map(without).collect(),
            ..record::Kernel::default()
        },
    };
    let asked = |part| request.only.is_none_or(|only| only == part);
    if asked(Part::Plans) {
        play(
            kernel, &family, manifest, plans, request, &mut guest, &mut did,
        )?;
    }
    if asked(Part::Workloads) {
        workloads(kernel, request, &mut guest, &mut did)?;
    }
    if asked(Part::Traces) {
        trace(kernel, &family, request, &mut guest, &mut did)?;
    }
    judge(&family, &mut did)?;
    did.not_run = together(&did.not_run);
    Ok(did)
}

/// Plays the plans to a kernel.
fn play(
    kernel: &Kernel,
    family: &Family,
    manifest: &Manifest,
    plans: &[Named],
    request: &Request,
    guest: &mut Guest,
    did: &mut record::Kernel,
) -> Result<()> {
    for named in plans {
        let design = family.constant(match named.plan.fs {
            Fs::Ext4 => "dio",
            Fs::Xfs if named.plan.cloned => "xfs_clone",
            Fs::Xfs => "dio_xfs",
        })?;
        match replay::play(guest, &named.plan, Aim::Plan) {
            Ok(played) => {
                let verdict = Verdict::of(&named.plan, &played);
                let cell = Cell {
                    loses: loses(manifest, design, &named.size),
                    design: design.to_owned(),
                    did: verdict.word().to_owned(),
                    says: verdict.to_string(),
                };
                note!("{}: {}: {}", kernel.version, named.name, cell.did);
                did.plans.insert(named.name.clone(), cell);
                if named.plan.cloned {
                    ask_for_demotion(design, guest, did)?;
                }
            }
            Err(error) => give_up(&named.name, error, kernel, request, guest, did)?,
        }
    }
    Ok(())
}

/// With it a clone of XFS's demotes its locks: 14a537983b22.
const DEMOTES: &str = "xfs_iunlock2_remapping";

/// The two designs of a clone lose in the same plan, so the kernel, with XFS in it, is asked which one it has.
fn ask_for_demotion(design: &str, guest: &mut Guest, did: &mut record::Kernel) -> Result<()> {
    let has = match guest.answer(&Order::Has(DEMOTES.to_owned()), LIMIT)? {
        Report::Has(has) => has,
        other => bail!("the guest says {other:?}"),
    };
    did.disagrees.extend(misnamed(design, has));
    Ok(())
}

/// What is said where a design stands for the clones of a kernel that has the function, or has it not, and is the other one's.
fn misnamed(design: &str, has: bool) -> Option<String> {
    let verb = if has { "has" } else { "has not" };
    (has != (design == "Since67"))
        .then(|| format!("{design} stands for its clones, and the kernel {verb} {DEMOTES}"))
}

/// Runs the workloads on a kernel.
fn workloads(
    kernel: &Kernel,
    request: &Request,
    guest: &mut Guest,
    did: &mut record::Kernel,
) -> Result<()> {
    for workload in Workload::ALL {
        match work(guest, workload) {
            Ok(measured) => {
                note!("{}: {measured:?}", kernel.version);
                did.workloads.push(measured);
            }
            Err(error) => give_up(&format!("{workload:?}"), error, kernel, request, guest, did)?,
        }
    }
    Ok(())
}

/// Notes that something was not run. What it has done to the guest's memory or its disk nobody knows: what comes next gets a new one.
fn give_up(
    name: &str,
    error: anyhow::Error,
    kernel: &Kernel,
    request: &Request,
    guest: &mut Guest,
    did: &mut record::Kernel,
) -> Result<()> {
    if interrupt::requested() {
        return Err(error);
    }
    let out = request.out.join("rack");
    did.not_run.push(format!("{name}: {}", why(&error, &out)));
    *guest = Guest::boot(kernel, &request.kept, &out)?;
    Ok(())
}

/// Why something was not run. A record names no folder of the machine that it was made on.
pub(crate) fn why(error: &anyhow::Error, out: &Path) -> String {
    let out = format!("{}/", out.display());
    format!("{error:#}").replace(&out, "").replace('\n', " ")
}

/// What was not run for one reason in one line: `NAME, NAME: reason`.
fn together(lines: &[String]) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in lines {
        let (name, reason) = line.split_once(": ").unwrap_or((line, ""));
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    let line = |(reason, names): (&str, Vec<&str>)| match reason {
        "" => names.join(", "),
        _ => format!("{}: {reason}", names.join(", ")),
    };
    reasons.into_iter().map(line).collect()
}

/// Records the traces of each area that the kernel can tell.
fn trace(
    kernel: &Kernel,
    family: &Family,
    request: &Request,
    guest: &mut Guest,
    did: &mut record::Kernel,
) -> Result<()> {
    let out = request.out.join("rack");
    for area in traces::areas() {
        if let Some(why) = family.untraced.get(area) {
            did.not_run.push(format!("traces of {area}: {why}"));
            continue;
        }
        if let Err(error) = capture(guest, kernel, area, &out, did) {
            let name = format!("traces of {area}");
            give_up(&name, error, kernel, request, guest, did)?;
        }
    }
    Ok(())
}

/// Records the traces of an area, and judges them by the constants of each release that differs.
fn capture(
    guest: &mut Guest,
    kernel: &Kernel,
    area: &str,
    out: &Path,
    did: &mut record::Kernel,
) -> Result<()> {
    let dir = out.join(&kernel.version);
    fs::create_dir_all(&dir)?;
    let mut files = Vec::new();
    guest.ask(&Order::Capture(area.to_owned()))?;
    loop {
        match guest.hear(LIMIT)? {
            Report::Trace(name, area, text) => {
                let file = dir.join(format!("{name}.txt"));
                fs::write(&file, text)?;
                files.push((name, area, file));
            }
            Report::Done => break,
            Report::Failed(why) => bail!("{why}"),
            other => bail!("the guest says {other:?}"),
        }
    }
    for (name, area, file) in files {
        let own = said(traces::judged(&area, &file, None));
        let mut others = BTreeMap::new();
        for other in OTHERS.into_iter().filter(|other| *other != kernel.version) {
            others.insert(
                other.to_owned(),
                said(traces::judged(&area, &file, Some(other))),
            );
        }
        note!("{}: {name}: {own}", kernel.version);
        did.traces.insert(name, record::Trace { area, own, others });
    }
    Ok(())
}

/// Releases whose constants differ, by which each trace is judged too.
const OTHERS: [&str; 4] = ["5.10", "6.1", "6.18", "7.3"];

/// A verdict, or why there is none.
fn said(judged: Result<String>) -> String {
    judged.unwrap_or_else(|error| format!("not judged: {error:#}").replace('\n', " "))
}

/// Runs a workload in a guest.
pub(crate) fn work(guest: &mut Guest, workload: Workload) -> Result<Measured> {
    match guest.answer(&Order::Work(workload), LIMIT)? {
        Report::Worked(measured) => Ok(measured),
        other => bail!("the guest says {other:?}"),
    }
}

/// Whether the design loses data at this size, as its rows say.
pub(crate) fn loses(manifest: &Manifest, design: &str, size: &str) -> Option<bool> {
    const ORACLES: [&str; 3] = ["NoLostWrite", "KeepsA", "KeepsOthers"];
    let oracle = |name: &String| ORACLES.contains(&&name[..]);
    let rows = manifest.models.iter().filter(|model| {
        model.engine == Engine::Tlc
            && ["MCUnalignedDio", "MCReflink"].contains(&&model.module[..])
            && model.design == design
            && model.size == size
            && model.invariants.iter().any(oracle)
    });
    let mut known = None;
    for row in rows {
        match &row.expect {
            Expect::Violates { property, .. } if oracle(property) => return Some(true),
            // One that says who keeps what says nothing of the others.
            Expect::Holds if row.invariants.contains(&ORACLES[0].to_owned()) => known = Some(false),
            _ => {}
        }
    }
    known
}

/// Compares what the kernel did with what the designs say that stand for it.
fn judge(family: &Family, did: &mut record::Kernel) -> Result<()> {
    let mut counts: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    let mut note = |design: String, asked: String, agrees: bool| {
        let (agree, disagree) = counts.entry(design).or_default();
        match agrees {
            true => *agree += 1,
            false => disagree.push(asked),
        }
    };
    let dio = family.constant("dio")?;
    let divisor: u32 = family.constant("log_divisor")?.parse()?;
    let jbd2 = if divisor == 4 { "Quarter" } else { "Upstream" };
    for (name, cell) in &did.plans {
        if let Some(loses) = cell.loses {
            let model = if loses { "loses" } else { "loses nothing" };
            let says = cell.says.replace('\n', "");
            let asked = format!("{name}: {} {model}, and the kernel: {says}", cell.design);
            note(format!("dio/{}", cell.design), asked, loses == cell.lost());
        }
    }
    for measured in &did.workloads {
        match measured {
            // No design stands for its direct writes.
            Measured::Unaligned(_) if dio.is_empty() => {}
            Measured::Unaligned(unaligned::Measured { parts, blocks }) => {
                let exclusive = dio == "Pre61";
                let asked = format!(
                    "{dio}: {parts} unaligned and {blocks} aligned writes were in flight together"
                );
                note(
                    format!("dio/{dio}"),
                    asked,
                    *blocks > 1 && (*parts == 1) == exclusive,
                );
            }
            Measured::Journal(journal::Measured { largest, .. }) => {
                let expected = journal::LOG / divisor;
                let asked = format!("{jbd2}: j_max is {largest}, not {expected}");
                note(format!("jbd2/{jbd2}"), asked, *largest == expected);
            }
            // Its counts move with the scheduler.
            Measured::Lock(_) => {}
            // A kernel of the rack does not run them (`Workload::ALL`).
            Measured::Herd(_)
            | Measured::Barriers(_)
            | Measured::Cuts(_)
            | Measured::Costs(_)
            | Measured::Spoken(_) => {}
        }
    }
    for (name, trace) in &did.traces {
        let design = match &trace.area[..] {
            "dio" => dio,
            "jbd2" => jbd2,
            "writeback" => family.constant("plug")?,
            area => family.constant(area)?,
        };
        let asked = format!(
            "{name}: {design} was asked of the kernel's trace: {}",
            trace.own
        );
        note(
            format!("{}/{design}", trace.area),
            asked,
            trace.own.starts_with("accepted"),
        );
    }
    for (design, (agree, disagree)) in counts {
        if disagree.is_empty() {
            did.measured.insert(design, agree);
        }
        did.disagrees.extend(disagree);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_design_of_clones_is_the_one_whose_function_the_kernel_has() {
        assert_eq!(misnamed("Since67", true), None);
        assert_eq!(misnamed("Before67", false), None);
        let older = misnamed("Since67", false).unwrap();
        assert!(older.contains("has not xfs_iunlock2_remapping"), "{older}");
        let newer = misnamed("Before67", true).unwrap();
        assert!(newer.contains("Before67 stands for"), "{newer}");
    }
}
