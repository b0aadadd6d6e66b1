//! The engines that decide models: those that are needed, as far as they are here.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::apalache::Apalache;
use crate::apalache::install::{self, Installed};
use crate::availability::{Availability, Awaited};
use crate::evidence::Evidence;
use crate::manifest::{Engine, Manifest, Model};
use crate::resident::Resident;
use crate::run::Run;
use crate::tla_checker::{self, TlaChecker};
use crate::tlc::{Ask, Tlc};
use crate::toolchain::Toolchain;

/// The programs; `None` is one that no model needs.
#[derive(Debug)]
pub struct Tools {
    /// TLC.
    pub tlc: Option<Toolchain>,
    /// Apalache.
    pub apalache: Option<Availability<Installed>>,
    /// tla-checker, which may still be built while other models run.
    pub tla_checker: Option<Awaited<PathBuf>>,
}

impl Tools {
    /// Finds what these models need.
    ///
    /// # Errors
    ///
    /// When TLC is missing, or one of those in `required` is known to be, or something that the user's environment names does not
    /// do.
    pub fn find(root: &Path, models: &[&Model], required: &[Engine]) -> Result<Tools> {
        let needed = |engine: Engine| {
            let needed = models.iter().any(|model| model.engine == engine);
            needed || required.contains(&engine)
        };
        let of = |engine: Engine| needed(engine).then_some(());
        let tools = Tools {
            tlc: of(Engine::Tlc)
                .map(|()| Toolchain::find(root))
                .transpose()?,
            apalache: of(Engine::Apalache)
                .map(|()| install::find(root, true))
                .transpose()?,
            tla_checker: of(Engine::TlaChecker).map(|()| tla_checker::find(root)),
        };
        let building = tools.tla_checker.as_ref();
        let building = building.is_some_and(|tool| tool.so_far().is_none());
        let known = |engine: &Engine| !(building && *engine == Engine::TlaChecker);
        let known: Vec<Engine> = required.iter().copied().filter(known).collect();
        tools.require(&known)?;
        Ok(tools)
    }

    /// That each of these engines is here. Waits for one that is still built.
    ///
    /// # Errors
    ///
    /// When one is not, and why.
    pub fn require(&self, required: &[Engine]) -> Result<()> {
        for engine in required {
            if let Some(why) = self.missing(*engine) {
                bail!("{} is required, and {why}", engine.name());
            }
        }
        Ok(())
    }

    /// Why models of this engine cannot run. Waits for one that is still built.
    pub fn missing(&self, engine: Engine) -> Option<&str> {
        match engine {
            Engine::Tlc => None,
            Engine::Apalache => self.apalache.as_ref().and_then(Availability::missing),
            Engine::TlaChecker => self.tla_checker.as_ref()?.get().missing(),
        }
    }
}

/// Every engine that is here, ready to run the models of a manifest.
#[derive(Debug)]
pub struct Engines<'a> {
    /// The models.
    pub manifest: &'a Manifest,
    /// What is here.
    pub tools: &'a Tools,
    /// TLC, if it is needed.
    pub tlc: Option<Tlc<'a>>,
    apalache: Option<Apalache<'a>>,
    out: &'a Path,
    evidence: Option<&'a Evidence>,
}

impl<'a> Engines<'a> {
    /// They write below `out`, an absolute path.
    pub fn new(manifest: &'a Manifest, tools: &'a Tools, out: &'a Path) -> Engines<'a> {
        Engines::with_evidence(manifest, tools, out, None)
    }

    /// The same, which do not run what was found earlier.
    pub fn with_evidence(
        manifest: &'a Manifest,
        tools: &'a Tools,
        out: &'a Path,
        evidence: Option<&'a Evidence>,
    ) -> Engines<'a> {
        let apalache = tools.apalache.as_ref().and_then(Availability::ready);
        let tlc = tools.tlc.as_ref();
        Engines {
            manifest,
            tools,
            tlc: tlc.map(|toolchain| Tlc::new(manifest, toolchain, out).with_evidence(evidence)),
            apalache: apalache.map(|installed| Apalache::new(manifest, installed, out)),
            out,
            evidence,
        }
    }

    /// TLC on JVMs that stay.
    pub fn on(self, resident: &'a Resident) -> Engines<'a> {
        Engines {
            tlc: self.tlc.map(|tlc| tlc.on(resident)),
            ..self
        }
    }

    /// Runs `model` on its engine; TLC as `ask` says.
    ///
    /// # Errors
    ///
    /// Those of the engine's `run`; an engine that is not here.
    pub fn run(&self, model: &Model, ask: Ask) -> Result<Run> {
        let here = || format!("{} is not here", model.engine.name());
        match model.engine {
            Engine::Tlc => self.tlc.as_ref().with_context(here)?.run(model, ask),
            Engine::Apalache => self.apalache.as_ref().with_context(here)?.run(model),
            Engine::TlaChecker => {
                let tool = self.tools.tla_checker.as_ref().with_context(here)?;
                let program = tool.get().ready().with_context(here)?;
                TlaChecker::new(self.manifest, program, self.out)
                    .with_evidence(self.evidence)
                    .run(model)
            }
        }
    }

    /// Runs models that can share a run of TLC; of another engine, there is one. TLC stops at the first violation that it finds.
    ///
    /// # Errors
    ///
    /// Those of [`Engines::run`].
    pub fn run_all(&self, models: &[&Model], ask: Ask) -> Result<Run> {
        match (&self.tlc, models) {
            (Some(tlc), [first, ..]) if first.engine == Engine::Tlc => tlc.run_all(models, ask),
            (_, [model]) => self.run(model, ask),
            _ => bail!("models of other engines than TLC share no run"),
        }
    }

    /// Whether what the model's engine chooses is the same each time: that of the pinned TLC is.
    pub fn is_pinned(&self, model: &Model) -> bool {
        let tlc = self.tlc.as_ref().filter(|_| model.engine == Engine::Tlc);
        tlc.is_none_or(|tlc| tlc.toolchain.jar.pinned)
    }
}
