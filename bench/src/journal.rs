//! The journal: handles a second, the wait for a commit, and how fast a long log is recovered.

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use interlock::device::{BlockDevice, FileDevice, MemoryDevice};
use interlock::jbd2::journal::{Division, Journal};
use interlock::jbd2::log::area::LogArea;
use interlock::jbd2::log::create::create;
use interlock::jbd2::log::encode::{encode, next};
use interlock::jbd2::log::recovery::recover;
use interlock::jbd2::log::superblock::Features;
use interlock::jbd2::probe::NoProbe;
use interlock::jbd2::rules::{HandOver, Rules, WakeAll};
use interlock::sys::StdSys;

use crate::contended::{Turn, rate};
use crate::stats::{Waits, median};

/// Bytes in a block.
const BLOCK: usize = 4096;
/// Bytes in a sector.
const SECTOR: usize = 512;
/// Blocks of the file system; the log is behind them.
const HOME: u64 = 4096;
/// Blocks of the log: 64 MiB.
const LOG: u64 = 16_384;
/// Blocks that a handle dirties, and its credits.
const DIRTIES: u64 = 3;
const CREDITS: u32 = 8;
/// Credits that a writer reserves for its second handle, in the fight for reservations.
const RESERVES: u32 = 18;
/// How many threads fight for reservations, and how long each has one.
const WRITERS: u32 = 64;
const IO: Duration = Duration::from_micros(100);
/// Blocks of the log in that fight: half of a transaction holds two reservations.
const SMALL: u64 = 300;

const FEATURES: Features = Features {
    revoke: true,
    is_64bit: true,
    csum_v3: true,
};

/// What threads get done.
pub struct Handles {
    /// Where the journal lies.
    pub on: &'static str,
    /// How many threads start handles.
    pub threads: u32,
    /// Handles a second, the median of the rounds.
    pub rate: f64,
}

/// What a recovery of a long log gets done.
pub struct Recovery {
    /// The log's size in MiB.
    pub mebibytes: u64,
    /// MiB a second, the median of the rounds.
    pub rate: f64,
}

/// All that is measured of the journal.
pub struct Results {
    /// Handles that dirty three blocks each.
    pub handles: Vec<Handles>,
    /// From a call of force_commit to its return, one thread: where the journal lies, and the waits.
    pub commits: Vec<(&'static str, Waits)>,
    /// Writers a second that reserve more than there is, under the hand-over and under wake-all.
    pub reserving: [f64; 2],
    /// Of a log that is full.
    pub recovery: Recovery,
}

/// Measures all, with a file in `scratch`.
pub fn measure(rounds: usize, time: Duration, log: u64, scratch: &Path) -> anyhow::Result<Results> {
    let path = scratch.join("journal.img");
    let mut handles = Vec::new();
    for threads in [1, 2, 4, 8] {
        let (mut memory, mut file) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            memory.push(many(in_memory(LOG), LOG, threads, time)?);
            file.push(many(in_file(&path)?, LOG, threads, time)?);
        }
        for (on, rates) in [("memory", memory), ("file", file)] {
            let rate = median(rates);
            handles.push(Handles { on, threads, rate });
        }
    }
    let commits = vec![
        ("memory", commits(in_memory(LOG), time)?),
        ("file", commits(in_file(&path)?, time)?),
    ];
    let mut reserving = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        reserving[0].push(fight::<HandOver>(time)?);
        reserving[1].push(fight::<WakeAll>(time)?);
    }
    let rates: anyhow::Result<Vec<f64>> = (0..rounds).map(|_| recovered(log)).collect();
    Ok(Results {
        handles,
        commits,
        reserving: reserving.map(median),
        recovery: Recovery {
            mebibytes: log * BLOCK as u64 / (1 << 20),
            rate: median(rates?),
        },
    })
}

fn in_memory(log: u64) -> MemoryDevice {
    MemoryDevice::new(SECTOR, (HOME + log) as usize * BLOCK / SECTOR, 0)
}

fn in_file(path: &Path) -> anyhow::Result<FileDevice> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true);
    let file: File = options
        .open(path)
        .with_context(|| path.display().to_string())?;
    file.set_len((HOME + LOG) * BLOCK as u64)?;
    Ok(FileDevice::new(file, SECTOR)?)
}

