//! `interlock capture`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use interlock_capture as capture;
use interlock_capture::kinds::CAPTURES;
use interlock_capture::place;
use interlock_checker::{interrupt, toolchain};

use super::options::Output;
use super::recorded;

#[derive(Args)]
pub struct Capture {
    /// Areas; all without
    #[arg(value_parser = areas())]
    areas: Vec<String>,
    /// Reproduce what a seed reports, at a small scale: 000, 001, 004; torn: which reads this kernel tears
    #[arg(long, value_name = "SEED", conflicts_with = "areas")]
    reproduce: Option<String>,
    /// With --reproduce torn: how long each kind is tried on each file system [default: 3]
    #[arg(long, value_name = "SECONDS", requires = "reproduce")]
    each: Option<u64>,
    /// Record a file system in use beside its users for so many seconds, and touch nothing of it
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "path",
        conflicts_with = "reproduce"
    )]
    attach: Option<u64>,
    /// A file or directory on the file system that is attached to
    #[arg(long, requires = "attach")]
    path: Option<PathBuf>,
    /// Record, and judge nothing: neither Java nor the specifications are needed
    #[arg(long, conflicts_with = "reproduce")]
    record_only: bool,
    #[command(flatten)]
    output: Output,
}

/// The areas whose locks the kernel can be seen to take.
fn areas() -> PossibleValuesParser {
    recorded::areas(CAPTURES.iter().map(|capture| capture.area))
}

impl Capture {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let out = self.output.dir()?;
        let request = capture::Request {
            areas: self.areas,
            out,
        };
        let attached = match (self.attach, &self.path) {
            (Some(seconds), Some(path)) => capture::attach::attach(&request, path, seconds)?,
            _ if self.record_only => {
                place::enter()?;
                capture::record(&request)?;
                None
            }
            _ => None,
        };
        if interrupt::requested() {
            return Ok(interrupt::EXIT);
        }
        if self.record_only {
            return Ok(0);
        }
        let root = toolchain::root()?;
        match (self.reproduce, attached) {
            (Some(seed), _) => {
                let each = self.each.map(Duration::from_secs);
                capture::reproduce::reproduce(&root, &seed, &request.out, each)
            }
            (None, Some(attached)) => Ok(attached.judge(&root, &request)),
            (None, None) => capture::capture(&root, &request),
        }
    }
}
