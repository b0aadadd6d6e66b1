//! `interlock kernels`.

use anyhow::Result;
use clap::Args;
use interlock_checker::{interrupt, toolchain};
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
    /// Record traces alone, and keep what else docs/kernels.json has of a kernel of the same release
    #[arg(long, conflicts_with = "page")]
    traces: bool,
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
            traces: self.traces,
            kept: root.join("target/rack"),
            out: self.output.dir()?,
        };
        rack::run(&root, &request)
    }
}
