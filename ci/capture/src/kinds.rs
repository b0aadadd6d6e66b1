//! What is captured of each area: a file system, a bounded workload, and the events that are recorded.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use rustix::fs::{FallocateFlags, fallocate};

use super::threads::{self, Kind, Run, Worker, scattered};

/// Bytes of a block.
const BLOCK: u64 = 4096;

/// The least that a direct write may be of, in bytes.
const SECTOR: u64 = 512;

/// Blocks of the file that is written to across their borders: three for each of 8 rounds, and one behind.
const ACROSS: u64 = 25;

/// Where the kernel has it.
const SCHEDULER: &str = "mq-deadline";

/// One capture.
pub struct Capture {
    /// Its name: that of the trace's file.
    pub name: &'static str,
    /// The area whose specification it is judged by.
    pub area: &'static str,
    /// MiB of the image.
    pub size: u64,
    /// The program that makes the file system, with its options.
    pub format: &'static [&'static str],
    /// The options that it is mounted with.
    pub options: &'static str,
    /// The events, by the names that the kernels' tables have for them.
    pub events: &'static [&'static str],
    /// Those that are recorded only here, where they are few: of functions that everybody calls.
    pub probes: &'static [&'static str],
    /// Only those of the workload's own threads.
    pub own: bool,
    /// What is there before; it is then mounted anew.
    pub prepare: fn(&Path) -> Result<()>,
    /// What is done to it then, before the record begins.
    pub warm: fn(&Path) -> Result<()>,
    /// The workload, in words and as code.
    pub says: &'static str,
    /// See `says`.
    pub work: fn(&Path, &File) -> Result<()>,
}

const EXT4: &[&str] = &["mkfs.ext4", "-q", "-b", "4096", "-J", "size=4"];
const XFS: &[&str] = &["mkfs.xfs", "-q", "-b", "size=4096"];

/// Of a journal.
pub const JOURNAL_EVENTS: &[&str] = &[
    "journal_start",
    "journal_start_sb",
    "journal_start_reserved",
    "handle_start",
    "handle_extend",
    "handle_restart",
    "handle_stop",
    "commit_start",
    "commit_lock",
    "commit_flush",
    "commit_log",
    "run_stats",
    "commit_end",
    "checkpoint",
    "checkpoint_stats",
    "drop_transaction",
    "update_log_tail",
];

/// Of XFS's i_rwsem.
pub const LOCK_EVENTS: &[&str] = &[
    "ilock",
    "ilock_nowait",
    "iunlock",
    "ilock_demote",
    "contention_begin",
    "contention_end",
    "waking",
    "switch",
    "spin",
];

/// What functions that all locks of the machine go through show of it.
const LOCK_PROBES: &[&str] = &[
    "slow_path",
    "slow_path_end",
    "osq_lock",
    "spin_end",
    "mark_wake",
];

/// Of direct writes to ext4.
pub const DIRECT_EVENTS: &[&str] = &[
    "extent_status",
    "journal_start",
    "handle_stop",
    "dio_begin",
    "dio_complete",
    "iomap_iter",
    "iomap_mapping",
    "contention_begin",
    "contention_end",
    "drain",
    "drain_end",
];

pub(crate) const WRITEBACK_EVENTS: &[&str] = &[
    "dirty_inode",
    "wb_queue",
    "wb_exec",
    "wb_start",
    "queue_io",
    "single_inode_start",
    "single_inode",
    "inode_requeue",
    "pages_written",
    "wb_written",
    "plug",
    "unplug",
    "bio_queue",
    "bio_backmerge",
    "bio_frontmerge",
    "request_issue",
];

/// Direct writes to a file of ext4. The other kinds of them are this one, but for what they say.
const DIRECT_WRITTEN: Capture = Capture {
    name: "dio-written",
    area: "dio",
    size: 64,
    format: EXT4,
    options: "noatime",
    events: DIRECT_EVENTS,
    probes: &[],
    own: true,
    prepare: |dir| written(&dir.join("f"), 1 << 20),
    warm: direct_once,
    says: "4 threads write the quarters of one block after the other, with O_DIRECT, the file written",
    work: direct,
};

