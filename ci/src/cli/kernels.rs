//! `interlock kernels`.

use anyhow::Result;
use clap::Args;
use interlock_checker::{interrupt, toolchain};
use interlock_rack::rack;

use super::options::Output;

#[derive(Args)]
pub struct Kernels {
    /// Kernels of the rack: 6.12; all without
    #[arg(value_name = "VERSION")]
    kernels: Vec<String>,
    #[command(flatten)]
    output: Output,
}

impl Kernels {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        let request = rack::Request {
            kernels: self.kernels,
            kept: root.join("target/rack"),
            out: self.output.dir()?,
        };
        rack::run(&root, &request)
    }
}
