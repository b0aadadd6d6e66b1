//! `interlock capture --reproduce SEED`: what a seed reports, beside what this kernel does at a small scale, and the models that say
//! why.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};

use super::cited;
use super::instance::Instance;
use super::kinds::{allocated, written};
use super::place::{self, Image};
use super::release;
use super::threads::{self, Done, Kind, Run, Worker, scattered};
use super::torn;
use interlock_checker::check;
use interlock_checker::interrupt;
use interlock_traces::kernel::family::Family;
use interlock_traces::kernel::line::Line;
use interlock_traces::kernel::text::{self, Lines};

/// Each workload ends after this time.
const LIMIT: Duration = Duration::from_secs(10);

/// A seed that is reproduced.
pub struct Seed {
    /// Its number.
    pub number: &'static str,
    title: &'static str,
    /// What it reports.
    reports: &'static str,
    /// The workload here.
    here: &'static str,
    /// What the ratio is of.
    ratio: &'static str,
    run: fn() -> Result<Measured>,
    /// Why, in words.
    why: &'static str,
    /// The models that say so.
    models: &'static [&'static str],
}

/// What the workload did here.
struct Measured {
    says: String,
    ratio: f64,
}

/// All of them.
pub const SEEDS: [Seed; 3] = [
    Seed {
        number: "000",
        title: "jbd2: buffered random writes with dioread_nolock",
        reports: "handles wait 154 ms to start, not 0.277 ms: 559 times as long (2048 threads, a log of 128 MiB)",
        here: "256 threads, a log of 16 MiB, each 24 writes of 16 KiB with fsync to its own file, allocated and not written",
        ratio: "the wait of a handle with dioread_nolock by that with dioread_lock",
        run: journal,
        why: "each write reserves 18 credits for the conversion that follows it, and all that is reserved must fit in half of a transaction; \
              who does not fit waits, and each release wakes them all",
        models: &[
            "SmallJournal-W-12-NeverWaitsForReserved",
            "BigJournal-W-18-NeverWaitsForReserved",
            "WakeAll-SSL-LargeProgress",
            "HandOff-SSL-LargeProgress",
        ],
    },
    Seed {
        number: "001",
        title: "ext4: unaligned direct writes",
        reports: "1350 writes a second under the exclusive lock, 350,000 under the shared one: 259 times as many (8 jobs, 256 in flight each)",
        here: "64 threads write 2 KiB each to blocks of their own with O_DIRECT, every block once",
        ratio: "writes a second to written blocks by those to unwritten ones",
        run: direct,
        why: "a write that covers a block in part zeroes the rest if the block is unwritten, so it must be alone; over written blocks it need not be",
        models: &[
            "Final65-AC-unwritten-data",
            "ExclNoDioWait-AC-unwritten-data",
            "AlwaysShared-AC-unwritten-data",
        ],
    },
    Seed {
        number: "004",
        title: "XFS: readers and writers of one file",
        reports: "33 reads a second beside 7794 writes: 236 writes to a read (8 readers and 8 writers, 8 KiB at random, buffered, 4.20)",
        here: "8 readers and 8 writers, 8 KiB at random places of one file, buffered, what is read not cached",
        ratio: "writes to a read on XFS",
        run: lock,
        why: "a running writer takes the lock past the queue, until the first waiter's 4 ms are over and it demands the lock; \
              without that timer readers starve, and within it there is no bound on the steals",
        models: &[
            "Handoff511-NoTimer-RWW-ReaderProgress",
            "Handoff511-Overtaking-RWW-bound-r-0-5",
            "Handoff511-RRWW-ReaderProgress",
        ],
    },
];

/// Runs a seed's workload, and its models, and prints both beside what it reports; or what [`torn`] has, each kind for so long. The
/// exit status: that of the models' check.
///
/// # Errors
///
/// A seed that is not reproduced; where nothing can be mounted; a workload that fails.
pub fn reproduce(root: &Path, number: &str, out: &Path, time: Option<Duration>) -> Result<u8> {
    if number == torn::NAME {
        return torn::reproduce(root, out, time.unwrap_or(torn::TIME));
    }
    ensure!(
        time.is_none(),
        "how long each kind is tried is of `{}` alone",
        torn::NAME
    );
    let Some(seed) = SEEDS.iter().find(|seed| seed.number == number) else {
        let numbers = SEEDS.map(|seed| seed.number);
        bail!(
            "seed {number} is not reproduced (there are: {}, {})",
            numbers.join(", "),
            torn::NAME
        );
    };
    place::enter()?;
    let measured = (seed.run)()?;
    if interrupt::requested() {
        return Ok(interrupt::EXIT);
    }
    println!("Seed {}: {}\n", seed.number, seed.title);
    println!("The seed:    {}", seed.reports);
    println!("This kernel: {}, {}", super::release(), seed.here);
    println!("             {}", measured.says);
    println!("             {}: {:.1}\n", seed.ratio, measured.ratio);
    println!("The models:  {}\n", seed.why);
    let names = seed.models.iter().map(|name| (*name).to_owned());
    check::check(root, &cited::models(root, names.collect(), out))
}

/// Calls a second.
fn rate(count: u64, done: &Done) -> f64 {
    count as f64 / done.took.as_secs_f64()
}

