//! The herd of seed 000 in several shapes: threads that write and fsync, each in a file of its own, in journals that are short for them;
//! and barriers beside them.

use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use interlock_capture::kinds::allocated;
use interlock_capture::place::run as program;
use interlock_capture::threads::{self, Done, Kind, Run, Worker, scattered};
use rustix::ioctl::{Setter, ioctl, opcode};
use serde::{Deserialize, Serialize};

use crate::mounted::Mounted;

/// Bytes of a write, each with an fsync behind it.
const SIZE: u64 = 16 << 10;

/// Bytes of a file, and how many places of it are written: each write converts an extent.
const FILE: u64 = 1 << 20;
const WRITES: usize = 60;

/// Bytes of the disk.
pub(super) const DISK: u64 = 640 << 20;

/// Each run ends after this time.
const LIMIT: Duration = Duration::from_secs(6);

/// Threads, and MiB of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shape {
    /// The threads.
    pub threads: u64,
    /// MiB of the journal.
    pub journal: u32,
}

impl Shape {
    /// From half as many credits as may be reserved to 27 times as many (`threads * 18 / (j_max / 2)`), and back by a longer journal.
    pub const ALL: [Shape; 5] = [
        Shape::of(5, 4),
        Shape::of(16, 4),
        Shape::JUDGED,
        Shape::MOST,
        Shape::of(256, 64),
    ];

    /// The one of which it is judged whether its threads are a herd.
    pub const JUDGED: Shape = Shape::of(64, 4);

    /// The one beside which barriers are.
    pub const MOST: Shape = Shape::of(256, 4);

    pub(super) const fn of(threads: u64, journal: u32) -> Shape {
        Shape { threads, journal }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} threads, {} MiB", self.threads, self.journal)
    }
}

/// What a herd does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// With dioread_nolock.
    pub nolock: Side,
    /// With dioread_lock.
    pub lock: Side,
}

/// With one of both.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// Writes a second.
    pub rate: f64,
    /// How often a thread slept for each.
    pub sleeps: f64,
    /// How long a write and its fsync took, in ms: the mean.
    pub mean: f64,
    /// The longest.
    pub longest: f64,
    /// What the kernel has counted, if it counts.
    pub counted: Option<Counted>,
}

/// What jbd2-counters counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// How often a thread was woken that waited for credits, for each write.
    pub wake_ups: f64,
    /// How often credits were asked for, until they were reserved: for each reservation.
    pub attempts: f64,
}

/// What barriers beside a herd did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Barriers {
    /// How many.
    pub count: u32,
    /// How long the longest took, in ms.
    pub longest: f64,
}

/// Runs one on ext4.
///
/// # Errors
/// If a file system cannot be made, or a call fails.
pub fn run(root: &Path, shape: Shape) -> Result<Measured> {
    let side = |options| {
        let mounted = Mounted::ext4(root, DISK, shape.journal, options)?;
        Side::of(&mounted, shape)
    };
    Ok(Measured {
        nolock: side("dioread_nolock")?,
        lock: side("dioread_lock")?,
    })
}

impl Side {
    fn of(mounted: &Mounted, shape: Shape) -> Result<Side> {
        let before = Counters::read()?;
        let done = writes(mounted, shape.threads)?;
        let after = Counters::read()?;
        let writes = done.writes as f64;
        let took = done.took.as_secs_f64();
        let counted = before.zip(after).map(|(before, after)| {
            let [attempts, refusals, wake_ups] =
                [0, 1, 2].map(|at| f64::from(after.0[at].wrapping_sub(before.0[at])));
            Counted {
                wake_ups: wake_ups / writes,
                attempts: if attempts > 0.0 {
                    attempts / (attempts - refusals)
                } else {
                    0.0
                },
            }
        });
        Ok(Side {
            rate: writes / took,
            sleeps: done.sleeps as f64 / writes,
            mean: 1e3 * took * shape.threads as f64 / writes,
            longest: 1e3 * done.longest.as_secs_f64(),
            counted,
        })
    }
}

