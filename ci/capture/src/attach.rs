//! `interlock capture --attach`: what a file system in use does, recorded beside it.
//!
//! Nothing is mounted on it, made on it or written to it; there is one instance of the tracer, which goes with this process.

use std::fs;
use std::os::linux::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::fs::{major, minor};

use crate::instance::Instance;
use crate::kinds::{DIRECT_EVENTS, JOURNAL_EVENTS, LOCK_EVENTS, WRITEBACK_EVENTS};
use crate::{Request, journal_info, judge, place, probed, recordable, release};
use interlock_checker::interrupt;
use interlock_traces::kernel::Reading;
use interlock_traces::kernel::family::Family;

/// How often a signal is looked for.
const BEAT: Duration = Duration::from_millis(100);

/// An area, and the events that are recorded of it, by the names that the kernels' tables have for them.
type Kind = (&'static str, &'static [&'static str]);

/// What is recorded of the types of file systems.
const TYPES: [(&str, &[Kind]); 2] = [
    (
        "ext4",
        &[
            ("jbd2", JOURNAL_EVENTS),
            ("dio", DIRECT_EVENTS),
            ("writeback", WRITEBACK_EVENTS),
        ],
    ),
    (
        "xfs",
        &[
            ("rwsem", LOCK_EVENTS),
            (
                "dio",
                &[
                    "ilock",
                    "iunlock",
                    "dio_begin",
                    "dio_queued",
                    "dio_complete",
                    "iomap_iter",
                    "iomap_mapping",
                ],
            ),
            ("writeback", WRITEBACK_EVENTS),
        ],
    ),
];

/// What was recorded of a file system in use.
#[derive(Debug)]
pub struct Attached {
    file: PathBuf,
    kinds: Vec<Kind>,
}

impl Attached {
    /// Judges it. The exit status: 0 if all are behaviours, 1 if one is not, 2 if of an area nothing can be judged.
    pub fn judge(&self, root: &Path, request: &Request) -> u8 {
        let reading = Reading {
            midway: true,
            ..Reading::default()
        };
        let mut status = 0;
        for (area, _) in &self.kinds {
            // What cannot be judged of one area does not keep the others from it.
            match judge(root, request, area, &self.file, &reading) {
                Ok(of_area) => status = status.max(of_area),
                Err(error) => {
                    println!("{area}: not judged: {error:#}");
                    status = 2;
                }
            }
        }
        status
    }
}

/// Records the file system that `on` is on for so many seconds. `None`: a signal has come.
///
/// # Errors
/// As [`crate::record`]; if nothing is known of such a file system.
pub fn attach(request: &Request, on: &Path, seconds: u64) -> Result<Option<Attached>> {
    place::is_root()?;
    let device =
        fs::metadata(on).with_context(|| format!("{} cannot be looked at", on.display()))?;
    let device = (major(device.st_dev()), minor(device.st_dev()));
    let kind = type_of(device)
        .with_context(|| format!("{} is on no file system of a block device", on.display()))?;
    let Some((_, kinds)) = TYPES.iter().find(|(name, _)| *name == kind) else {
        bail!(
            "{} is on {kind}: what is judged are ext4 and XFS",
            on.display()
        );
    };
    let is_wanted =
        |kind: &&Kind| request.areas.is_empty() || request.areas.iter().any(|area| area == kind.0);
    let mut kinds: Vec<Kind> = kinds.iter().filter(is_wanted).copied().collect();
    if kinds.iter().any(|(area, _)| *area == "writeback")
        && let Err(why) = shows_writeback(device, &release())
    {
        eprintln!("writeback is not recorded: {why}");
        kinds.retain(|(area, _)| *area != "writeback");
    }
    ensure!(
        !kinds.is_empty(),
        "of {kind} nothing is recorded for {}",
        request.areas.join(", ")
    );
    let tracefs = place::tracefs_of_all()?;
    let kernel = release();
    let dir = std::path::absolute(&request.out)?.join("capture");
    fs::create_dir_all(&dir)?;
    let file = dir.join("attached.txt");
    let block = rustix::fs::statvfs(on)
        .with_context(|| format!("{}: its block size is not told", on.display()))?
        .f_bsize;
    let kind = format!("{kind} with {block}-byte blocks");
    let events = record(&tracefs, &kinds, device, seconds, &kernel, &kind, &file)?;
    if interrupt::requested() {
        return Ok(None);
    }
    println!(
        "{}: {events} lines in {} s, in {}",
        on.display(),
        seconds,
        file.display()
    );
    Ok(Some(Attached { file, kinds }))
}

/// Whether the events of writeback tell all that is of this device.
fn shows_writeback((major, minor): (u32, u32), kernel: &str) -> Result<()> {
    let device = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    ensure!(
        !device.join("partition").exists(),
        "it is a partition: its inodes are on the lists of the disk, with those of the others"
    );
    ensure!(
        device.join("mq").exists(),
        "the device passes its I/O on to others: what is in a plug is theirs"
    );
    let kernel = Family::of(kernel)?.kernel;
    ensure!(
        !["4.19", "5.10"].contains(&kernel.as_str()),
        "up to 5.10 the inode of a device has no number, and no event tells it from another device's"
    );
    let scheduler = fs::read_to_string(device.join("queue/scheduler")).unwrap_or_default();
    ensure!(
        kernel != "6.1" || !scheduler.contains("[none]"),
        "up to 6.1 a plug that is handed over without a scheduler has no event: choose mq-deadline"
    );
    Ok(())
}

/// How many lines there are.
fn record(
    tracefs: &Path,
    kinds: &[Kind],
    device: (u32, u32),
    seconds: u64,
    kernel: &str,
    kind: &str,
    file: &Path,
) -> Result<usize> {
    let mut events: Vec<&'static str> = kinds
        .iter()
        .flat_map(|(_, events)| events.iter().copied())
        .collect();
    events.sort_unstable();
    events.dedup();
    let family = Family::of(kernel)?;
    let instance = Instance::new(tracefs)?;
    let (events, probes) = recordable(&family, &events, &instance)?;
    instance.start(&events, device, false)?;
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end && !interrupt::requested() {
        thread::sleep(BEAT.min(end.saturating_duration_since(Instant::now())));
    }
    let mut comments = vec![
        format!("kernel: {kernel} ; {kind}, in use"),
        format!("workload: not ours, for {seconds} s"),
    ];
    comments.extend(probed(&probes));
    comments.extend(journal_info(device)?);
    instance.finish(file, &comments)
}

/// The type of the file system on a device.
fn type_of((major, minor): (u32, u32)) -> Option<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let device = format!("{major}:{minor}");
    mounts.lines().find_map(|mount| {
        let (before, after) = mount.split_once(" - ")?;
        let is_it = before.split(' ').nth(2) == Some(&device);
        is_it.then(|| after.split(' ').next().map(str::to_owned))?
    })
}