/// All of them.
pub const CAPTURES: &[Capture] = &[
    Capture {
        name: "jbd2-nolock",
        area: "jbd2",
        size: 128,
        format: EXT4,
        options: "noatime,nodiratime,data=ordered,dioread_nolock",
        events: JOURNAL_EVENTS,
        probes: &[],
        own: false,
        prepare: journal_files,
        warm: cold,
        says: "16 threads, each 6 writes of 16 KiB to a file of its own that is allocated and not written, with fsync",
        work: journal,
    },
    Capture {
        name: "jbd2-lock",
        area: "jbd2",
        size: 128,
        format: EXT4,
        options: "noatime,nodiratime,data=ordered,dioread_lock",
        events: JOURNAL_EVENTS,
        probes: &[],
        own: false,
        prepare: journal_files,
        warm: cold,
        says: "16 threads, each 6 writes of 16 KiB to a file of its own that is allocated and not written, with fsync",
        work: journal,
    },
    Capture {
        name: "rwsem",
        area: "rwsem",
        size: 512,
        format: XFS,
        options: "noatime",
        events: LOCK_EVENTS,
        probes: LOCK_PROBES,
        own: true,
        prepare: |dir| written(&dir.join("f"), 64 << 20),
        warm: cold,
        says: "4 readers and 4 writers, each 30 calls of 8 KiB at random places of one file that is not cached",
        work: lock,
    },
    DIRECT_WRITTEN,
    Capture {
        name: "dio-unwritten",
        prepare: |dir| allocated(&dir.join("f"), 1 << 20),
        says: "4 threads write the quarters of one block after the other, with O_DIRECT, the file allocated and not written",
        ..DIRECT_WRITTEN
    },
    Capture {
        name: "dio-extending",
        prepare: |dir| written(&dir.join("f"), 4 * BLOCK as usize),
        warm: direct_behind_once,
        says: "4 threads write the quarters of one block after the other, with O_DIRECT, from the end of the file on",
        work: direct_behind,
        ..DIRECT_WRITTEN
    },
    Capture {
        name: "dio-growing",
        prepare: |dir| written(&dir.join("f"), 4 * BLOCK as usize),
        warm: direct_within_once,
        says: "one thread writes the first sector of the last block with O_DIRECT, and another truncates the file up, from the end of that sector on, by one each time",
        work: direct_within,
        ..DIRECT_WRITTEN
    },
    Capture {
        name: "dio-across",
        prepare: |dir| every_second(&dir.join("f"), ACROSS),
        says: "4 threads write 4096 bytes each with O_DIRECT, from the quarters of one block on, every second block of the file allocated and not written",
        work: direct_across,
        ..DIRECT_WRITTEN
    },
    Capture {
        name: "writeback",
        area: "writeback",
        size: 128,
        format: EXT4,
        options: "noatime",
        events: WRITEBACK_EVENTS,
        probes: &[],
        own: false,
        prepare: folders,
        warm: scheduled,
        says: "120 files of 4096 bytes over 8 folders, then syncfs",
        work: small_files,
    },
];

/// A file of so many bytes that are on disk.
///
/// # Errors
/// If it cannot be written.
pub fn written(path: &Path, bytes: usize) -> Result<()> {
    let text = vec![0xa5; bytes];
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    File::open(path)?.sync_all()?;
    Ok(())
}

/// A file of so many bytes that have blocks and are not written.
///
/// # Errors
/// If it cannot be made.
pub fn allocated(path: &Path, bytes: u64) -> Result<()> {
    let file = threads::open(path, false)?;
    fallocate(&file, FallocateFlags::empty(), 0, bytes)
        .with_context(|| format!("{} cannot be allocated", path.display()))?;
    file.sync_all()?;
    Ok(())
}

/// A file of so many blocks that are allocated, every second one of them, from the first on, written.
fn every_second(path: &Path, blocks: u64) -> Result<()> {
    allocated(path, blocks * BLOCK)?;
    let file = threads::open(path, false)?;
    for block in (0..blocks).step_by(2) {
        file.write_all_at(&[0xa5; BLOCK as usize], block * BLOCK)?;
    }
    file.sync_all()?;
    Ok(())
}

fn cold(_dir: &Path) -> Result<()> {
    Ok(())
}

/// Linux 6.1 writes block_unplug only of what is handed to a scheduler, or to a driver that asks for it.
fn scheduled(dir: &Path) -> Result<()> {
    let device = std::os::linux::fs::MetadataExt::st_dev(&fs::metadata(dir)?);
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let file = format!("/sys/dev/block/{major}:{minor}/queue/scheduler");
    if fs::read_to_string(&file).is_ok_and(|has| has.contains(SCHEDULER)) {
        fs::write(&file, SCHEDULER).with_context(|| format!("{file} does not take {SCHEDULER}"))?;
    }
    Ok(())
}

/// The extents are known from then on, and the inode's security marks looked at: both are done at the first call only, and leave
/// events that cannot be told from others.
fn direct_once(dir: &Path) -> Result<()> {
    let last = fs::metadata(dir.join("f"))?.len() - BLOCK;
    direct_blocks(dir, Kind::Read, (0..=last).step_by(4096).collect())?;
    direct_blocks(dir, Kind::Write, vec![last])
}

/// The same, and one block behind the end: that there is no more is known from then on, too.
fn direct_behind_once(dir: &Path) -> Result<()> {
    direct_once(dir)?;
    direct_blocks(dir, Kind::Write, vec![fs::metadata(dir.join("f"))?.len()])
}

/// One thread's calls of a block each.
fn direct_blocks(dir: &Path, kind: Kind, offsets: Vec<u64>) -> Result<()> {
    let run = Run {
        size: usize::try_from(BLOCK)?,
        ..Run::default()
    };
    threads::run(vec![past_the_cache(dir, kind, offsets)?], &run)?;
    Ok(())
}

