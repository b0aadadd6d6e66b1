//! `interlock hunt`.

use anyhow::Result;
use clap::Args;
use interlock_checker::{interrupt, toolchain};
use interlock_rack::hunt;

use super::options::Output;
use super::replay::FsName;

#[derive(Args)]
pub struct Hunt {
    /// A kernel of the rack: 6.12
    #[arg(long, value_name = "VERSION")]
    kernel: String,
    /// The file system
    #[arg(long, default_value = "ext4")]
    fs: FsName,
    /// How long
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    minutes: u64,
    /// Which programs: the same seed makes the same ones
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

impl Hunt {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        hunt::hunt(&hunt::Request {
            kernel: self.kernel,
            fs: self.fs.into(),
            minutes: self.minutes,
            seed: self.seed,
            kept: root.join("target/rack"),
            out: self.output.dir()?,
        })
    }
}
