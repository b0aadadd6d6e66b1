//! `interlock check`.

use std::num::NonZero;
use std::thread;

use anyhow::Result;
use clap::Args;
use interlock_checker::check::{self, Request};
use interlock_checker::distributed;
use interlock_checker::manifest::{Engine, Lane};
use interlock_checker::select::Selection;
use interlock_checker::shard::Shard;
use interlock_checker::{interrupt, toolchain};

use super::options::{EngineName, Models, Output, Source};

/// Without names, an area or a lane: the lane ci.
#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    models: Models,
    /// Only those that were not as expected in the last run that wrote to the same folder
    #[arg(long)]
    failed: bool,
    /// Only part I of N, for one of N machines: together the parts are what one machine would run
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Fail, and run nothing, if this engine is not here (TLC always must be; lane nightly requires all)
    #[arg(long, value_enum, value_name = "ENGINE")]
    require: Vec<EngineName>,
    /// Write what the runs count into models.lock, of models whose verdict is the expected one
    #[arg(long)]
    bless: bool,
    /// How many models run at once [default: one a core, and one more]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// Start no more models once one is not as expected
    #[arg(long)]
    fail_fast: bool,
    /// Run each model, whatever was found earlier, on a JVM of its own, and keep what is found now [the nightly lane always does]
    #[arg(long)]
    fresh: bool,
    /// Show every model, not only those that are not as expected
    #[arg(short, long)]
    verbose: bool,
    #[command(flatten)]
    distributed: Distributed,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

#[derive(Args)]
struct Distributed {
    /// Run models that have no property, one after the other, in TLC's distributed mode: a server here, and workers
    #[arg(long, conflicts_with_all = ["bless", "jobs", "fail_fast"])]
    distributed: bool,
    /// So many workers here [default: 2, or none with --worker-host]
    #[arg(long, value_name = "N", requires = "distributed")]
    workers: Option<usize>,
    /// A host on which you start a worker: the command line for it is shown, and the server waits for it
    #[arg(long, value_name = "HOST", requires_all = ["distributed", "address"])]
    worker_host: Vec<String>,
    /// The name or IPv4 address by which workers reach this machine
    #[arg(
        long,
        value_name = "HOST",
        requires = "distributed",
        default_value = "127.0.0.1"
    )]
    address: String,
}

impl Distributed {
    fn request(self) -> Option<distributed::Distributed> {
        let here = if self.worker_host.is_empty() { 2 } else { 0 };
        self.distributed.then_some(distributed::Distributed {
            workers: self.workers.unwrap_or(here),
            hosts: self.worker_host,
            address: self.address,
        })
    }
}

impl Check {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let mut selection = self.models.selection();
        if is_everything(&selection) && !self.failed {
            selection.lane = Some(Lane::Ci);
        }
        let fresh = self.fresh || selection.lane == Some(Lane::Nightly);
        let request = Request {
            selection,
            failed: self.failed,
            shard: self.shard,
            distributed: self.distributed.request(),
            required: self.require.into_iter().map(Engine::from).collect(),
            specs: self.source.dir()?,
            bless: self.bless,
            jobs: self.jobs.unwrap_or_else(cores_and_one),
            fail_fast: self.fail_fast,
            fresh,
            verbose: self.verbose,
            out: self.output.dir()?,
        };
        check::check(&toolchain::root()?, &request)
    }
}

/// At its end TLC's JVM waits 0.3 s for a thread of RMI's that never answers: somebody else has the core meanwhile.
pub fn cores_and_one() -> NonZero<usize> {
    let cores = thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
    cores.saturating_add(1)
}

/// An engine alone names no models: it narrows the lane.
fn is_everything(selection: &Selection) -> bool {
    selection.lane.is_none() && selection.areas.is_empty() && selection.names.is_empty()
}
