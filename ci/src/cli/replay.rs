//! `interlock replay`.

use anyhow::Result;
use clap::Args;
use interlock_checker::{interrupt, toolchain};
use interlock_rack::plan::{By, Fs};
use interlock_rack::replay;

use super::options::Output;

#[derive(Args)]
pub struct Replay {
    /// A model of specs/dio that has a counterexample, or the file of a plan
    #[arg(value_name = "MODEL|FILE")]
    name: String,
    /// Kernels of the rack: 6.12; all without
    #[arg(long = "kernel", value_name = "VERSION")]
    kernels: Vec<String>,
    /// The file system [default: the design's]
    #[arg(long)]
    fs: Option<FsName>,
    /// How asynchronous calls are made
    #[arg(long, default_value = "aio")]
    by: ByName,
    /// How often
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// With random times of completion, from this seed on, instead of the counterexample's order
    #[arg(long, value_name = "SEED")]
    unaimed: Option<u64>,
    /// Only print the plan
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub enum FsName {
    Ext4,
    Xfs,
}

impl From<FsName> for Fs {
    fn from(name: FsName) -> Fs {
        match name {
            FsName::Ext4 => Fs::Ext4,
            FsName::Xfs => Fs::Xfs,
        }
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ByName {
    Aio,
    Uring,
}

impl Replay {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        let request = replay::Request {
            name: self.name,
            kernels: self.kernels,
            fs: self.fs.map(Fs::from),
            by: match self.by {
                ByName::Aio => By::Aio,
                ByName::Uring => By::Uring,
            },
            times: self.times,
            unaimed: self.unaimed,
            print: self.print,
            kept: root.join("target/rack"),
            out: self.output.dir()?,
        };
        replay::replay(&root, &request)
    }
}
