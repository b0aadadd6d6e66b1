//! `interlock capture --reproduce torn`: which reads this kernel tears, and which writes it mixes, beside what the models of
//! `specs/range` say that its choice of locks may.

mod folios;
mod kinds;
mod meeting;
mod verdict;
mod words;

use std::collections::BTreeSet;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};

use interlock_checker::manifest::Manifest;
use interlock_checker::{check, interrupt, markdown};

use crate::place::{self, Image};
use crate::{cited, threads};
use folios::Folios;
use kinds::{FILE_SYSTEMS, FileSystem, KINDS, Kind, Pair, Way};
use meeting::{Bytes, Ground};
use verdict::{Judged, Verdict};
use words::{Place, Tally};

/// What it is called beside the seeds.
pub const NAME: &str = "torn";

/// Each kind is tried so long on each file system, unless another time is asked for.
pub const TIME: Duration = Duration::from_secs(3);

/// MiB of a file system.
const SIZE: u64 = 1024;

/// Runs all kinds for so long on each file system that can be made, and prints what was torn beside what the models say; then checks
/// these. The exit status: 1 if something was torn that never is, else that of the models' check.
///
/// # Errors
///
/// Where nothing can be mounted; a kind without a model; a read or write that fails.
pub fn reproduce(root: &Path, out: &Path, time: Duration) -> Result<u8> {
    let manifest = Manifest::load(&root.join("specs"))?;
    let kernel = crate::release();
    let release = kinds::release(&kernel).with_context(|| format!("{kernel} is no release"))?;
    place::enter()?;
    let tracefs = place::tracefs().ok();
    println!("This kernel: {kernel}, each for {} s\n", time.as_secs());
    let (mut models, mut refuted) = (BTreeSet::new(), Vec::new());
    for system in &FILE_SYSTEMS {
        let made = Made::of(system);
        if interrupt::requested() {
            return Ok(interrupt::EXIT);
        }
        let made = match made {
            Ok(made) => made,
            Err(error) => {
                println!("{} is left out: {error:#}\n", system.name);
                continue;
            }
        };
        let mut rows = Vec::new();
        for kind in &KINDS {
            let what = format!("{}, {}", system.name, kind.says());
            let comes_to = system.comes_to(kind.pair, release);
            let verdict = Verdict::of(&manifest, system.design, kind, comes_to)?;
            let tried = attempt(&made.dir, kind, time, tracefs.as_deref());
            if interrupt::requested() {
                return Ok(interrupt::EXIT);
            }
            let tally = match tried.with_context(|| what.clone())? {
                Tried::Counted(tally) => tally,
                Tried::NotOpened(why) => {
                    println!("{what}, is left out: {why:#}");
                    continue;
                }
            };
            models.extend(verdict.models().map(str::to_owned));
            let judged = verdict.judge(&tally);
            if let Judged::Refuted(model) = &judged {
                refuted.push(format!("{what}: torn, and {model} says that it never is"));
            }
            rows.push(row(kind, &verdict, &tally, &judged));
        }
        println!(
            "{}, for which {} stands: {}\n",
            system.name, system.design, system.read
        );
        let headings = [
            "what meets",
            "so often",
            "torn",
            "the models",
            "seen",
            "a seam",
        ];
        println!("{}", markdown::table(&headings, headings.len(), rows));
    }
    for refuted in &refuted {
        println!("{refuted}");
    }
    let models = cited::models(root, models.into_iter().collect(), out);
    Ok(u8::from(!refuted.is_empty()).max(check::check(root, &models)?))
}

/// A line of the table.
fn row(kind: &Kind, verdict: &Verdict, tally: &Tally, judged: &Judged) -> Vec<String> {
    let often = match kind.pair {
        Pair::Read(..) => format!("{} reads, {} writes", tally.reads, tally.writes),
        Pair::Writes(..) => format!("{} pairs", tally.reads),
    };
    let places = Place::ALL.into_iter().filter_map(|place| {
        let torn = tally.torn_in(place);
        (torn > 0).then(|| format!("{torn} {}", place.says()))
    });
    let torn = places.collect::<Vec<_>>().join(", ");
    let seam = tally.example().map(|seam| {
        format!(
            "at {}: write {} behind {}",
            seam.at, seam.after, seam.before
        )
    });
    vec![
        kind.says(),
        often,
        if torn.is_empty() {
            "none".to_owned()
        } else {
            torn
        },
        verdict.says(),
        judged.says(),
        seam.unwrap_or_default(),
    ]
}

/// A file system that is there.
struct Made {
    dir: PathBuf,
    _image: Option<Image>,
}

impl Made {
    fn of(system: &FileSystem) -> Result<Made> {
        let FileSystem { name, options, .. } = system;
        if system.format.is_empty() {
            let dir = place::in_memory(name, options)?;
            return Ok(Made { dir, _image: None });
        }
        let image = Image::new(name, SIZE, system.format, options)?;
        let dir = image.dir.clone();
        Ok(Made {
            dir,
            _image: Some(image),
        })
    }
}

/// What came of a kind on a file system.
enum Tried {
    Counted(Tally),
    /// The kernel opens no file so.
    NotOpened(anyhow::Error),
}

/// Lets a kind's operations meet, on a file of their own.
fn attempt(dir: &Path, kind: &Kind, time: Duration, tracefs: Option<&Path>) -> Result<Tried> {
    use Way::{Buffered, Direct};
    let path = dir.join("f");
    let length = usize::try_from(kind.length)?;
    let open = |way| threads::open(&path, way == Direct);
    let (Pair::Read(one, other) | Pair::Writes(one, other)) = kind.pair;
    let opened = open(one).and_then(|one| Ok((one, open(other)?)));
    let (one, other) = match opened {
        Ok(files) => files,
        Err(error) => return Ok(Tried::NotOpened(error)),
    };
    let buffered = open(Buffered)?;
    // The write that fills it is as those that come later, so that the page cache has the same folios.
    let folios = Folios::while_filling(tracefs, &path, || {
        buffered.write_all_at(&vec![0; length], kind.offset)?;
        Ok(buffered.sync_all()?)
    })?;
    // A direct write takes folios out of the page cache, and others come.
    let stay = matches!(
        kind.pair,
        Pair::Read(Buffered, Buffered) | Pair::Writes(Buffered, Buffered)
    );
    let ground = Ground {
        offset: kind.offset,
        length,
        folios: &if stay { folios } else { Folios::default() },
        time,
        reads: u64::MAX,
    };
    let tally = match kind.pair {
        Pair::Read(..) => {
            let readers = thread::available_parallelism()?.get().saturating_sub(1);
            let readers = vec![&one as &dyn Bytes; readers.max(1)];
            meeting::reads_beside_a_write(&readers, &other, &ground)?
        }
        Pair::Writes(..) => meeting::two_writes([&one, &other], &buffered, &ground)?,
    };
    std::fs::remove_file(&path)?;
    Ok(Tried::Counted(tally))
}
