//! `interlock lint`.

use anyhow::Result;
use clap::Args;
use interlock_checker::manifest::Manifest;
use interlock_checker::{lint, report};

use super::options::Source;

#[derive(Args)]
pub struct Lint {
    #[command(flatten)]
    source: Source,
}

impl Lint {
    pub fn run(self) -> Result<u8> {
        let findings = lint::lint(&Manifest::load(&self.source.dir()?)?);
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
