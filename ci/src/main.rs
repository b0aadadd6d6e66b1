//! `interlock`: runs the models of `specs/` and judges them against what they claim.

mod cli;
#[cfg(feature = "machines")]
mod reference;

#[cfg(feature = "machines")]
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use interlock_checker::{doctor, interrupt, note, toolchain};

/// Runs the models of specs/ with TLC, Apalache and tla-checker, and judges each against the verdict it must have.
///
/// Exit status: 0 all as expected; 1 something is not; 2 a tool is missing, or bad input: nothing was judged; 130 Ctrl-C.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Runs models and judges them
    Check(cli::check::Check),
    /// Lists models without running them: name, engine, lane, verdict, counts
    List(cli::list::List),
    /// Puts small faults into the specifications, one at a time, and looks which rows notice
    ///
    /// Exit status: 0 the mutants that survive are those of specs/*/mutants.toml; 1 they are not; 2 nothing was judged.
    Mutate(cli::mutate::Mutate),
    /// Makes one page for a browser of what the last check found: report.html, which needs no other file
    Report(cli::report::Report),
    /// Finds claims that check nothing
    Lint(cli::lint::Lint),
    /// Runs one model and prints its counterexample as a timeline
    ///
    /// Exit status: 0 the verdict is the expected one, a counterexample or not; 1 it is another.
    Trace(cli::trace::Trace),
    /// Prints a model's TLC configuration, to run it by hand
    Cfg(cli::cfg::Cfg),
    /// Prints an area's verdicts as a Markdown table
    Table(cli::table::Table),
    /// Writes the generated parts of the documentation anew: tables, cfgs, pictures
    Docs(cli::docs::Docs),
    /// Writes what TLC finds down, or compares: a model's whole state graph, or its counterexample
    Graph(cli::graph::Graph),
    /// Simulates a kernel's regression report on an area's state machine, in virtual time
    #[cfg(feature = "machines")]
    Scenario(cli::scenario::Scenario),
    /// Judges recorded behaviours: are they behaviours of the area's specification?
    #[cfg(feature = "machines")]
    Validate(cli::validate::Validate),
    /// Edits each event of the kept traces of kernels, and counts what is refused
    ///
    /// Exit status: 0 what is accepted is what is listed in tests/kernel/edits.toml; 1 it is not.
    #[cfg(feature = "machines")]
    Edits(cli::edits::Edits),
    /// Writes the events of a kernel's trace as events of the area's specification, to stdout
    #[cfg(feature = "machines")]
    Import(cli::import::Import),
    /// Records traces of the running kernel on file systems of its own, and judges them (needs root and tracefs)
    #[cfg(feature = "machines")]
    Capture(cli::capture::Capture),
    /// Asks kernels of several releases, in guests, what the models say of them, and writes docs/kernels.md (needs QEMU)
    ///
    /// Exit status: 0 they did as the models say, as far as they were run; 1 one did not; 2 none was run.
    #[cfg(feature = "machines")]
    Kernels(cli::kernels::Kernels),
    /// Plays a counterexample of direct I/O, or a plan, to kernels in guests, on a disk that completes as it says (needs QEMU)
    ///
    /// Exit status: 0 it was played, whatever the kernel did; 2 nowhere.
    #[cfg(feature = "machines")]
    Replay(cli::replay::Replay),
    /// Plays random programs of direct I/O to a kernel in a guest, and looks for lost bytes (needs QEMU)
    ///
    /// Exit status: 0 nothing was found; 1 something was; 2 the kernel could not be had.
    #[cfg(feature = "machines")]
    Hunt(cli::hunt::Hunt),
    /// Builds kernels as they are and with the patches of docs/findings, asks them in guests, and writes docs/cures.md (needs QEMU)
    ///
    /// Exit status: 0 they did as the models say, as far as they were run; 1 one did not; 2 none was run.
    #[cfg(feature = "machines")]
    Cures(cli::cures::Cures),
    /// Does on this machine's kernel what a guest is asked, over stdin and stdout
    #[cfg(feature = "machines")]
    #[command(name = interlock_rack::guest::SERVE, hide = true)]
    Serve,
    /// Shows each tool, its version and what needs it
    Doctor,
}

fn main() -> ExitCode {
    // A guest's first process.
    #[cfg(feature = "machines")]
    if std::process::id() == 1 && Path::new(interlock_rack::init::MODULES).is_dir() {
        note!("interlock: {:#}", interlock_rack::init::init());
        return ExitCode::FAILURE;
    }
    match run(Cli::parse().command) {
        Ok(status) => ExitCode::from(status),
        Err(_) if interrupt::requested() => ExitCode::from(interrupt::EXIT),
        Err(error) => {
            note!("interlock: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Does what is asked. The exit status.
fn run(task: Task) -> Result<u8> {
    if !matches!(task, Task::Check(_)) {
        // `interlock trace MODEL | head` ends like any other command. A check goes on to the end of its models and reports.
        sigpipe::reset();
    }
    match task {
        Task::Check(asked) => asked.run(),
        Task::List(asked) => asked.run(),
        Task::Mutate(asked) => asked.run(),
        Task::Report(asked) => asked.run(),
        Task::Lint(asked) => asked.run(),
        Task::Trace(asked) => asked.run(),
        Task::Cfg(asked) => asked.run(),
        Task::Table(asked) => asked.run(),
        Task::Docs(asked) => asked.run(),
        Task::Graph(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Scenario(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Validate(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Edits(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Import(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Capture(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Kernels(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Replay(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Hunt(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Cures(asked) => asked.run(),
        #[cfg(feature = "machines")]
        Task::Serve => interlock_rack::serve::here().map(|()| 0),
        Task::Doctor => doctor::doctor(&toolchain::root()?),
    }
}
