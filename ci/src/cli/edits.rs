//! `interlock edits`.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use interlock_checker::{interrupt, toolchain};
use interlock_traces::edits_page::{self, List, PAGE};

#[derive(Args)]
pub struct Edits {
    /// Kept traces, by their names without `.txt.gz`; all without
    traces: Vec<String>,
    /// Ask of one event in so many, for a first look
    #[arg(long, value_name = "EVENTS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Write docs/edits.md, of every event of all traces
    #[arg(long, conflicts_with_all = ["traces", "every"])]
    keep: bool,
}

impl Edits {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        let list = List::read(&root)?;
        let mut kept = edits_page::kept(&root)?;
        let is_known = |name: &&String| kept.iter().any(|kept| kept.name == **name);
        let unknown = self.traces.iter().find(|name| !is_known(name));
        ensure!(
            unknown.is_none(),
            "there is no trace `{}` in tests/kernel",
            unknown.map_or("", |name| name)
        );
        let all = self.traces.is_empty() && self.every == 1;
        kept.retain(|kept| self.traces.is_empty() || self.traces.contains(&kept.name));
        let mut found = Vec::new();
        for kept in &kept {
            for of_module in edits_page::find(kept, self.every as usize)? {
                print!("{}", of_module.row());
                found.push(of_module);
            }
        }
        let differs = list.differs(&found, all);
        for line in &differs {
            println!("{line}");
        }
        if self.keep {
            let text = edits_page::page(&found, &list);
            fs::write(root.join(PAGE), text)
                .with_context(|| format!("{PAGE} cannot be written"))?;
        }
        Ok(u8::from(!differs.is_empty()))
    }
}
