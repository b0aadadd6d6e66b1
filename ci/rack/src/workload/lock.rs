//! Seed 004: how long do readers and writers of one file of XFS wait for its i_rwsem, and how often is a waiter passed?
//!
//! A task is in its slow path between the kprobes on that function and on its return; who has had the lock gives it up with an
//! `xfs_iunlock`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use interlock_capture::instance::Instance;
use interlock_capture::kinds::written;
use interlock_capture::place;
use interlock_capture::threads::{self, Kind, Run, Worker, scattered};
use interlock_traces::kernel::family::Family;
use interlock_traces::kernel::line::Line;
use serde::{Deserialize, Serialize};

use crate::mounted::Mounted;
use crate::plan::Fs;

/// Bytes of a call, through the page cache.
const SIZE: u64 = 8 << 10;

/// Bytes of the file.
const LENGTH: u64 = 16 << 20;

/// A mix ends after this time.
const LIMIT: Duration = Duration::from_secs(3);

/// The events, by the names that the kernels' tables have for them.
const EVENTS: [&str; 5] = [
    "read_slow",
    "read_slow_end",
    "write_slow",
    "write_slow_end",
    "iunlock",
];

/// What was measured.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Measured {
    /// One writer and six readers: whoever passes a reader is that writer.
    pub alone: Mix,
    /// Four writers and four readers.
    pub crowd: Mix,
}

/// Of readers and writers together.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Mix {
    /// Its readers.
    pub readers: Side,
    /// Its writers.
    pub writers: Side,
}

/// Of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// Calls a second.
    pub calls: f64,
    /// How often one has waited.
    pub waits: u64,
    /// The longest wait, in ms.
    pub longest: f64,
    /// How often writers have had the lock while one waited, at most, but for the one who had it already.
    pub by_writers: u64,
    /// The same of readers, but for as many as there are, who may have had it already.
    pub by_readers: u64,
}

/// Runs it on XFS.
///
/// # Errors
/// If the file system cannot be made, the kernel takes no kprobes, or nobody has waited.
pub fn run(root: &Path) -> Result<Measured> {
    let mounted = Mounted::new(root, Fs::Xfs, "")?;
    let path = mounted.dir.join("f");
    written(&path, LENGTH as usize)?;
    let tracefs = place::tracefs()?;
    let family = Family::of(&interlock_capture::release())?;
    let mix = |readers, writers| mix(&path, &tracefs, &family, readers, writers);
    Ok(Measured {
        alone: mix(6, 1)?,
        crowd: mix(4, 4)?,
    })
}

fn mix(path: &Path, tracefs: &Path, family: &Family, readers: u64, writers: u64) -> Result<Mix> {
    let workers = (0..readers + writers).map(|thread| {
        let offsets = scattered(thread, 60_000, SIZE, LENGTH);
        Ok(Worker {
            kind: if thread < writers {
                Kind::Write
            } else {
                Kind::Read
            },
            file: threads::open(path, false)?,
            offsets: offsets.into_iter().cycle().take(200_000).collect(),
        })
    });
    let run = Run {
        size: usize::try_from(SIZE)?,
        limit: Some(LIMIT),
        ..Run::default()
    };
    let workers = workers.collect::<Result<_>>()?;
    let mut kinds = Vec::new();
    for name in EVENTS {
        let kind = family.named(name)?;
        kinds.push(kind.with_context(|| format!("this kernel has no {name}"))?);
    }
    let device = std::os::linux::fs::MetadataExt::st_dev(&fs::metadata(path)?);
    let instance = Instance::new(tracefs)?;
    let device = (rustix::fs::major(device), rustix::fs::minor(device));
    instance.start(&kinds, device, false)?;
    let done = threads::run(workers, &run)?;
    let text = tempfile::NamedTempFile::new()?;
    instance.finish(text.path(), &[])?;
    let mut mix = waits(&fs::read_to_string(text.path())?, readers);
    ensure!(mix.readers.waits > 0, "no reader has waited for the lock");
    mix.readers.calls = done.reads as f64 / done.took.as_secs_f64();
    mix.writers.calls = done.writes as f64 / done.took.as_secs_f64();
    Ok(mix)
}