/// A thread whose calls pass the page cache.
fn past_the_cache(dir: &Path, kind: Kind, offsets: Vec<u64>) -> Result<Worker> {
    let file = threads::open(&dir.join("f"), true)?;
    Ok(Worker {
        kind,
        file,
        offsets,
    })
}

/// Files of 2 MiB of journal threads.
fn journal_files(dir: &Path) -> Result<()> {
    (0..16).try_for_each(|thread| allocated(&dir.join(format!("f{thread}")), 2 << 20))
}

fn journal(dir: &Path, marker: &File) -> Result<()> {
    let size = 16 << 10;
    let workers = (0..16).map(|thread| {
        Ok(Worker {
            kind: Kind::WriteSync,
            file: threads::open(&dir.join(format!("f{thread}")), false)?,
            offsets: scattered(thread, 6, size as u64, 2 << 20),
        })
    });
    let run = Run {
        size,
        marker: Some(marker),
        ..Run::default()
    };
    threads::run(workers.collect::<Result<_>>()?, &run)?;
    Ok(())
}

fn lock(dir: &Path, marker: &File) -> Result<()> {
    let size = 8 << 10;
    let workers = (0..8).map(|thread| {
        Ok(Worker {
            kind: if thread < 4 { Kind::Write } else { Kind::Read },
            file: threads::open(&dir.join("f"), false)?,
            offsets: scattered(thread, 30, size as u64, 64 << 20),
        })
    });
    let run = Run {
        size,
        marker: Some(marker),
        ..Run::default()
    };
    threads::run(workers.collect::<Result<_>>()?, &run)?;
    Ok(())
}

fn direct(dir: &Path, marker: &File) -> Result<()> {
    quarters(dir, marker, 0)
}

fn direct_behind(dir: &Path, marker: &File) -> Result<()> {
    let end = fs::metadata(dir.join("f"))?.len();
    quarters(dir, marker, end / BLOCK)
}

/// The last block is known from then on, and the file ends behind its first sector.
fn direct_within_once(dir: &Path) -> Result<()> {
    direct_once(dir)?;
    let file = threads::open(&dir.join("f"), true)?;
    let size = file.metadata()?.len() - BLOCK + SECTOR;
    file.set_len(size)?;
    file.sync_all()?;
    Ok(())
}

/// The first write is alone, and the last one: they show how long the file is.
fn direct_within(dir: &Path, marker: &File) -> Result<()> {
    let size = fs::metadata(dir.join("f"))?.len();
    let start = size - SECTOR;
    let worker = |kind, offsets| past_the_cache(dir, kind, offsets);
    let run = Run {
        size: usize::try_from(SECTOR)?,
        marker: Some(marker),
        rounds: true,
        limit: None,
    };
    let alone = || threads::run(vec![worker(Kind::Write, vec![start])?], &run);
    alone()?;
    let sizes: Vec<u64> = (1..BLOCK / SECTOR)
        .map(|more| size + more * SECTOR)
        .collect();
    let writes = vec![start; sizes.len()];
    let workers = vec![worker(Kind::Write, writes)?, worker(Kind::Grow, sizes)?];
    threads::run(workers, &run)?;
    alone()?;
    Ok(())
}

/// A block's length each, of every third block: one is aligned, and three have to zero the next block in part.
fn direct_across(dir: &Path, marker: &File) -> Result<()> {
    from_quarters(dir, marker, (0..ACROSS - 1).step_by(3), BLOCK)
}

/// Of 8 blocks, from `first` on.
fn quarters(dir: &Path, marker: &File, first: u64) -> Result<()> {
    from_quarters(dir, marker, first..first + 8, BLOCK / 4)
}

/// 4 threads write so many bytes each, from the quarters of one of the blocks after the other on.
fn from_quarters(
    dir: &Path,
    marker: &File,
    blocks: impl Iterator<Item = u64> + Clone,
    size: u64,
) -> Result<()> {
    let workers = (0..4).map(|thread| {
        let offsets = blocks
            .clone()
            .map(|block| block * BLOCK + thread * BLOCK / 4);
        past_the_cache(dir, Kind::Write, offsets.collect())
    });
    let run = Run {
        size: usize::try_from(size)?,
        marker: Some(marker),
        rounds: true,
        limit: None,
    };
    threads::run(workers.collect::<Result<_>>()?, &run)?;
    Ok(())
}

fn folders(dir: &Path) -> Result<()> {
    (0..8).try_for_each(|folder| Ok(fs::create_dir(dir.join(format!("d{folder}")))?))
}

fn small_files(dir: &Path, _marker: &File) -> Result<()> {
    for file in 0..120 {
        fs::write(dir.join(format!("d{}/f{file}", file % 8)), [0x5a; 4096])?;
    }
    rustix::fs::syncfs(File::open(dir)?)?;
    Ok(())
}
