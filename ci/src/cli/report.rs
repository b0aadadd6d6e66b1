//! `interlock report`.

use anyhow::Result;
use clap::Args;
use interlock_checker::manifest::Manifest;
use interlock_checker::report::{Report as Found, page};
use interlock_checker::whole::write_whole;
use interlock_checker::{say, toolchain};

use super::options::{Output, Source};

#[derive(Args)]
pub struct Report {
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

impl Report {
    pub fn run(self) -> Result<u8> {
        let root = toolchain::root()?;
        let out = self.output.dir()?;
        let found = Found::read(&out)?;
        let manifest = Manifest::load(&self.source.dir()?)?;
        write_whole(&out, "report.html", page::text(&found, &manifest, &root)?)?;
        say::print(&format!("{}\n", out.join("report.html").display()))?;
        Ok(0)
    }
}
