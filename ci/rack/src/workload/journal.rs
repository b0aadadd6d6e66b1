//! Seed 000: a journal of 4 MiB, with dioread_nolock and without; and how large a transaction may be in it.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use interlock_capture::threads::Done;
use serde::{Deserialize, Serialize};

use super::herd;
use crate::mounted::Mounted;
use crate::plan::Fs;

/// Threads, each with a file of its own.
const THREADS: u64 = 64;

/// Blocks of the log.
pub const LOG: u32 = 1024;

/// What was measured.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Blocks of the largest transaction: j_max.
    pub largest: u32,
    /// Writes a second with dioread_nolock.
    pub nolock: f64,
    /// The same with dioread_lock.
    pub lock: f64,
    /// How often a thread slept for each of the former, and of the latter.
    #[serde(default)]
    pub sleeps: Option<[f64; 2]>,
}

/// Runs it on ext4.
///
/// # Errors
/// If a file system cannot be made, or the kernel does not tell of its journal.
pub fn run(root: &Path) -> Result<Measured> {
    let (largest, nolock) = writes(root, "dioread_nolock")?;
    let (_, lock) = writes(root, "dioread_lock")?;
    let per_second = |done: Done| done.writes as f64 / done.took.as_secs_f64();
    let sleeps = |done: Done| done.sleeps as f64 / done.writes as f64;
    Ok(Measured {
        largest,
        nolock: per_second(nolock),
        lock: per_second(lock),
        sleeps: Some([sleeps(nolock), sleeps(lock)]),
    })
}

/// j_max, and what the threads did, mounted so.
fn writes(root: &Path, options: &str) -> Result<(u32, Done)> {
    let mounted = Mounted::new(root, Fs::Ext4, options)?;
    let done = herd::writes(&mounted, THREADS)?;
    Ok((largest()?, done))
}

/// `each up to 341 blocks`, of the one journal that is there.
fn largest() -> Result<u32> {
    for entry in fs::read_dir("/proc/fs/jbd2")? {
        let text = fs::read_to_string(entry?.path().join("info"))?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let found = words
            .windows(4)
            .find(|words| words[..3] == ["each", "up", "to"]);
        if let Some(words) = found {
            return words[3].parse().with_context(|| format!("{words:?}"));
        }
    }
    anyhow::bail!("/proc/fs/jbd2 does not say how large a transaction may be")
}
