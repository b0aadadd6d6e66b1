//! `interlock mutate`.

use std::num::NonZero;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use glob::Pattern;
use interlock_checker::manifest::Engine;
use interlock_checker::shard::Shard;
use interlock_checker::{interrupt, toolchain};
use interlock_mutate::mutate;
use interlock_mutate::request::Request;

use super::check::cores_and_one;
use super::options::{Output, Source};

/// Without areas: all of them.
#[derive(Args)]
pub struct Mutate {
    /// Only mutants of these areas, folders of specs/
    #[arg(value_name = "AREA")]
    areas: Vec<String>,
    /// Only mutants of these definitions: 'Final612*'
    #[arg(long = "in", value_name = "NAME|GLOB")]
    definitions: Vec<Pattern>,
    /// Only N of them, which the seed chooses
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// The choice, and the order
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Start no more mutants after so many seconds; what was found is known to the next run
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
    /// Only part I of N, for one of N machines
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Ask every row about every mutant, to tell which rows kill what no other does
    #[arg(long)]
    matrix: bool,
    /// Mutants of the modules that only Apalache reads, for its rows; it must be here
    #[arg(long)]
    apalache: bool,
    /// No more runs a mutant, those first whose rows notice most for their time; who gets past them is not judged
    #[arg(long, value_name = "N", conflicts_with = "matrix")]
    runs: Option<NonZero<usize>>,
    /// Write the sections of these areas in docs/mutants.md anew, or that of the sample
    #[arg(long, conflicts_with_all = ["definitions", "shard", "budget", "matrix"])]
    keep: bool,
    /// How many mutants run at once [default: one a core, and one more]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

impl Mutate {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let request = Request {
            areas: self.areas,
            definitions: self.definitions,
            shard: self.shard,
            sample: self.sample,
            seed: self.seed,
            budget: self.budget.map(Duration::from_secs),
            matrix: self.matrix,
            runs: self.runs,
            engine: match self.apalache {
                true => Engine::Apalache,
                false => Engine::Tlc,
            },
            keep: self.keep,
            jobs: self.jobs.unwrap_or_else(cores_and_one),
            specs: self.source.dir()?,
            out: self.output.dir()?,
        };
        mutate::mutate(&toolchain::root()?, &request)
    }
}