/// Threads, each with a file that has its blocks.
pub(super) fn workers(mounted: &Mounted, threads: u64) -> Result<Vec<Worker>> {
    let file = |thread: u64| mounted.dir.join(format!("f{thread}"));
    (0..threads).try_for_each(|thread| allocated(&file(thread), FILE))?;
    let worker = |thread| {
        Ok(Worker {
            kind: Kind::WriteSync,
            file: threads::open(&file(thread), false)?,
            offsets: scattered(thread, WRITES, SIZE, FILE),
        })
    };
    (0..threads).map(worker).collect()
}

/// They write, and fsync after each write, until the time is over.
pub(super) fn go(workers: Vec<Worker>) -> Result<Done> {
    let run = Run {
        size: usize::try_from(SIZE)?,
        limit: Some(LIMIT),
        ..Run::default()
    };
    threads::run(workers, &run)
}

/// Both.
///
/// # Errors
/// If a call fails.
pub(super) fn writes(mounted: &Mounted, threads: u64) -> Result<Done> {
    go(workers(mounted, threads)?)
}

/// Where debugfs is mounted, if the kernel has it.
pub(super) fn debugfs() -> Result<Option<&'static Path>> {
    let dir = Path::new("/sys/kernel/debug");
    if !dir.exists() {
        return Ok(None);
    }
    if !dir.join("block").exists() {
        program("mount", ["-t", "debugfs", "debugfs", "/sys/kernel/debug"])?;
    }
    Ok(Some(dir))
}

/// The files of jbd2-counters, as numbers.
struct Counters([u32; 3]);

impl Counters {
    /// `None`: the kernel does not count.
    fn read() -> Result<Option<Counters>> {
        let Some(dir) = debugfs()? else {
            return Ok(None);
        };
        let mut counts = [0; 3];
        for (count, name) in counts.iter_mut().zip(["attempts", "refusals", "wake_ups"]) {
            let path = dir.join(format!("jbd2_{name}"));
            if !path.exists() {
                return Ok(None);
            }
            let text = fs::read_to_string(&path)?;
            let number: i32 = text
                .trim()
                .parse()
                .with_context(|| path.display().to_string())?;
            *count = number.cast_unsigned();
        }
        Ok(Some(Counters(counts)))
    }
}

/// Barriers (EXT4_IOC_CHECKPOINT) one after the other, as long as a herd writes.
///
/// # Errors
/// As [`run`].
pub fn barriers(root: &Path, shape: Shape) -> Result<Barriers> {
    let mounted = Mounted::ext4(root, DISK, shape.journal, "dioread_nolock")?;
    let workers = workers(&mounted, shape.threads)?;
    let dir = fs::File::open(&mounted.dir)?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let mut barriers = Barriers::default();
            while !over.load(Ordering::SeqCst) {
                let began = Instant::now();
                checkpoint(&dir)?;
                let took = 1e3 * began.elapsed().as_secs_f64();
                barriers.count += 1;
                barriers.longest = barriers.longest.max(took);
            }
            anyhow::Ok(barriers)
        });
        let done = go(workers);
        over.store(true, Ordering::SeqCst);
        let barriers = beside
            .join()
            .map_err(|_| anyhow!("a thread has panicked"))?;
        done.and(barriers)
    })
}

/// EXT4_IOC_CHECKPOINT, `_IOW('f', 43, __u32)`: commits, and checkpoints all of the log, while no handle may start.
fn checkpoint(dir: &fs::File) -> Result<()> {
    const CHECKPOINT: rustix::ioctl::Opcode = opcode::write::<u32>(b'f', 43);
    // SAFETY: the ioctl reads an integer, its flags, and touches no other memory of this process.
    let done = unsafe { ioctl(dir, Setter::<CHECKPOINT, u32>::new(0)) };
    done.context("EXT4_IOC_CHECKPOINT")
}
