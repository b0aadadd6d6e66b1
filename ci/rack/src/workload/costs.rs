//! What direct writes of one file cost: at EOF, in the middle, appended, mixed, and beside truncates; one at a time and many, on a disk
//! that takes the same time for each and any number at once.
//!
//! A cost is the time of a write, over that of one that no patch of [`Fs`] touches, measured just before in the same way: of two kernels
//! these can be compared, though one is run later and beside another load.

use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use interlock_capture::aligned::Aligned;
use interlock_capture::kinds::written;
use interlock_capture::{place, threads};
use io_uring::{IoUring, opcode, types};
use serde::{Deserialize, Serialize};

use crate::call;
use crate::figures;
use crate::mounted::JOURNAL;
use crate::plan::{BLOCK, Fs};

/// How often each is measured.
const ROUNDS: usize = 9;

/// Each time for so long.
const LIMIT: Duration = Duration::from_millis(150);

/// What the disk takes for a write, in ns.
const LATENCY: u64 = 500_000;

/// MiB of the disk: XFS needs some hundred.
const DISK: u64 = 512;

/// Bytes of a write of less than a block.
const PART: u64 = 512;

/// Whole blocks of the file. Behind them are four parts, so that EOF is in the middle of a block.
const BLOCKS: u64 = 255;

/// Bytes of the file.
const SIZE: u64 = BLOCKS * BLOCK + 4 * PART;

/// How a write is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// By pwrite, the next when it is done.
    Call,
    /// By io_uring, the next when it is done.
    Ring,
    /// By io_uring, so many at once.
    Many,
}

impl By {
    /// All.
    pub const ALL: [By; 3] = [By::Call, By::Ring, By::Many];

    /// Writes at once.
    pub fn depth(self) -> u32 {
        match self {
            By::Call | By::Ring => 1,
            By::Many => 32,
        }
    }
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// A block in the middle: by which others are measured.
    Block,
    /// A part of a block in the middle.
    Part,
    /// A part that ends at EOF.
    PartAtEof,
    /// A block that ends at EOF.
    BlockAtEof,
    /// A block at EOF, which is behind it then.
    Append,
    /// Of 16 writes one part that ends at EOF, one in the middle, and blocks.
    Mixed,
    /// Blocks in the middle; before each sixteenth the file grows by a part.
    BesideGrow,
}

impl Shape {
    /// Those that are told.
    pub const TOLD: [Shape; 6] = [
        Shape::Part,
        Shape::PartAtEof,
        Shape::BlockAtEof,
        Shape::Append,
        Shape::Mixed,
        Shape::BesideGrow,
    ];

    /// Bytes of the file before its first write.
    fn size(self) -> u64 {
        match self {
            Shape::BlockAtEof | Shape::Append => BLOCKS * BLOCK,
            _ => SIZE,
        }
    }

    /// Where its write of this number begins, and its bytes.
    fn place(self, number: u64) -> (u64, u64) {
        // Not the last whole block: a part at EOF may be next to it.
        let block = number.wrapping_mul(89) % (BLOCKS - 1) * BLOCK;
        let part = (block + number % (BLOCK / PART) * PART, PART);
        let at_eof = (SIZE - PART, PART);
        match self {
            Shape::Block | Shape::BesideGrow => (block, BLOCK),
            Shape::Part => part,
            Shape::PartAtEof => at_eof,
            Shape::BlockAtEof => ((BLOCKS - 1) * BLOCK, BLOCK),
            Shape::Append => ((BLOCKS + number) * BLOCK, BLOCK),
            Shape::Mixed => match number % 16 {
                3 => at_eof,
                11 => part,
                _ => (block, BLOCK),
            },
        }
    }

    /// Bytes of the file that it has before the write of this number, if it grows then.
    fn grows(self, number: u64) -> Option<u64> {
        let grows = self == Shape::BesideGrow && number.is_multiple_of(16);
        grows.then(|| SIZE + (1 + number / 16) * PART)
    }
}

/// What a shape costs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cost {
    /// What is written.
    pub shape: Shape,
    /// How.
    pub by: By,
    /// The time of a write over that of a [`Shape::Block`], of each round.
    pub ratios: Vec<f64>,
}

impl Cost {
    /// The median of its ratios; there is one at least.
    pub fn median(&self) -> f64 {
        figures::median(&self.ratios)
    }

    /// The one of this shape that was made so.
    pub fn of(costs: &[Cost], shape: Shape, by: By) -> Option<&Cost> {
        costs
            .iter()
            .find(|cost| cost.shape == shape && cost.by == by)
    }
}

/// Measures it.
///
/// # Errors
/// If the kernel has no null_blk that is made by configfs, or a call fails.
pub fn run(root: &Path, fs: Fs) -> Result<Vec<Cost>> {
    let disk = Disk::new(fs, root)?;
    let path = disk.dir.join("f");
    written(&path, usize::try_from(SIZE)?)?;
    let file = threads::open(&path, true)?;
    let mut costs = Vec::new();
    for by in By::ALL {
        let known = costs.len();
        costs.extend(Shape::TOLD.map(|shape| Cost {
            shape,
            by,
            ratios: Vec::new(),
        }));
        for _ in 0..ROUNDS {
            for cost in &mut costs[known..] {
                let unit = time(&file, Shape::Block, by)?;
                cost.ratios.push(time(&file, cost.shape, by)? / unit);
            }
        }
    }
    Ok(costs)
}

