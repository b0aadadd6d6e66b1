//! Threads that read and write one place after the other, and mark in the trace where each call begins and ends.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use rustix::fs::OFlags;

use interlock_checker::interrupt;

use crate::aligned::Aligned;

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It writes.
    Write,
    /// It writes, and after each write calls fsync.
    WriteSync,
    /// It reads.
    Read,
    /// It truncates the file up: its places are the new sizes.
    Grow,
}

impl Kind {
    /// In the marks and in the thread's name.
    fn letter(self) -> char {
        match self {
            Kind::Write | Kind::WriteSync => 'w',
            Kind::Read => 'r',
            Kind::Grow => 't',
        }
    }
}

/// A thread: its places, one after the other.
#[derive(Debug)]
pub struct Worker {
    /// What it does.
    pub kind: Kind,
    /// The file, opened.
    pub file: File,
    /// The offsets, in bytes.
    pub offsets: Vec<u64>,
}

/// How long, and how.
#[derive(Debug, Default)]
pub struct Run<'a> {
    /// Bytes of a read or write.
    pub size: usize,
    /// Where the calls are marked.
    pub marker: Option<&'a File>,
    /// All threads wait for each other before each call.
    pub rounds: bool,
    /// They end after this time, if they have not ended before.
    pub limit: Option<Duration>,
}

/// What a group of threads has done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// How often a thread slept: its voluntary context switches.
    pub sleeps: u64,
    /// How long a call took that took longest, with its fsync.
    pub longest: Duration,
    /// Wall time.
    pub took: Duration,
}

/// Opens a file to read and write, past the page cache if `direct`.
///
/// # Errors
/// If it cannot be opened.
pub fn open(path: &Path, direct: bool) -> Result<File> {
    let flags = if direct {
        OFlags::DIRECT
    } else {
        OFlags::empty()
    };
    let flags = i32::try_from(flags.bits()).context("the flags of open")?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.custom_flags(flags).open(path);
    file.with_context(|| format!("{} cannot be opened", path.display()))
}

/// Runs the threads to their end, or until the time is over.
///
/// # Errors
/// If a read or write fails.
pub fn run(workers: Vec<Worker>, run: &Run<'_>) -> Result<Done> {
    let (start, together) = (Instant::now(), Barrier::new(workers.len()));
    let over = AtomicBool::new(false);
    let counts = thread::scope(|scope| {
        let threads: Vec<_> = workers
            .iter()
            .enumerate()
            .map(|(number, worker)| {
                let name = format!("wl-{}{number}", worker.kind.letter());
                let (together, over) = (&together, &over);
                let work = move || {
                    let done = work(number, worker, run, start, together, over);
                    // With the others, which may wait for this one.
                    over.fetch_or(done.is_err(), Ordering::SeqCst);
                    done
                };
                thread::Builder::new()
                    .name(name)
                    .stack_size(256 << 10)
                    .spawn_scoped(scope, work)
            })
            .collect();
        let mut counts = Vec::new();
        for thread in threads {
            let joined = thread?.join();
            counts.push(joined.map_err(|_| anyhow!("a thread has panicked"))??);
        }
        anyhow::Ok(counts)
    })?;
    let mut done = Done {
        took: start.elapsed(),
        ..Done::default()
    };
    for (worker, (count, sleeps, longest)) in workers.iter().zip(counts) {
        done.sleeps += sleeps;
        done.longest = done.longest.max(longest);
        match worker.kind {
            Kind::Read => done.reads += count,
            Kind::Write | Kind::WriteSync => done.writes += count,
            Kind::Grow => {}
        }
    }
    Ok(done)
}

/// How many calls the thread has made, how often it slept, and how long the longest call took.
fn work(
    number: usize,
    worker: &Worker,
    run: &Run<'_>,
    start: Instant,
    together: &Barrier,
    over: &AtomicBool,
) -> Result<(u64, u64, Duration)> {
    let mut buffer = Aligned::of(&vec![0x5a; run.size]);
    let mark = |line: String| match run.marker {
        Some(mut marker) => marker.write_all(line.as_bytes()).context("trace_marker"),
        None => Ok(()),
    };
    let (mut count, mut longest) = (0, Duration::ZERO);
    for (call, offset) in worker.offsets.iter().enumerate() {
        if run.limit.is_some_and(|limit| start.elapsed() >= limit) || interrupt::requested() {
            over.store(true, Ordering::SeqCst);
        }
        if run.rounds {
            together.wait();
        }
        if over.load(Ordering::SeqCst) {
            break;
        }
        let began = Instant::now();
        let letter = worker.kind.letter();
        let place = match worker.kind {
            Kind::Grow => format!("size={offset}"),
            _ => format!("off={offset} len={}", run.size),
        };
        mark(format!("B {letter} t{number} i{call} {place}\n"))?;
        let done = match worker.kind {
            Kind::Read => worker.file.read_at(&mut buffer, *offset),
            Kind::Write | Kind::WriteSync => worker.file.write_at(&buffer, *offset),
            Kind::Grow => worker.file.set_len(*offset).map(|()| 0),
        }?;
        mark(format!("E {letter} t{number} i{call} ret={done} err=0\n"))?;
        if worker.kind == Kind::WriteSync {
            mark(format!("B f t{number} i{call}\n"))?;
            worker.file.sync_all()?;
            mark(format!("E f t{number} i{call} ret=0 err=0\n"))?;
        }
        longest = longest.max(began.elapsed());
        count += 1;
    }
    Ok((count, sleeps()?, longest))
}

/// How often this thread has slept.
fn sleeps() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/thread-self/status")?;
    let words = status.lines().filter_map(|line| line.split_once(':'));
    let mut found = words.filter(|(key, _)| *key == "voluntary_ctxt_switches");
    let (_, number) = found.next().context("/proc does not count sleeps")?;
    Ok(number.trim().parse()?)
}

/// `count` different multiples of `size` below `end`, in an order that only `seed` decides.
pub fn scattered(seed: u64, count: usize, size: u64, end: u64) -> Vec<u64> {
    let places = (end / size).max(1);
    // A step that shares no factor with the number of places visits each once.
    let mut step = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) % places) | 1;
    while gcd(step, places) != 1 {
        step += 2;
    }
    let mut place = seed.wrapping_mul(0x2545_f491_4f6c_dd1d) % places;
    let mut offsets = Vec::new();
    for _ in 0..count {
        offsets.push(place * size);
        place = (place + step) % places;
    }
    offsets
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
