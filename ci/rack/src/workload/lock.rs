//! Seed 004: how often does one writer take XFS's i_rwsem past a reader that waits for it?
//!
//! A reader is in its slow path between kprobes on `rwsem_down_read_slowpath` and its return, which every release has; the writer
//! has had the lock once more at each `xfs_iunlock` of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use interlock_capture::kinds::written;
use interlock_capture::threads::{self, Kind, Run, Worker, scattered};
use interlock_traces::kernel::line::Line;
use rustix::mount::{MountFlags, mount};
use serde::{Deserialize, Serialize};

use crate::mounted::Mounted;
use crate::plan::Fs;

/// Readers beside the one writer.
const READERS: u64 = 6;

/// Bytes of a call, through the page cache.
const SIZE: u64 = 8 << 10;

/// Bytes of the file.
const LENGTH: u64 = 16 << 20;

/// It ends after this time.
const LIMIT: Duration = Duration::from_secs(8);

const TRACEFS: &str = "/sys/kernel/tracing";

/// `r64`: as many returns are remembered as there may be at once.
const PROBES: [&str; 2] = [
    "p:interlock/slow rwsem_down_read_slowpath",
    "r64:interlock/taken rwsem_down_read_slowpath",
];

/// What was measured.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Measured {
    /// How often the writer passed one waiting reader, at most.
    pub passed: u64,
    /// How often a reader waited.
    pub waits: u64,
    /// The longest wait of a reader, in ms.
    pub longest: f64,
    /// Reads a second.
    pub reads: f64,
    /// Writes a second.
    pub writes: f64,
}

/// Runs it on XFS.
///
/// # Errors
/// If the file system cannot be made, the kernel takes no kprobes, or no reader has waited.
pub fn run(root: &Path) -> Result<Measured> {
    let mounted = Mounted::new(root, Fs::Xfs, "")?;
    let path = mounted.dir.join("f");
    written(&path, LENGTH as usize)?;
    let none: Option<&std::ffi::CStr> = None;
    match mount("none", TRACEFS, "tracefs", MountFlags::empty(), none) {
        Ok(()) | Err(rustix::io::Errno::BUSY) => {}
        Err(error) => return Err(error).context("there is no tracefs"),
    }
    put("trace_clock", "global")?;
    put("buffer_size_kb", "32768")?;
    for probe in PROBES {
        add("kprobe_events", probe)?;
    }
    let events = ["interlock", "xfs/xfs_iunlock"];
    for event in events {
        put(&format!("events/{event}/enable"), "1")?;
    }
    let workers = (0..=READERS).map(|thread| {
        Ok(Worker {
            kind: if thread == 0 { Kind::Write } else { Kind::Read },
            file: threads::open(&path, false)?,
            offsets: scattered(thread, 60_000, SIZE, LENGTH)
                .into_iter()
                .cycle()
                .take(200_000)
                .collect(),
        })
    });
    let run = Run {
        size: usize::try_from(SIZE)?,
        limit: Some(LIMIT),
        ..Run::default()
    };
    put("trace", "")?;
    put("tracing_on", "1")?;
    let done = threads::run(workers.collect::<Result<_>>()?, &run);
    put("tracing_on", "0")?;
    for event in events {
        put(&format!("events/{event}/enable"), "0")?;
    }
    let done = done?;
    let text = fs::read_to_string(Path::new(TRACEFS).join("trace"))?;
    put("trace", "")?;
    put("kprobe_events", "")?;
    let (passed, waits, longest) = passes(&text);
    ensure!(waits > 0, "no reader has waited for the lock");
    Ok(Measured {
        passed,
        waits,
        longest: longest as f64 / 1e6,
        reads: done.reads as f64 / done.took.as_secs_f64(),
        writes: done.writes as f64 / done.took.as_secs_f64(),
    })
}

fn put(file: &str, text: &str) -> Result<()> {
    let path = Path::new(TRACEFS).join(file);
    fs::write(&path, text).with_context(|| format!("{} does not take {text}", path.display()))
}

/// Behind what is there.
fn add(file: &str, text: &str) -> Result<()> {
    let path = Path::new(TRACEFS).join(file);
    let mut file = fs::File::options().append(true).open(&path)?;
    std::io::Write::write_all(&mut file, text.as_bytes())
        .with_context(|| format!("{} does not take {text}", path.display()))
}

/// Of all waits of readers: how often the writer had the lock meanwhile, at most, but for the time that it had it already; how many
/// waits there are; the longest, in ns.
fn passes(text: &str) -> (u64, u64, u64) {
    let mut waiting: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let (mut most, mut waits, mut longest) = (0, 0, 0);
    for line in text.lines() {
        let Some(Line::Event(event)) = Line::parse(line) else {
            continue;
        };
        let reader = event.comm.starts_with("wl-r");
        match event.name {
            "slow" if reader => {
                waiting.insert(event.pid, (event.time, 0));
            }
            "taken" if reader => {
                if let Some((since, passed)) = waiting.remove(&event.pid) {
                    most = most.max(passed.saturating_sub(1));
                    waits += 1;
                    longest = longest.max(event.time.saturating_sub(since));
                }
            }
            "xfs_iunlock"
                if event.comm.starts_with("wl-w") && event.body.contains("IOLOCK_EXCL") =>
            {
                waiting.values_mut().for_each(|(_, passed)| *passed += 1);
            }
            _ => {}
        }
    }
    (most, waits, longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_counted_behind_the_hold_that_was() {
        let line = |comm: &str, pid: u32, time: &str, event: &str| {
            format!("  {comm}-{pid}  [000] ..... {time}: {event}\n")
        };
        let unlock =
            "xfs_iunlock: dev 7:0 ino 0x83 flags IOLOCK_EXCL caller xfs_file_buffered_write";
        let text = [
            line("wl-w0", 10, "1.000000", unlock),
            line(
                "wl-r1",
                11,
                "2.000000",
                "slow: (rwsem_down_read_slowpath+0x0/0x1)",
            ),
            line("wl-w0", 10, "3.000000", unlock),
            line("wl-w0", 10, "4.000000", unlock),
            line("wl-w0", 10, "5.000000", unlock),
            line(
                "wl-r1",
                11,
                "6.000000",
                "taken: (down_read+0x1/0x2 <- rwsem_down_read_slowpath)",
            ),
        ];
        assert_eq!(passes(&text.concat()), (2, 1, 4_000_000_000));
    }
}
