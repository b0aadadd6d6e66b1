//! `interlock cfg`.

use anyhow::{Result, ensure};
use clap::Args;
use interlock_checker::manifest::{Engine, Manifest};
use interlock_checker::{cfg, select};

use super::options::Source;

#[derive(Args)]
pub struct Cfg {
    /// The model's name
    model: String,
    #[command(flatten)]
    source: Source,
}

impl Cfg {
    pub fn run(self) -> Result<u8> {
        let manifest = Manifest::load(&self.source.dir()?)?;
        let model = select::one(&manifest, &self.model)?;
        ensure!(
            model.engine != Engine::Apalache,
            "{} is Apalache's, which takes no cfg: its row has its arguments",
            model.name
        );
        print!("{}", cfg::text(model, false));
        Ok(0)
    }
}
