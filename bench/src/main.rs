//! Measures the reference's locks against others: ratios within one run, never absolute claims.

mod contended;
mod direct;
mod goals;
mod journal;
mod latency;
mod locks;
mod plot;
mod ranges;
mod report;
mod rounds;
mod scenarios;
mod stats;
mod uncontended;

use std::path::Path;
use std::time::Duration;
use std::{fs, process};

use anyhow::Context;
use clap::{Parser, Subcommand, ValueEnum};

use crate::contended::Scenario;
use crate::locks::{Op, Which};
use crate::report::{Fight, Results};

/// Measures the reference's locks against others.
#[derive(Parser)]
struct Args {
    /// Short and few rounds: shows that everything runs, and no more.
    #[arg(long)]
    quick: bool,
    /// Replace docs/img/bench-waits.svg by this run's plot.
    #[arg(long)]
    keep_plot: bool,
    #[command(subcommand)]
    command: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Lock and unlock so many times, for a profiler to watch.
    Calls { which: Which, op: Op, calls: u64 },
    /// Lock and unlock a range so many times beside so many that are held, for a profiler to watch.
    RangeCalls {
        which: ranges::locks::Which,
        held: u64,
        calls: u64,
    },
    /// Only the direct writes.
    Direct,
    /// Only the journal.
    Journal,
    /// Only the loop over pages.
    Latency,
    /// Only the range locks.
    Ranges,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    match args.command {
        Some(Task::Calls { which, op, calls }) => {
            uncontended::call(which, op, calls);
            return Ok(());
        }
        Some(Task::RangeCalls { which, held, calls }) => {
            // Without a clock: valgrind does not run the one of a thread.
            ranges::uncontended::call(which, held, calls, || 0.0);
            return Ok(());
        }
        Some(Task::Direct) => {
            let direct = direct_writes(args.quick)?;
            println!("{}", report::direct(&direct, report::Form::Text));
            return Ok(());
        }
        Some(Task::Latency) => {
            let table = report::latency(&stretches(args.quick), report::Form::Text);
            println!("{}\n{table}", report::LATENCY);
            return Ok(());
        }
        Some(Task::Journal | Task::Ranges) | None => {}
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = root.join("target/interlock/bench");
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    match args.command {
        Some(Task::Journal) => {
            let measured = journal(args.quick, &out)?;
            for (title, table) in report::of_journal(&measured, report::Form::Text) {
                println!("{title}\n{table}\n");
            }
            return Ok(());
        }
        Some(Task::Ranges) => {
            let measured = range_locks(args.quick, &out)?;
            for (title, table) in ranges::tables::all(&measured, report::Form::Text) {
                println!("{title}\n{table}\n");
            }
            let goals = goals::table(&ranges::goals::all(&measured), report::Form::Text);
            println!("{}\n{goals}", report::goals_title(args.quick));
            return Ok(());
        }
        _ => {}
    }
    let results = measure(args.quick, &out)?;

    println!("\n{}", report::render(&results, report::Form::Text));
    let svg = plot::render(&results);
    let mut files = vec![
        (
            out.join("bench.md"),
            report::render(&results, report::Form::Markdown),
        ),
        (out.join("waits.svg"), svg.clone()),
    ];
    if args.keep_plot {
        files.push((root.join("docs/img/bench-waits.svg"), svg));
    }
    for (path, content) in files {
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
        println!(
            "{} is written",
            path.strip_prefix(&root).unwrap_or(&path).display()
        );
    }
    Ok(())
}

/// Runs everything; says on stderr what is being measured.
fn measure(quick: bool, scratch: &Path) -> anyhow::Result<Results> {
    let locks = Which::value_variants();
    let rounds = if quick { 3 } else { 5 };
    let shorter = if quick { 8 } else { 1 };
    let load_before = load();
    eprintln!("interlock-bench: uncontended");
    let mut costs = uncontended::measure(locks, 3 * rounds, 2_000_000 / shorter);
    if !uncontended::count_instructions(&mut costs, scratch)? {
        eprintln!("{NO_VALGRIND}");
    }
    let fight = |scenario: Scenario, rounds: usize| {
        let time = scenario.time / shorter as u32;
        let scenario = Scenario { time, ..scenario };
        eprintln!("interlock-bench: {} (load {})", scenario.name, load());
        let outcomes = contended::measure(&scenario, locks, rounds);
        Fight {
            scenario,
            rounds,
            outcomes,
        }
    };
    // Short rounds and many, because the machine disturbs whoever spins; a round that starves somebody has to last.
    let mixed = scenarios::MIXED.map(|scenario| fight(scenario, 4 * rounds));
    let starving = [scenarios::S3, scenarios::S5, scenarios::S2];
    let starving = starving.map(|scenario| fight(scenario, rounds));
    let direct = direct_writes(quick)?;
    let journal = journal(quick, scratch)?;
    let latency = stretches(quick);
    let ranges = range_locks(quick, scratch)?;
    Ok(Results {
        quick,
        load: (load_before, load()),
        compiler: compiler(),
        costs,
        mixed: mixed.into(),
        starving: starving.into(),
        direct,
        journal,
        latency,
        ranges,
    })
}

const NO_VALGRIND: &str = "interlock-bench: valgrind is missing: no instructions are counted";

/// Range locks.
fn range_locks(quick: bool, scratch: &Path) -> anyhow::Result<ranges::Results> {
    let mut measured = ranges::measure(quick, |what| {
        eprintln!("interlock-bench: {what} (load {})", load());
    })?;
    if !ranges::uncontended::count_instructions(&mut measured.costs, scratch)? {
        eprintln!("{NO_VALGRIND}");
    }
    Ok(measured)
}

/// The journal on memory and on a file.
fn journal(quick: bool, scratch: &Path) -> anyhow::Result<journal::Results> {
    eprintln!("interlock-bench: the journal (load {})", load());
    let (rounds, millis, log) = match quick {
        true => (1, 100, 1 << 14),
        false => (5, 1000, 1 << 18),
    };
    journal::measure(rounds, Duration::from_millis(millis), log, scratch)
}

/// How long a loop over pages keeps the processor.
fn stretches(quick: bool) -> Vec<latency::Stretches> {
    eprintln!("interlock-bench: a loop over pages (load {})", load());
    latency::measure(if quick { 2 } else { 20 })
}

/// Direct writes under the shared lock and under the exclusive one.
fn direct_writes(quick: bool) -> anyhow::Result<Vec<direct::Writes>> {
    eprintln!("interlock-bench: direct writes (load {})", load());
    let (rounds, millis) = if quick { (3, 150) } else { (5, 1000) };
    direct::measure(rounds, Duration::from_millis(millis))
}

/// The load averages of the last 1, 5 and 15 minutes.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let averages: Vec<&str> = text.split(' ').take(3).collect();
    averages.join(" ")
}

/// The compiler's version, which is std's.
fn compiler() -> String {
    let version = process::Command::new("rustc").arg("--version").output();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.split(' ')
        .nth(1)
        .unwrap_or("of unknown version")
        .to_owned()
}
