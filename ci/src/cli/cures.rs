//! `interlock cures`.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use interlock_checker::{interrupt, toolchain};
use interlock_rack::cures;
use interlock_rack::cures::build::Kept;

use super::options::Output;

#[derive(Args)]
pub struct Cures {
    /// Cures of ci/rack/cures.toml: ext4; all without. The kernel as it is shipped is always run too
    #[arg(value_name = "CURE")]
    cures: Vec<String>,
    /// Sources of ci/rack/cures.toml: 6.12; without, all but those whose kernels check themselves (6.12-checked), have four processors (6.12-four) or a clock that counts instructions (6.12-paced)
    #[arg(long = "source", value_name = "VERSION")]
    sources: Vec<String>,
    /// How often each plan that is lost as shipped is played with random times of completion, and at most how often power is lost
    #[arg(long, default_value_t = 200)]
    runs: u32,
    /// The first of these times
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run none, and write docs/cures.md anew from docs/cures.json
    #[arg(long, conflicts_with_all = ["cures", "sources"])]
    page: bool,
    #[command(flatten)]
    output: Output,
}

impl Cures {
    pub fn run(self) -> Result<u8> {
        interrupt::install()?;
        let root = toolchain::root()?;
        let request = cures::Request {
            sources: self.sources,
            cures: self.cures,
            runs: self.runs,
            seed: self.seed,
            page: self.page,
            kept: Kept {
                rack: root.join("target/rack"),
                builds: cache()?.join("interlock/kernels"),
            },
            out: self.output.dir()?,
        };
        cures::run(&root, &request)
    }
}

/// Where a user's programs keep what they can make again.
fn cache() -> Result<PathBuf> {
    let of = |name| std::env::var_os(name).filter(|path| !path.is_empty());
    let own = of("XDG_CACHE_HOME").map(PathBuf::from);
    let found = own.or_else(|| of("HOME").map(|home| PathBuf::from(home).join(".cache")));
    found.context("neither XDG_CACHE_HOME nor HOME says where kernels can be built")
}
