//! Measures the reference's locks against others, all within one run.

mod contended;
mod cost;
mod direct;
mod goals;
mod journal;
mod latency;
mod locks;
mod plot;
mod ranges;
mod report;
mod rounds;
mod stats;

use std::path::Path;
use std::time::Duration;
use std::{fs, process};

use anyhow::Context;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use comfy_table::Table;

use crate::contended::Op;
use crate::locks::list::{self, Which};
use crate::report::{Form, Results};

/// Measures the reference's locks against others.
#[derive(Parser)]
struct Args {
    /// Short and few rounds: shows that everything runs, and no more.
    #[arg(long)]
    quick: bool,
    /// Replace docs/bench.md and docs/img/bench-*.svg by this run's tables and plots.
    #[arg(long, conflicts_with = "quick")]
    keep: bool,
    #[command(subcommand)]
    command: Option<Task>,
}

#[derive(Subcommand)]
enum Task {
    /// Lock and unlock so many times, for a profiler to watch.
    Calls {
        #[arg(value_parser = list::find)]
        which: Which,
        op: Op,
        calls: u64,
    },
    /// Lock and unlock a range so many times beside so many that are held, for a profiler to watch.
    RangeCalls {
        which: ranges::locks::Which,
        held: u64,
        calls: u64,
    },
    /// Only the reader/writer locks.
    Locks,
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
    if args.keep && args.command.is_some() {
        let says = "--keep is of a whole run: leave the subcommand out";
        Args::command()
            .error(ErrorKind::ArgumentConflict, says)
            .exit();
    }
    match args.command {
        Some(Task::Calls { which, op, calls }) => {
            (which.call)(op, calls);
            return Ok(());
        }
        Some(Task::RangeCalls { which, held, calls }) => {
            // Without a clock: valgrind does not run the one of a thread.
            ranges::uncontended::call(which, held, calls, || 0.0);
            return Ok(());
        }
        Some(Task::Direct) => {
            let direct = direct_writes(args.quick)?;
            println!("{}", report::direct(&direct, Form::Text));
            return Ok(());
        }
        Some(Task::Latency) => {
            let table = report::latency(&stretches(args.quick), Form::Text);
            println!("{}\n{table}", report::LATENCY);
            return Ok(());
        }
        Some(Task::Locks | Task::Journal | Task::Ranges) | None => {}
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = root.join("target/interlock/bench");
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    match args.command {
        Some(Task::Locks) => {
            let measured = rw_locks(args.quick, &out)?;
            show(locks::tables::all(&measured, Form::Text));
            let goals = locks::goals::all(&measured);
            print!("{}", report::of_goals(&goals, args.quick, Form::Text));
            return Ok(());
        }
        Some(Task::Journal) => {
            show(report::of_journal(&journal(args.quick, &out)?, Form::Text));
            return Ok(());
        }
        Some(Task::Ranges) => {
            let measured = range_locks(args.quick, &out)?;
            show(ranges::tables::all(&measured, Form::Text));
            let goals = ranges::goals::all(&measured);
            print!("{}", report::of_goals(&goals, args.quick, Form::Text));
            return Ok(());
        }
        _ => {}
    }
    let results = measure(args.quick, &out)?;

    println!("\n{}", report::render(&results, Form::Text));
    let report = report::render(&results, Form::Markdown);
    let plots = plot::all(&results.locks);
    let kept = root.join("docs");
    let mut files = vec![(out.join("bench.md"), &report)];
    if args.keep {
        files.push((kept.join("bench.md"), &report));
    }
    for (name, svg) in &plots {
        files.push((out.join(name), svg));
        if args.keep {
            files.push((kept.join("img").join(name), svg));
        }
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

/// Prints tables.
fn show<T: AsRef<str>>(tables: impl IntoIterator<Item = (T, Table)>) {
    for (title, table) in tables {
        print!("{}", report::section(title.as_ref(), &table, Form::Text));
    }
}

/// Runs everything; says on stderr what is being measured.
fn measure(quick: bool, scratch: &Path) -> anyhow::Result<Results> {
    let before = load();
    let locks = rw_locks(quick, scratch)?;
    let direct = direct_writes(quick)?;
    let journal = journal(quick, scratch)?;
    let latency = stretches(quick);
    let ranges = range_locks(quick, scratch)?;
    Ok(Results {
        quick,
        load: (before, load()),
        compiler: compiler(),
        locks,
        direct,
        journal,
        latency,
        ranges,
    })
}

const NO_VALGRIND: &str = "interlock-bench: valgrind is missing: no instructions are counted";

/// Reader/writer locks.
fn rw_locks(quick: bool, scratch: &Path) -> anyhow::Result<locks::Results> {
    let mut measured = locks::measure(quick, |what| {
        eprintln!("interlock-bench: {what} (load {})", load());
    })?;
    if !locks::uncontended::count_instructions(&mut measured.costs, scratch)? {
        eprintln!("{NO_VALGRIND}");
    }
    Ok(measured)
}

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
