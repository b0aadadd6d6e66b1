//! `interlock graph`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use interlock_checker::{graph, interrupt, toolchain};

use super::options::{Output, Source};

#[derive(Args)]
pub struct Graph {
    /// The models [default: those that are there]
    models: Vec<String>,
    /// Write nothing; fail at the first line that differs
    #[arg(long)]
    check: bool,
    /// The folder of the files [default: tests/corpus of this clone]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

impl Graph {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        let corpus = self.corpus.unwrap_or_else(|| root.join("tests/corpus"));
        let request = graph::Request {
            models: self.models,
            check: self.check,
            corpus,
            specs: self.source.dir()?,
            out: self.output.dir()?,
        };
        graph::graph(&root, &request)
    }
}
