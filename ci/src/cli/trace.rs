//! `interlock trace`.

use anyhow::Result;
use clap::Args;
use interlock_checker::trace::{self, Traced};
use interlock_checker::{interrupt, toolchain};

use super::options::{Output, Source};

#[derive(Args)]
pub struct Trace {
    /// The model's name
    model: String,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

impl Trace {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let (root, out) = (toolchain::root()?, self.output.dir()?);
        let Traced {
            found,
            expected,
            counterexample,
        } = trace::trace(&root, &self.source.dir()?, &self.model, &out)?;
        if let Some((timeline, dir)) = &counterexample {
            println!("{timeline}\n{}", dir.display());
        }
        if found != expected {
            println!("{}: expected: {expected}; found: {found}", self.model);
            return Ok(1);
        }
        if counterexample.is_none() {
            println!(
                "{} {found}, as expected: it has no counterexample",
                self.model
            );
        }
        Ok(0)
    }
}
