//! What several commands may be asked.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use interlock_checker::manifest::{Engine, Lane};
use interlock_checker::select::Selection;
use interlock_checker::toolchain;

#[derive(Args)]
pub struct Source {
    /// The directory of the specifications, a folder an area with its models.toml [default: specs of this clone]
    #[arg(long, value_name = "DIR")]
    specs: Option<PathBuf>,
}

impl Source {
    pub fn dir(self) -> Result<PathBuf> {
        self.specs
            .map_or_else(|| Ok(toolchain::root()?.join("specs")), Ok)
    }
}

#[derive(Args)]
pub struct Output {
    /// Where reports and traces go [default: target/interlock of this clone]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Output {
    pub fn dir(self) -> Result<PathBuf> {
        self.out
            .map_or_else(|| Ok(toolchain::root()?.join("target/interlock")), Ok)
    }
}

#[derive(Args)]
pub struct Models {
    /// Areas, designs, models, or patterns of their names: 'BatchQueue*'
    #[arg(value_name = "NAME|GLOB")]
    names: Vec<String>,
    /// Only the models of this lane and of those before it
    #[arg(long, value_enum)]
    lane: Option<LaneName>,
    /// Only the models of this engine
    #[arg(long, value_enum)]
    engine: Option<EngineName>,
    /// Only the models of this area, a folder of specs/
    #[arg(long = "area", value_name = "AREA")]
    areas: Vec<String>,
}

impl Models {
    pub fn selection(self) -> Selection {
        Selection {
            lane: self.lane.map(Lane::from),
            engine: self.engine.map(Engine::from),
            areas: self.areas,
            names: self.names,
        }
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub enum EngineName {
    Tlc,
    Apalache,
    TlaChecker,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Engine {
        match name {
            EngineName::Tlc => Engine::Tlc,
            EngineName::Apalache => Engine::Apalache,
            EngineName::TlaChecker => Engine::TlaChecker,
        }
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub enum LaneName {
    /// A few models of each kind: seconds
    Smoke,
    /// Every push: the main job
    Ci,
    /// On a schedule: the larger sizes too, on every engine
    Nightly,
}

impl From<LaneName> for Lane {
    fn from(name: LaneName) -> Lane {
        match name {
            LaneName::Smoke => Lane::Smoke,
            LaneName::Ci => Lane::Ci,
            LaneName::Nightly => Lane::Nightly,
        }
    }
}
