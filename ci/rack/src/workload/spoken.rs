//! What a kernel with jbd2-speaks tells of those who reserve credits, while a few threads write and fsync in a short journal.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};

use super::herd::{self, Shape};
use crate::mounted::Mounted;

/// A journal in which half of the threads may reserve.
pub const SHAPE: Shape = Shape::of(16, 4);

/// So many steps are asked for at most: what follows them says nothing new.
const MOST: usize = 1600;

/// What was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Credits that may be reserved: half of the largest transaction of a user's.
    pub half: u32,
    /// The steps, in their order.
    pub steps: Vec<Step>,
}

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Which.
    pub did: Did,
    /// The task that took it: its number.
    pub task: u32,
    /// Credits that it is about.
    pub credits: u32,
    /// Those that are reserved or granted after it.
    pub sum: u32,
}

/// What a step was: in `jbd2-speaks.cocci`, `enum jbd2_step`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Did {
    /// It reserves.
    Takes,
    /// It adds more than there are.
    Fails,
    /// It finds too few, and queues.
    Sleeps,
    /// It finds enough.
    Retries,
    /// It gives back, or takes back what was too much.
    Subtracts,
    /// It reserves what was granted to it.
    Has,
}

impl Did {
    /// By their numbers.
    const ALL: [Did; 6] = [
        Did::Takes,
        Did::Fails,
        Did::Sleeps,
        Did::Retries,
        Did::Subtracts,
        Did::Has,
    ];
}

/// Runs it on ext4.
///
/// # Errors
/// If the kernel does not tell, a file system cannot be made, or a call fails.
pub fn run(root: &Path) -> Result<Told> {
    let dir = herd::debugfs()?.context("there is no debugfs")?;
    let file = |name: &str| -> PathBuf { dir.join(format!("jbd2_spoken{name}")) };
    let number = |name: &str| -> Result<u32> {
        let text = fs::read_to_string(file(name)).context("the kernel does not tell")?;
        Ok(text.trim().parse()?)
    };
    let mounted = Mounted::ext4(root, herd::DISK, SHAPE.journal, "dioread_nolock")?;
    let workers = herd::workers(&mounted, SHAPE.threads)?;
    // Nothing is reserved before the first step that is told.
    rustix::fs::sync();
    fs::write(file("_count"), "0")?;
    herd::go(workers)?;
    let count = usize::try_from(number("_count")?)?.min(MOST);
    let words = fs::read(file("")).context("jbd2_spoken")?;
    let steps = words.as_chunks::<16>().0.iter().take(count).map(step);
    let steps: Vec<Step> = steps.collect::<Result<_>>()?;
    ensure!(steps.len() == count, "jbd2_spoken is short");
    Ok(Told {
        half: number("_half")?,
        steps,
    })
}

fn step(words: &[u8; 16]) -> Result<Step> {
    let word = |at: usize| u32::from_ne_bytes(words[4 * at..][..4].try_into().expect("four bytes"));
    let did = Did::ALL.get(usize::try_from(word(0))?);
    Ok(Step {
        did: *did.with_context(|| format!("{} is no step", word(0)))?,
        task: word(1),
        credits: word(2),
        sum: word(3),
    })
}
