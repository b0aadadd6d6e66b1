//! `interlock docs`.

#[cfg(feature = "machines")]
use std::fs;

#[cfg(feature = "machines")]
use anyhow::Context as _;
use anyhow::Result;
use clap::Args;
use interlock_checker::manifest::Manifest;
use interlock_checker::{docs, interrupt, toolchain};

use super::options::Output;
#[cfg(feature = "machines")]
use crate::reference::{self, PAGE};

#[derive(Args)]
pub struct Docs {
    /// Write nothing; fail if the page of the commands is not what they are (`interlock lint` asks this of all tables and cfgs)
    #[cfg(feature = "machines")]
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    output: Output,
}

impl Docs {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        #[cfg(feature = "machines")]
        {
            let [old, new] = reference::page(&root)?;
            if self.check {
                if old != new {
                    println!("{PAGE}: is not what the commands are (run `make docs`)");
                }
                return Ok(u8::from(old != new));
            }
            if old != new {
                fs::write(root.join(PAGE), new).context(PAGE)?;
                println!("{PAGE}");
            }
        }
        let manifest = Manifest::load(&root.join("specs"))?;
        for path in docs::update(&root, &manifest, &self.output.dir()?)? {
            println!("{}", path.strip_prefix(&root).unwrap_or(&path).display());
        }
        Ok(0)
    }
}
