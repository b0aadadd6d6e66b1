//! `interlock lint`.

use anyhow::Result;
use clap::Args;
use interlock_checker::manifest::Manifest;
use interlock_checker::{lint, report};

use super::options::Source;
#[cfg(feature = "machines")]
use crate::reference;

#[derive(Args)]
pub struct Lint {
    #[command(flatten)]
    source: Source,
}

impl Lint {
    pub fn run(self) -> Result<u8> {
        let manifest = Manifest::load(&self.source.dir()?)?;
        #[cfg(feature = "machines")]
        let pages = reference::pages(manifest.base())?;
        let findings = lint::lint(&manifest);
        #[cfg(feature = "machines")]
        let findings: Vec<_> = {
            let stale = pages.iter().filter_map(reference::Page::stale);
            findings.into_iter().chain(stale).collect()
        };
        for finding in &findings {
            println!("{finding}");
            let (file, line) = (&finding.file, finding.line);
            if let Some(mark) = report::annotation(file, line, finding.rule, &finding.message) {
                println!("{mark}");
            }
        }
        Ok(u8::from(!findings.is_empty()))
    }
}
