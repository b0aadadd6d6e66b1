//! `interlock docs`.

use anyhow::Result;
use clap::Args;
use interlock_checker::manifest::Manifest;
use interlock_checker::{docs, interrupt, toolchain};

use super::options::Output;
#[cfg(feature = "machines")]
use crate::reference;

#[derive(Args)]
pub struct Docs {
    #[command(flatten)]
    output: Output,
}

impl Docs {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        #[cfg(feature = "machines")]
        {
            for page in reference::pages(&root)? {
                if page.write(&root)? {
                    println!("{}", page.file);
                }
            }
        }
        let manifest = Manifest::load(&root.join("specs"))?;
        for path in docs::update(&root, &manifest, &self.output.dir()?)? {
            println!("{}", path.strip_prefix(&root).unwrap_or(&path).display());
        }
        Ok(0)
    }
}
