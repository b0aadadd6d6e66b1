//! What the kernels of the rack did (`interlock kernels`), as far as tables of the book show it; and how a record is kept.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::whole::write_whole;

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

    /// The verdict as a page has it.
    pub fn shown(&self) -> &'static str {
        match &self.did[..] {
            "reproduced" => "**lost**",
            "otherwise wrong" => "**lost**, though a step was not possible",
            "not possible" => "waited",
            _ => "kept",
        }
    }
}

/// The record in this file; an empty one, if there is none.
///
/// # Errors
///
/// If it cannot be read.
pub fn load<T: Default + DeserializeOwned>(path: &Path) -> Result<T> {
    if !path.exists() {
        return Ok(T::default());
    }
    let read = || -> Result<T> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
    read().with_context(|| path.display().to_string())
}

/// Writes a record into this file, whole.
///
/// # Errors
///
/// If it cannot be written.
pub fn store<T: Serialize>(path: &Path, record: &T) -> Result<()> {
    let text = serde_json::to_string_pretty(record)?;
    let dir = path.parent().context("a file is in a folder")?;
    let name = path.file_name().and_then(OsStr::to_str);
    write_whole(dir, name.context("a file has a name")?, format!("{text}\n"))
}