/// Seconds that a write takes of those that are made one behind the other, and so many at once.
fn time(file: &File, shape: Shape, by: By) -> Result<f64> {
    // What another shape has put behind it is gone, and its last block is not in the page cache.
    file.set_len(shape.size())?;
    file.sync_all()?;
    let buffer = Aligned::of(&vec![0x5a; usize::try_from(BLOCK)?]);
    let began = Instant::now();
    let next = |number: u64| {
        if began.elapsed() >= LIMIT {
            return Ok(None);
        }
        if let Some(size) = shape.grows(number) {
            file.set_len(size)?;
        }
        let (from, length) = shape.place(number);
        anyhow::Ok(Some((from, usize::try_from(length)?)))
    };
    let count = match by {
        By::Call => calls(file, &buffer, next),
        By::Ring | By::Many => ring(file, &buffer, by.depth(), next),
    }?;
    Ok(began.elapsed().as_secs_f64() / count as f64)
}

/// Where a write begins, and its bytes; none, if there are no more.
type Place = Option<(u64, usize)>;

/// Writes by pwrite; how many.
fn calls(file: &File, buffer: &[u8], next: impl Fn(u64) -> Result<Place>) -> Result<u64> {
    let mut count = 0;
    while let Some((from, length)) = next(count)? {
        file.write_all_at(&buffer[..length], from)?;
        count += 1;
    }
    Ok(count)
}

/// Writes by io_uring, so many at once; how many.
fn ring(
    file: &File,
    buffer: &[u8],
    depth: u32,
    next: impl Fn(u64) -> Result<Place>,
) -> Result<u64> {
    let mut ring = IoUring::new(depth).context("io_uring_setup")?;
    let (mut begun, mut done) = (0, 0);
    let push = |ring: &mut IoUring, begun: &mut u64| -> Result<()> {
        let Some((from, length)) = next(*begun)? else {
            return Ok(());
        };
        let fd = types::Fd(file.as_raw_fd());
        let entry = opcode::Write::new(fd, buffer.as_ptr(), u32::try_from(length)?)
            .offset(from)
            .build()
            .user_data(length as u64);
        // SAFETY: the buffer and the file live until each completion has been seen, below; nobody writes to the buffer.
        unsafe { ring.submission().push(&entry) }.context("the ring is full")?;
        *begun += 1;
        Ok(())
    };
    // What is wrong is said when nothing is in flight any more.
    let mut wrong = Ok(());
    for _ in 0..depth {
        wrong = wrong.and_then(|()| push(&mut ring, &mut begun));
    }
    while done < begun {
        call::submit_and_wait(&mut ring);
        let ended: Vec<(i32, u64)> = ring
            .completion()
            .map(|entry| (entry.result(), entry.user_data()))
            .collect();
        for (result, length) in ended {
            done += 1;
            wrong = wrong
                .and_then(|()| {
                    ensure!(
                        u64::try_from(result) == Ok(length),
                        "a write of {length} bytes: {result}"
                    );
                    Ok(())
                })
                .and_then(|()| push(&mut ring, &mut begun));
        }
    }
    wrong.map(|()| done)
}

/// A file system on a null_blk of its own, which is gone with it.
struct Disk {
    dir: PathBuf,
    device: PathBuf,
}

/// Where configfs has devices of null_blk, and what this one is called: there, and in /dev.
const DEVICES: &str = "/sys/kernel/config/nullb";
const NAME: &str = "interlock";

impl Disk {
    fn new(fs: Fs, root: &Path) -> Result<Disk> {
        if !Path::new(DEVICES).exists() {
            place::run(
                "mount",
                ["-t", "configfs", "configfs", "/sys/kernel/config"],
            )?;
        }
        let disk = Disk {
            dir: root.join("costs"),
            device: Path::new(DEVICES).join(NAME),
        };
        fs::create_dir(&disk.device).context("null_blk")?;
        let latency = LATENCY.to_string();
        let size = DISK.to_string();
        for (name, value) in [
            ("size", &size[..]),
            ("memory_backed", "1"),
            // A timer says that it is done.
            ("irqmode", "2"),
            ("completion_nsec", &latency),
            ("power", "1"),
        ] {
            fs::write(disk.device.join(name), value)
                .with_context(|| format!("null_blk: {name}"))?;
        }
        let device = Path::new("/dev").join(NAME);
        let format = fs.format(JOURNAL);
        let format: Vec<&str> = format.iter().map(String::as_str).collect();
        place::make(&format, device.as_os_str())?;
        fs::create_dir_all(&disk.dir)?;
        place::run("mount", [device.as_os_str(), disk.dir.as_os_str()])?;
        Ok(disk)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // It is mounted, if it came so far.
        if let Err(error) = place::run("umount", [&self.dir]) {
            eprintln!("{error:#}");
        }
        if let Err(error) = fs::remove_dir(&self.device) {
            eprintln!("{}: {error}", self.device.display());
        }
    }
}