fn area(log: u64) -> LogArea {
    let blocks = HOME..HOME + log;
    LogArea::new(BLOCK, vec![blocks])
}

fn open<D: BlockDevice, R: Rules>(device: D, log: u64) -> anyhow::Result<Journal<D, R, StdSys>> {
    create(&device, &area(log), FEATURES, [1; 16])?;
    Ok(Journal::open_with(
        device,
        area(log),
        Division::default(),
        NoProbe,
    )?)
}

/// Handles a second of so many threads, each with blocks of its own. Transactions are committed as they fill.
fn many<D: BlockDevice>(device: D, log: u64, threads: u32, time: Duration) -> anyhow::Result<f64> {
    let journal: Journal<D, HandOver, StdSys> = open(device, log)?;
    let per_thread = HOME / u64::from(threads);
    let round = |turn: Turn| -> anyhow::Result<()> {
        let mut handle = journal.start(CREDITS, 0)?;
        for at in 0..DIRTIES {
            let block =
                u64::from(turn.thread) * per_thread + (turn.number * DIRTIES + at) % per_thread;
            handle.dirty_metadata(block, &[turn.number as u8; BLOCK])?;
        }
        drop(handle);
        Ok(())
    };
    rate(threads, time, round)
}

/// Writes a second of many threads: a handle, the I/O, and the handle that was reserved for its end.
fn fight<R: Rules>(time: Duration) -> anyhow::Result<f64> {
    let journal: Journal<MemoryDevice, R, StdSys> = open(in_memory(SMALL), SMALL)?;
    let round = |Turn { thread, number }: Turn| -> anyhow::Result<()> {
        let bytes = [number as u8; BLOCK];
        let mut handle = journal.start(CREDITS, RESERVES)?;
        handle.dirty_metadata(2 * u64::from(thread), &bytes)?;
        if let Some(reservation) = handle.stop() {
            thread::sleep(IO);
            let mut later = reservation.start()?;
            later.dirty_metadata(2 * u64::from(thread) + 1, &bytes)?;
        }
        Ok(())
    };
    rate(WRITERS, time, round)
}

/// How long a commit of one small transaction takes.
fn commits<D: BlockDevice>(device: D, time: Duration) -> anyhow::Result<Waits> {
    let journal: Journal<D, HandOver, StdSys> = open(device, LOG)?;
    let mut waits = Waits::default();
    let end = Instant::now() + time;
    let mut turn = 0_u64;
    while Instant::now() < end {
        let mut handle = journal.start(CREDITS, 0)?;
        handle.dirty_metadata(turn % HOME, &[turn as u8; BLOCK])?;
        drop(handle);
        let began = Instant::now();
        journal.force_commit()?;
        waits.add(began.elapsed());
        turn += 1;
    }
    Ok(waits)
}

/// MiB a second of a recovery, from memory: a log of so many blocks, full of transactions of 1000 blocks.
fn recovered(log: u64) -> anyhow::Result<f64> {
    let device = in_memory(log);
    let superblock = create(&device, &area(log), FEATURES, [1; 16])?;
    let bytes = [9; BLOCK];
    let (mut at, mut tid) = (superblock.first, superblock.sequence);
    let mut used = 0;
    while used + 1100 < log {
        let blocks: Vec<(u64, &[u8])> = (0..1000)
            .map(|block| ((u64::from(tid) * 1000 + block) % HOME, &bytes[..]))
            .collect();
        for block in encode(&superblock, tid, &blocks, &[], 0) {
            area(log).write(&device, at, &block)?;
            at = next(&superblock, at);
            used += 1;
        }
        tid += 1;
    }
    let mut started = superblock.clone();
    started.start = superblock.first;
    started.store(&device, &area(log))?;
    let began = Instant::now();
    let replay = recover(&device, &area(log))?;
    let time = began.elapsed().as_secs_f64();
    anyhow::ensure!(
        replay.transactions == tid - superblock.sequence,
        "{} transactions were found",
        replay.transactions
    );
    Ok((used * BLOCK as u64) as f64 / (1 << 20) as f64 / time)
}
