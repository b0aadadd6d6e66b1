//! What the kernels of the rack did, as the last run has written it down: `docs/kernels.json`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use interlock_checker::manifest::RECORD;
use interlock_checker::record::{self, Cell};
use serde::{Deserialize, Serialize};

use crate::workload::Measured;

/// All of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Record {
    /// By version: `6.12`.
    pub kernels: BTreeMap<String, Kernel>,
}

/// What a kernel did.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Kernel {
    /// Its release: `6.12.107`.
    pub release: String,
    /// Of each plan, by its name.
    pub plans: BTreeMap<String, Cell>,
    /// Of each workload.
    pub workloads: Vec<Measured>,
    /// Of each trace, by its name.
    pub traces: BTreeMap<String, Trace>,
    /// What could not be run, and why.
    pub not_run: Vec<String>,
    /// The designs, behind their areas, that stand for it and did as it did in whatever both were asked: in how many things.
    pub measured: BTreeMap<String, usize>,
    /// What no model allows, or what a model has that the kernel has not.
    pub disagrees: Vec<String>,
}

/// How a trace was judged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Trace {
    /// The area whose specification it is judged by.
    pub area: String,
    /// By its own release's table.
    pub own: String,
    /// By that of another: which, and how.
    pub others: BTreeMap<String, String>,
}

/// Where it is in a clone.
pub fn path(root: &Path) -> PathBuf {
    root.join(RECORD)
}

impl Record {
    /// The one that is there; an empty one, if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn load(root: &Path) -> Result<Record> {
        record::load(&path(root))
    }

    /// Writes it down.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store(&self, root: &Path) -> Result<()> {
        record::store(&path(root), self)
    }
}