/// A task that waits: since when, and how often writers and readers have given up the lock since.
#[derive(Debug, Clone, Copy)]
struct Waits {
    since: u64,
    writers: u64,
    readers: u64,
}

/// The waits in a trace; each task is a reader's or a writer's by its name.
fn waits(text: &str, readers: u64) -> Mix {
    let mut waiting: BTreeMap<u32, Waits> = BTreeMap::new();
    let mut mix = Mix::default();
    for line in text.lines() {
        // Of what was before, only some processors have kept their events.
        if line.ends_with("buffer started ####") {
            waiting.clear();
        }
        let Some(Line::Event(event)) = Line::parse(line) else {
            continue;
        };
        let side = match event.comm.get(..4) {
            Some("wl-r") => &mut mix.readers,
            Some("wl-w") => &mut mix.writers,
            _ => continue,
        };
        match event.name {
            "interlock_read_slow" | "interlock_write_slow" => {
                let since = event.time;
                let begins = Waits {
                    since,
                    writers: 0,
                    readers: 0,
                };
                waiting.insert(event.pid, begins);
            }
            "interlock_read_slow_end" | "interlock_write_slow_end" => {
                if let Some(waited) = waiting.remove(&event.pid) {
                    let ms = event.time.saturating_sub(waited.since) as f64 / 1e6;
                    side.waits += 1;
                    side.longest = side.longest.max(ms);
                    side.by_writers = side.by_writers.max(waited.writers.saturating_sub(1));
                    side.by_readers = side.by_readers.max(waited.readers.saturating_sub(readers));
                }
            }
            "xfs_iunlock" if event.body.contains("IOLOCK_EXCL") => {
                waiting.values_mut().for_each(|waits| waits.writers += 1);
            }
            "xfs_iunlock" if event.body.contains("IOLOCK_SHARED") => {
                waiting.values_mut().for_each(|waits| waits.readers += 1);
            }
            _ => {}
        }
    }
    mix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_counted_behind_the_hold_that_was_and_the_wait_that_is_known() {
        let line = |comm: &str, pid: u32, time: &str, event: &str| {
            format!("  {comm}-{pid}  [000] ..... {time}: {event}\n")
        };
        let unlock = |kind: &str| {
            format!("xfs_iunlock: dev 7:0 ino 0x83 flags {kind} caller xfs_file_buffered_write")
        };
        let slow = |what: &str| format!("interlock_{what}: (rwsem_down_read_slowpath+0x0/0x1)");
        let text = [
            line("wl-r5", 14, "0.500000", &slow("read_slow")),
            "##### CPU 1 buffer started ####\n".to_owned(),
            line("wl-w0", 10, "1.000000", &unlock("IOLOCK_EXCL")),
            line("wl-r5", 14, "1.500000", &slow("read_slow_end")),
            line("wl-r1", 11, "2.000000", &slow("read_slow")),
            line("wl-w0", 10, "3.000000", &unlock("IOLOCK_EXCL")),
            line("wl-w0", 10, "4.000000", &unlock("IOLOCK_EXCL")),
            line("wl-w2", 12, "4.500000", &slow("write_slow")),
            line("wl-w0", 10, "5.000000", &unlock("IOLOCK_EXCL")),
            line("wl-r3", 13, "5.500000", &unlock("IOLOCK_SHARED")),
            line("wl-r1", 11, "6.000000", &slow("read_slow_end")),
            line("wl-r1", 11, "6.100000", &unlock("IOLOCK_SHARED")),
            line("wl-w2", 12, "7.500000", &slow("write_slow_end")),
        ];
        let mix = waits(&text.concat(), 1);
        let of = |side: Side| (side.waits, side.longest, side.by_writers, side.by_readers);
        assert_eq!(of(mix.readers), (1, 4_000.0, 2, 0));
        assert_eq!(of(mix.writers), (1, 3_000.0, 0, 1));
    }
}
