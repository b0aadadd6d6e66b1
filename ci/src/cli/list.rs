//! `interlock list`.

use anyhow::Result;
use clap::Args;
use interlock_checker::list;
use interlock_checker::manifest::Manifest;

use super::options::{Models, Source};

#[derive(Args)]
pub struct List {
    #[command(flatten)]
    models: Models,
    #[command(flatten)]
    source: Source,
}

impl List {
    pub fn run(self) -> Result<u8> {
        let manifest = Manifest::load(&self.source.dir()?)?;
        print!("{}", list::text(&self.models.selection().of(&manifest)?));
        Ok(0)
    }
}
