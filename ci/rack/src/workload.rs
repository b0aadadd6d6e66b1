//! Workloads of the seeds, of which only what noise cannot move is judged.

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// A workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Workload {
    /// Seed 001.
    Unaligned,
}

/// What it did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {}

impl Workload {
    /// Runs it.
    pub fn run(self, _root: &Path) -> Result<Measured> {
        todo!()
    }
}
