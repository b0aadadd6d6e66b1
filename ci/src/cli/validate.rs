//! `interlock validate`.

use anyhow::Result;
use clap::Args;
use interlock_checker::{interrupt, toolchain};
use interlock_traces::validate;

use super::options::Output;
use super::recorded::{Traces, judged_areas};

#[derive(Args)]
pub struct Validate {
    /// The area's name
    #[arg(value_parser = judged_areas())]
    area: String,
    #[command(flatten)]
    traces: Traces,
    /// Ask the machine alone, not TLC
    #[arg(long)]
    machine_only: bool,
    #[command(flatten)]
    output: Output,
}

impl Validate {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let request = validate::Request {
            area: self.area,
            reading: self.traces.reading(),
            files: self.traces.files,
            machine_only: self.machine_only,
            out: self.output.dir()?,
        };
        validate::validate(&toolchain::root()?, &request)
    }
}
