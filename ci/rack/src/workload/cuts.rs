//! Losses of power beside a herd: what the disk holds at a random time is mounted as another one, so that the journal is replayed, and
//! whatever was acknowledged before has to be there.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use interlock_capture::place::run as program;
use interlock_disk::{Disk, Then, Write};
use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::mounted::Mounted;

/// The threads, each with files of its own, and MiB of the journal.
const THREADS: usize = 64;
const JOURNAL: u32 = 4;

/// Bytes of the disk, of a write, and how many writes a file has.
const DISK: u64 = 256 << 20;
const SIZE: usize = 16 << 10;
const WRITES: u64 = 16;

/// A write takes as long at most, at random, so that several are in flight when power is lost.
const LONGEST: Duration = Duration::from_millis(5);

/// Between two losses there is as much time at most.
const PAUSE: Duration = Duration::from_millis(400);

/// How much later the control looks.
const LATE: Duration = Duration::from_millis(500);

/// Losses of power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cuts {
    /// How many.
    pub count: u32,
    /// When.
    pub seed: u64,
    /// Control: what is acknowledged half a second later is taken for acknowledged before.
    pub late: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// How often power was lost.
    pub cuts: u32,
    /// How many writes had been acknowledged, whose bytes were looked for.
    pub looked: u64,
    /// How many of them are not there.
    pub lost: u64,
    /// How many of the file systems e2fsck finds fault with after the replay.
    pub unclean: u32,
}

impl Measured {
    /// What others found as well.
    pub fn add(&mut self, other: &Measured) {
        self.cuts += other.cuts;
        self.looked += other.looked;
        self.lost += other.lost;
        self.unclean += other.unclean;
    }
}

/// What threads share.
#[derive(Default)]
struct Herd {
    /// What is acknowledged to each: how many writes, file after file.
    acknowledged: Vec<AtomicU64>,
    /// Nobody writes while this is held for writing.
    rests: RwLock<()>,
    over: AtomicBool,
}

/// Runs it.
///
/// # Errors
/// If a file system cannot be made or mounted, or a call fails.
pub fn run(root: &Path, cuts: Cuts) -> Result<Measured> {
    let mounted = Mounted::ext4(root, DISK, JOURNAL, "dioread_nolock")?;
    let mut chance = Chance::new(cuts.seed);
    let mut delays = Chance::new(cuts.seed);
    mounted.disk.obey(move |_: &Write<'_>| {
        let most = LONGEST.as_micros() as u64;
        Then::After(Duration::from_micros(delays.below(most + 1)))
    });
    let herd = Herd {
        acknowledged: (0..THREADS).map(|_| AtomicU64::new(0)).collect(),
        ..Herd::default()
    };
    let (dir, herd) = (&mounted.dir, &herd);
    thread::scope(|scope| {
        let thread = |number| {
            scope.spawn(move || {
                let done = writes(dir, number, herd);
                // With the others.
                herd.over.fetch_or(done.is_err(), Ordering::SeqCst);
                done
            })
        };
        let threads: Vec<_> = (0..THREADS).map(thread).collect();
        let mut cut = || -> Result<Measured> {
            let mut measured = Measured::default();
            for _ in 0..cuts.count {
                thread::sleep(PAUSE.mul_f64(chance.below(1000) as f64 / 1e3));
                let found = lose(root, &mounted.disk, herd, cuts.late)?;
                measured.add(&found);
            }
            Ok(measured)
        };
        let measured = cut();
        herd.over.store(true, Ordering::SeqCst);
        for thread in threads {
            thread
                .join()
                .map_err(|_| anyhow!("a thread has panicked"))??;
        }
        measured
    })
}

fn place(dir: &Path, number: usize, file: u64) -> PathBuf {
    dir.join(format!("t{number}-{file}"))
}

/// What a write writes: no two write the same.
fn bytes(number: usize, file: u64, write: u64) -> Vec<u8> {
    let mut chance = Chance::new((number as u64) << 48 | file << 16 | write);
    (0..SIZE / 8)
        .flat_map(|_| chance.number().to_le_bytes())
        .collect()
}

/// A thread: file after file, of which the last two are kept.
fn writes(dir: &Path, number: usize, herd: &Herd) -> Result<()> {
    for file in 0.. {
        let path = place(dir, number, file);
        let opened = File::create(&path).with_context(|| path.display().to_string())?;
        for write in 0..WRITES {
            let writes = herd.rests.read().unwrap_or_else(PoisonError::into_inner);
            if herd.over.load(Ordering::SeqCst) {
                return Ok(());
            }
            opened.write_all_at(&bytes(number, file, write), write * SIZE as u64)?;
            opened.sync_all()?;
            herd.acknowledged[number].fetch_add(1, Ordering::SeqCst);
            drop(writes);
            if write == 0 && file > 1 {
                fs::remove_file(place(dir, number, file - 2))?;
            }
        }
    }
    Ok(())
}

/// Power is lost.
fn lose(root: &Path, disk: &Disk, herd: &Herd, late: bool) -> Result<Measured> {
    let look = || -> Vec<u64> {
        let counts = herd.acknowledged.iter();
        counts.map(|count| count.load(Ordering::SeqCst)).collect()
    };
    let (before, held) = match late {
        false => (look(), disk.snapshot()),
        true => {
            let held = disk.snapshot();
            thread::sleep(LATE);
            (look(), held)
        }
    };
    let after = look();
    // The herd would only make it take longer to look.
    let _rests = herd.rests.write().unwrap_or_else(PoisonError::into_inner);
    let mounted = Mounted::of(&root.join("cut"), &held, DISK, "")?;
    let mut measured = Measured {
        cuts: 1,
        ..Measured::default()
    };
    for (number, (before, after)) in before.into_iter().zip(after).enumerate() {
        for file in 0..before.div_ceil(WRITES) {
            // It was there when power was lost, as nothing of the second behind it was acknowledged.
            if after > (file + 2) * WRITES {
                continue;
            }
            let opened = File::open(place(&mounted.dir, number, file));
            for write in 0..WRITES.min(before - file * WRITES) {
                measured.looked += 1;
                let mut found = vec![0; SIZE];
                let read = opened.as_ref().is_ok_and(|opened| {
                    opened
                        .read_exact_at(&mut found, write * SIZE as u64)
                        .is_ok()
                });
                measured.lost += u64::from(!read || found != bytes(number, file, write));
            }
        }
    }
    let device = mounted.unmounted()?;
    let clean = program(
        "e2fsck",
        ["-f".as_ref(), "-n".as_ref(), device.path.as_os_str()],
    );
    measured.unclean = u32::from(clean.is_err());
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_writes_write_the_same() {
        let all = [
            bytes(1, 0, 0),
            bytes(0, 1, 0),
            bytes(0, 0, 1),
            bytes(0, 0, 0),
        ];
        for (at, one) in all.iter().enumerate() {
            assert_eq!(one.len(), SIZE);
            assert!(!all[..at].contains(one));
        }
    }
}
