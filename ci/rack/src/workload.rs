//! Workloads of the seeds in a guest, of which only what noise cannot move is judged: counts, not rates.

pub mod costs;
pub mod cuts;
pub mod herd;
pub mod journal;
pub mod lock;
pub mod spoken;
pub mod unaligned;

use std::path::Path;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::plan::Fs;

/// A workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Workload {
    /// Seed 000: a journal of 4 MiB.
    Journal,
    /// Seed 001: direct writes of a part of a block, by several threads.
    Unaligned,
    /// Seed 004: readers and a writer of one file of XFS.
    Lock,
    /// Seed 000 in this shape.
    Herd(herd::Shape),
    /// Barriers beside such a herd.
    Barriers(herd::Shape),
    /// Losses of power beside one.
    Cuts(cuts::Cuts),
    /// Direct writes of one file, of this file system.
    Costs(Fs),
    /// What those do who reserve credits, as the kernel tells it.
    Spoken,
}

impl Workload {
    /// Those that each kernel of the rack runs.
    pub const ALL: [Workload; 3] = [Workload::Journal, Workload::Unaligned, Workload::Lock];

    /// Runs it, with its file systems below `root`.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn run(self, root: &Path) -> Result<Measured> {
        match self {
            Workload::Journal => journal::run(root).map(Measured::Journal),
            Workload::Unaligned => unaligned::run(root).map(Measured::Unaligned),
            Workload::Lock => lock::run(root).map(Measured::Lock),
            Workload::Herd(shape) => herd::run(root, shape).map(Measured::Herd),
            Workload::Cuts(cuts) => cuts::run(root, cuts).map(Measured::Cuts),
            Workload::Costs(fs) => costs::run(root, fs).map(Measured::Costs),
            Workload::Spoken => spoken::run(root).map(Measured::Spoken),
            Workload::Barriers(shape) => herd::barriers(root, shape).map(Measured::Barriers),
        }
    }
}

/// What a workload has measured.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Measured {
    /// Of [`Workload::Journal`].
    Journal(journal::Measured),
    /// Of [`Workload::Unaligned`].
    Unaligned(unaligned::Measured),
    /// Of [`Workload::Lock`].
    Lock(lock::Measured),
    /// Of [`Workload::Herd`].
    Herd(herd::Measured),
    /// Of [`Workload::Barriers`].
    Barriers(herd::Barriers),
    /// Of [`Workload::Cuts`].
    Cuts(cuts::Measured),
    /// Of [`Workload::Costs`].
    Costs(Vec<costs::Cost>),
    /// Of [`Workload::Spoken`].
    Spoken(spoken::Told),
}