fn journal() -> Result<Measured> {
    let tracefs = place::tracefs()?;
    let family = Family::of(&release())?;
    let of_family = |name| family.named(name)?.context("no event of it");
    let (asks, grants) = (of_family("journal_start")?, of_family("handle_start")?);
    let mode = |mode: &'static str| {
        let (threads, size, length) = (256, 16 << 10, 1 << 20);
        let format = ["mkfs.ext4", "-q", "-b", "4096", "-J", "size=16"];
        let options = format!("noatime,nodiratime,data=ordered,{mode}");
        let image = Image::new(mode, 1024, &format, &options)?;
        let file = |thread| image.dir.join(format!("f{thread}"));
        (0..threads).try_for_each(|thread| allocated(&file(thread), length))?;
        let workers = (0..threads).map(|thread| {
            Ok(Worker {
                kind: Kind::WriteSync,
                file: threads::open(&file(thread), false)?,
                offsets: scattered(thread, 24, size as u64, length),
            })
        });
        let run = Run {
            size,
            limit: Some(LIMIT),
            ..Run::default()
        };
        let instance = Instance::new(&tracefs)?;
        instance.start(&[asks, grants], image.device()?, false)?;
        let done = threads::run(workers.collect::<Result<_>>()?, &run)?;
        let trace = image.dir.join("trace");
        instance.finish(&trace, &[])?;
        let wait = mean_wait(&trace, [&asks.event, &grants.event])?;
        let says = format!(
            "{mode}: a handle waits {:.3} ms to start, {:.0} writes a second",
            wait * 1e3,
            rate(done.writes, &done)
        );
        anyhow::Ok((wait, says))
    };
    let (with, with_says) = mode("dioread_nolock")?;
    let (without, without_says) = mode("dioread_lock")?;
    Ok(Measured {
        says: format!("{with_says}; {without_says}"),
        ratio: with / without,
    })
}

/// How long the handles of a trace waited to start, from the event that asks for one to that which grants it, on average, in seconds.
fn mean_wait(trace: &Path, [asks, grants]: [&str; 2]) -> Result<f64> {
    let mut lines = Lines::new(text::open(trace)?);
    let mut asked = BTreeMap::new();
    let (mut waits, mut count) = (Duration::ZERO, 0);
    while let Some((_, line)) = lines.advance()? {
        let Some(Line::Event(event)) = Line::parse(&line) else {
            continue;
        };
        if event.name == asks {
            asked.insert(event.pid, event.time);
        } else if event.name == grants
            && let Some(since) = asked.remove(&event.pid)
        {
            waits += Duration::from_nanos(event.time.saturating_sub(since));
            count += 1;
        }
    }
    ensure!(count > 0, "no handle has started");
    Ok(waits.as_secs_f64() / f64::from(count))
}

fn direct() -> Result<Measured> {
    let blocks = |state: &'static str| {
        let (threads, calls, block) = (64_u64, 256_u64, 4096);
        let format = ["mkfs.ext4", "-q", "-b", "4096"];
        let mut image = Image::new(state, 256, &format, "noatime")?;
        let (file, length) = (image.dir.join("f"), threads * calls * block);
        match state {
            "written" => written(&file, usize::try_from(length)?)?,
            _ => allocated(&file, length)?,
        }
        image.remount()?;
        let workers = (0..threads).map(|thread| {
            Ok(Worker {
                kind: Kind::Write,
                file: threads::open(&file, true)?,
                offsets: (0..calls)
                    .map(|call| (call * threads + thread) * block)
                    .collect(),
            })
        });
        let run = Run {
            size: 2048,
            limit: Some(LIMIT),
            ..Run::default()
        };
        let done = threads::run(workers.collect::<Result<_>>()?, &run)?;
        anyhow::Ok(rate(done.writes, &done))
    };
    let (slow, fast) = (blocks("unwritten")?, blocks("written")?);
    Ok(Measured {
        says: format!("unwritten: {slow:.0} writes a second; written: {fast:.0}"),
        ratio: fast / slow,
    })
}

fn lock() -> Result<Measured> {
    let (size, region) = (8 << 10, 256 << 20);
    let format = ["mkfs.xfs", "-q", "-b", "size=4096"];
    let mut image = Image::new("xfs", 1024, &format, "noatime")?;
    let file = image.dir.join("f");
    written(&file, 2 * region)?;
    image.remount()?;
    // One region is written, again and again; of the other each place is read once, so that no read finds it in the cache.
    let (threads, calls) = (8, region / size);
    let places = scattered(1, calls, size as u64, region as u64);
    let reads = places.chunks(calls / threads).map(|part| {
        let cold = part.iter().map(|place| place + region as u64);
        (Kind::Read, cold.collect())
    });
    let writes = (0..threads as u64).map(|thread| {
        let again = scattered(thread, calls * 64, size as u64, region as u64);
        (Kind::Write, again)
    });
    let workers = reads.chain(writes).map(|(kind, offsets)| {
        Ok(Worker {
            kind,
            file: threads::open(&file, false)?,
            offsets,
        })
    });
    let run = Run {
        size,
        limit: Some(Duration::from_secs(5)),
        ..Run::default()
    };
    let done = threads::run(workers.collect::<Result<_>>()?, &run)?;
    let (reads, writes) = (rate(done.reads, &done), rate(done.writes, &done));
    Ok(Measured {
        says: format!("{reads:.0} reads and {writes:.0} writes a second"),
        ratio: writes / reads,
    })
}
