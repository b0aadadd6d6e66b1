//! `interlock capture`.

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use interlock_capture as capture;
use interlock_capture::kinds::CAPTURES;
use interlock_checker::{interrupt, toolchain};

use super::options::Output;
use super::recorded;

#[derive(Args)]
pub struct Capture {
    /// Areas; all without
    #[arg(value_parser = areas())]
    areas: Vec<String>,
    /// Reproduce what a seed reports, at a small scale: 000, 001, 004
    #[arg(long, value_name = "SEED", conflicts_with = "areas")]
    reproduce: Option<String>,
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
        let (root, out) = (toolchain::root()?, self.output.dir()?);
        match self.reproduce {
            Some(seed) => capture::reproduce::reproduce(&root, &seed, &out),
            None => capture::capture(
                &root,
                &capture::Request {
                    areas: self.areas,
                    out,
                },
            ),
        }
    }
}
