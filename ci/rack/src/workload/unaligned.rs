//! Seed 001: do direct writes of less than a block go on together? The disk holds each back until all have come, or no more come.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use interlock_capture::kinds::written;
use interlock_capture::threads::{self, Kind, Run, Worker};
use interlock_disk::{Then, Write};
use serde::{Deserialize, Serialize};

use crate::mounted::Mounted;
use crate::plan::{BLOCK, Fs};

/// Threads, each with a block of its own.
pub const THREADS: u64 = 4;

/// No more come when none has for this time.
const QUIET: Duration = Duration::from_secs(2);

/// What the threads' writes begin with; `threads` fills its buffers with it.
const BYTE: u8 = 0x5a;

/// How many writes the disk had at one time, at most.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Measured {
    /// Of 512 bytes each, to a written file.
    pub parts: usize,
    /// Of 4096 bytes each.
    pub blocks: usize,
}

/// Runs it on ext4.
///
/// # Errors
/// If a file system cannot be made.
pub fn run(root: &Path) -> Result<Measured> {
    let mounted = Mounted::new(root, Fs::Ext4, "")?;
    Ok(Measured {
        parts: together(&mounted, "parts", 512)?,
        blocks: together(&mounted, "blocks", BLOCK)?,
    })
}

fn together(mounted: &Mounted, name: &str, size: u64) -> Result<usize> {
    let path = mounted.dir.join(name);
    written(&path, (THREADS * BLOCK) as usize)?;
    let workers = (0..THREADS).map(|thread| {
        Ok(Worker {
            kind: Kind::Write,
            file: threads::open(&path, true)?,
            offsets: vec![thread * BLOCK],
        })
    });
    let workers = workers.collect::<Result<_>>()?;
    let arrived = Arc::new(Mutex::new((BTreeSet::new(), Instant::now())));
    let noted = arrived.clone();
    mounted.disk.obey(move |write: &Write<'_>| {
        if write.bytes.len() as u64 != size || write.bytes.iter().any(|byte| *byte != BYTE) {
            return Then::Now;
        }
        let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
        noted.0.insert(write.number);
        noted.1 = Instant::now();
        Then::Hold
    });
    let run = Run {
        size: usize::try_from(size)?,
        ..Run::default()
    };
    let threads = thread::scope(|scope| {
        let running = scope.spawn(|| threads::run(workers, &run));
        while !running.is_finished() {
            thread::sleep(Duration::from_millis(1));
            let quiet = {
                let arrived = arrived.lock().unwrap_or_else(PoisonError::into_inner);
                arrived.1.elapsed() > QUIET
            };
            if mounted.disk.held().len() as u64 == THREADS || quiet {
                mounted.disk.release_all();
            }
        }
        running.join()
    });
    threads.map_err(|_| anyhow::anyhow!("a thread has panicked"))??;
    Ok(mounted.disk.most_held())
}
