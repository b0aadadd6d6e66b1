//! What the commands on recorded behaviours may be asked.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use interlock_traces::kernel::Reading;
use interlock_traces::validate::protocol::PROTOCOLS;

/// An area must be one of these, which may be there several times; help has them all.
pub fn areas(areas: impl Iterator<Item = &'static str>) -> PossibleValuesParser {
    PossibleValuesParser::new(areas.collect::<BTreeSet<_>>())
}

/// The areas that traces are of.
pub fn judged_areas() -> PossibleValuesParser {
    areas(PROTOCOLS.iter().map(|protocol| protocol.area))
}

#[derive(Args)]
pub struct Traces {
    /// Traces as docs/traces.md describes them, or a kernel's: the text of tracefs or of trace-cmd report, plain or gzipped
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The kernel that has written a trace which does not say so: 6.18
    #[arg(long, value_name = "VERSION")]
    kernel: Option<String>,
    /// Judge a kernel's trace by the constants of another one
    #[arg(long = "as", value_name = "VERSION")]
    judged_as: Option<String>,
    /// Nothing is under way when a kernel's trace begins: it is judged from its first line on
    #[arg(long)]
    at_rest: bool,
}

impl Traces {
    pub fn reading(&self) -> Reading {
        Reading {
            kernel: self.kernel.clone(),
            judged_as: self.judged_as.clone(),
            midway: !self.at_rest,
        }
    }
}
