//! `interlock docs`.

use anyhow::Result;
use clap::Args;
use interlock_checker::manifest::Manifest;
use interlock_checker::{docs, interrupt, toolchain};

use super::options::Output;

#[derive(Args)]
pub struct Docs {
    #[command(flatten)]
    output: Output,
}

impl Docs {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        let manifest = Manifest::load(&root.join("specs"))?;
        for path in docs::update(&root, &manifest, &self.output.dir()?)? {
            println!("{}", path.strip_prefix(&root).unwrap_or(&path).display());
        }
        Ok(0)
    }
}
