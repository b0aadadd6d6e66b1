//! Seed 000: a journal of 4 MiB, with dioread_nolock and without; and how large a transaction may be in it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use interlock_capture::kinds::allocated;
use interlock_capture::threads::{self, Done, Kind, Run, Worker, scattered};
use serde::{Deserialize, Serialize};

use crate::mounted::Mounted;
use crate::plan::Fs;

/// Threads, each with a file of its own.
const THREADS: u64 = 64;

/// Bytes of a write, each with an fsync behind it.
const SIZE: u64 = 16 << 10;

/// Each ends after this time.
const LIMIT: Duration = Duration::from_secs(6);

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
    let length = 1 << 20;
    let file = |thread: u64| mounted.dir.join(format!("f{thread}"));
    (0..THREADS).try_for_each(|thread| allocated(&file(thread), length))?;
    let workers = (0..THREADS).map(|thread| {
        Ok(Worker {
            kind: Kind::WriteSync,
            file: threads::open(&file(thread), false)?,
            offsets: scattered(thread, 60, SIZE, length),
        })
    });
    let run = Run {
        size: usize::try_from(SIZE)?,
        limit: Some(LIMIT),
        ..Run::default()
    };
    let done = threads::run(workers.collect::<Result<_>>()?, &run)?;
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
