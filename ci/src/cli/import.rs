//! `interlock import`.

use anyhow::Result;
use clap::Args;
use interlock_traces::import;

use super::recorded::{Traces, judged_areas};

#[derive(Args)]
pub struct Import {
    /// The area's name
    #[arg(value_parser = judged_areas())]
    area: String,
    #[command(flatten)]
    traces: Traces,
}

impl Import {
    pub fn run(self) -> Result<u8> {
        import::import(&import::Request {
            area: self.area,
            reading: self.traces.reading(),
            files: self.traces.files,
        })
    }
}
