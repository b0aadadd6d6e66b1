//! `interlock kernels`: every kernel of the rack plays every plan, and runs the workloads; what it did is written down.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use interlock_checker::manifest::{Engine, Expect, Manifest};
use interlock_checker::{interrupt, note};

use crate::guest::Guest;
use crate::kernels::{self, Kernel};
use crate::order::{Order, Report};
use crate::plan::Fs;
use crate::plans::{self, Named};
use crate::record::{self, Cell, Record};
use crate::replay;
use crate::verdict::Verdict;
use crate::workload::{Measured, Workload, journal, unaligned};
use crate::{page, record::path};

/// A workload ends in this time, or the guest hangs.
const LIMIT: Duration = Duration::from_secs(240);

/// Who passes a reader as often is let to by design; who passes it less often than [`BOUNDED`] is not.
const UNBOUNDED: u64 = 50;

/// See [`UNBOUNDED`]. What is between says nothing.
const BOUNDED: u64 = 20;

/// The design of XFS in all releases of the rack.
const XFS: &str = "XfsOptimistic";

/// What to run.
#[derive(Debug)]
pub struct Request {
    /// The kernels; none: all.
    pub kernels: Vec<String>,
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
    let manifest = Manifest::load(&root.join("specs"))?;
    let plans = plans::all()?;
    let mut record = Record::load(root)?;
    let mut run = Vec::new();
    for kernel in kernels::chosen(&request.kernels)? {
        match of(&kernel, &manifest, &plans, request) {
            Ok(did) => {
                println!("{}: {}", did.release, summary(&did));
                for line in did.not_run.iter().chain(&did.disagrees) {
                    println!("  {line}");
                }
                record.kernels.insert(kernel.version.clone(), did);
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
    record.store(root)?;
    page::write(root, &record)?;
    println!(
        "{} and docs/kernels.md have what they did",
        path(root).display()
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

/// What one kernel did.
fn of(
    kernel: &Kernel,
    manifest: &Manifest,
    plans: &[Named],
    request: &Request,
) -> Result<record::Kernel> {
    let out = request.out.join("rack");
    let mut guest = Guest::boot(kernel, &request.kept, &out)?;
    note!("{}: up", guest.release);
    let mut did = record::Kernel {
        release: guest.release.clone(),
        not_run: guest
            .missing
            .iter()
            .map(|program| format!("NOT RUN without {program}"))
            .collect(),
        ..record::Kernel::default()
    };
    for named in plans {
        let design = match named.plan.fs {
            Fs::Ext4 => &kernel.dio,
            Fs::Xfs => XFS,
        };
        match replay::play(&mut guest, &named.plan, None) {
            Ok(played) => {
                let verdict = Verdict::of(&named.plan, &played);
                let cell = Cell {
                    design: design.to_owned(),
                    loses: loses(manifest, design, &named.size),
                    did: verdict.word().to_owned(),
                    says: verdict.to_string(),
                };
                note!("{}: {}: {}", kernel.version, named.name, cell.did);
                did.plans.insert(named.name.clone(), cell);
            }
            Err(error) => {
                if interrupt::requested() {
                    return Err(error);
                }
                // What it has done to its memory or its disk nobody knows: the next plan gets a new one.
                did.not_run.push(format!("{}: {error:#}", named.name));
                guest = Guest::boot(kernel, &request.kept, &out)?;
            }
        }
    }
    for workload in Workload::ALL {
        match work(&mut guest, workload) {
            Ok(measured) => {
                note!("{}: {measured:?}", kernel.version);
                did.workloads.push(measured);
            }
            Err(error) => {
                did.not_run.push(format!("{workload:?}: {error:#}"));
                guest = Guest::boot(kernel, &request.kept, &out)?;
            }
        }
    }
    judge(kernel, &mut did);
    Ok(did)
}

fn work(guest: &mut Guest, workload: Workload) -> Result<Measured> {
    match guest.answer(&Order::Work(workload), LIMIT)? {
        Report::Worked(measured) => Ok(measured),
        other => bail!("the guest says {other:?}"),
    }
}

/// Whether the design loses data at this size, as its rows say.
fn loses(manifest: &Manifest, design: &str, size: &str) -> Option<bool> {
    const ORACLES: [&str; 3] = ["NoLostWrite", "KeepsA", "KeepsOthers"];
    let oracle = |name: &String| ORACLES.contains(&&name[..]);
    let rows = manifest.models.iter().filter(|model| {
        model.engine == Engine::Tlc
            && model.module == "MCUnalignedDio"
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
fn judge(kernel: &Kernel, did: &mut record::Kernel) {
    let mut agree: std::collections::BTreeMap<String, usize> = Default::default();
    for (name, cell) in &did.plans {
        match cell.loses {
            Some(loses) if loses == cell.lost() => {
                *agree.entry(cell.design.clone()).or_default() += 1
            }
            Some(loses) => did.disagrees.push(format!(
                "{name}: {} {}, and the kernel: {}",
                cell.design,
                if loses { "loses" } else { "loses nothing" },
                cell.says
            )),
            None => {}
        }
    }
    let mut disagrees = Vec::new();
    for measured in &did.workloads {
        match measured {
            Measured::Unaligned(unaligned::Measured { parts, blocks }) => {
                let exclusive = kernel.dio == "Pre61";
                let together = *parts > 1;
                if together == exclusive || *blocks < 2 {
                    disagrees.push(format!(
                        "{}: {parts} unaligned and {blocks} aligned writes were in flight together",
                        kernel.dio
                    ));
                }
            }
            Measured::Journal(journal::Measured { largest, .. }) => {
                let expected = journal::LOG / kernel.log_divisor;
                if *largest != expected {
                    disagrees.push(format!("j_max: {largest}, not {expected}"));
                }
            }
            Measured::Lock(lock) => {
                let unbounded = kernel.rwsem == "ReaderSpin53";
                let passed = lock.passed;
                match passed {
                    UNBOUNDED.. if unbounded => {}
                    ..BOUNDED if !unbounded => {}
                    BOUNDED..UNBOUNDED => {
                        did.not_run.push(format!(
                            "the lock: a reader was passed {passed} times, which says nothing"
                        ));
                        continue;
                    }
                    _ => {
                        disagrees.push(format!(
                            "{}: a reader was passed {passed} times",
                            kernel.rwsem
                        ));
                        continue;
                    }
                }
                did.measured.insert(
                    kernel.rwsem.clone(),
                    format!("a waiting reader was passed {passed} times at most"),
                );
            }
        }
    }
    did.disagrees.extend(disagrees);
    for (design, plans) in agree {
        if !did.disagrees.iter().any(|line| line.contains(&design)) {
            did.measured.insert(design, format!("{plans} plans"));
        }
    }
}
