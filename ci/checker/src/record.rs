//! What the kernels of the rack did (`interlock kernels`), as far as tables of the book show it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

/// All of it.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Record {
    /// By version: `6.12`.
    pub kernels: BTreeMap<String, Kernel>,
}

/// What a kernel did.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Kernel {
    /// Its release: `6.12.107`.
    pub release: String,
    /// Of each plan, by its name.
    pub plans: BTreeMap<String, Cell>,
    /// By area and design, `dio/Final612`: in how many things the design did as the kernel did.
    pub measured: BTreeMap<String, u64>,
}

/// What came of a plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cell {
    /// The design that was asked, and whether it loses: `None`, if it has no row of this size.
    pub design: String,
    /// See `design`.
    pub loses: Option<bool>,
    /// The verdict's word.
    pub did: String,
    /// All of the verdict.
    pub says: String,
}

impl Cell {
    /// Whether something was lost.
    pub fn lost(&self) -> bool {
        matches!(&self.did[..], "reproduced" | "otherwise wrong")
    }
}

impl Record {
    /// The one in this file; an empty one, if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn load(path: &Path) -> anyhow::Result<Record> {
        if !path.exists() {
            return Ok(Record::default());
        }
        let read = || -> anyhow::Result<Record> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
        read().with_context(|| path.display().to_string())
    }
}
