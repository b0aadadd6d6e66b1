//! `interlock table`.

use anyhow::Result;
use clap::Args;
use interlock_checker::manifest::Manifest;
use interlock_checker::{select, table};

use super::options::Source;

#[derive(Args)]
pub struct Table {
    /// The area's name, a folder of specs/
    area: String,
    #[command(flatten)]
    source: Source,
}

impl Table {
    pub fn run(self) -> Result<u8> {
        let manifest = Manifest::load(&self.source.dir()?)?;
        select::area(&manifest, &self.area)?;
        let designs = table::designs(&manifest, &self.area, None);
        print!("{designs}\n{}", table::rows(&manifest, &self.area));
        Ok(0)
    }
}
