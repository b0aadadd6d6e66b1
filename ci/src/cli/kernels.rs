//! `interlock kernels`.

use anyhow::Result;
use clap::Args;
use interlock_checker::{interrupt, toolchain};
use interlock_rack::part::Part;
use interlock_rack::rack;

use super::options::Output;

#[derive(Args)]
pub struct Kernels {
    /// Kernels of the rack: 6.12; all without; `host` is this machine's own (root)
    #[arg(value_name = "VERSION")]
    kernels: Vec<String>,
    /// Run none, and write docs/kernels.md anew from docs/kernels.json
    #[arg(long, conflicts_with = "kernels")]
    page: bool,
    /// Ask for this part alone, and keep what else docs/kernels.json has of a kernel of the same release
    #[arg(long, value_name = "PART", conflicts_with = "page")]
    only: Option<Only>,
    #[command(flatten)]
    output: Output,
}

impl Kernels {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        let request = rack::Request {
            kernels: self.kernels,
            page: self.page,
            only: self.only.map(Part::from),
            kept: root.join("target/rack"),
            out: self.output.dir()?,
        };
        rack::run(&root, &request)
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Only {
    Plans,
    Workloads,
    Traces,
}

impl From<Only> for Part {
    fn from(only: Only) -> Part {
        match only {
            Only::Plans => Part::Plans,
            Only::Workloads => Part::Workloads,
            Only::Traces => Part::Traces,
        }
    }
}
