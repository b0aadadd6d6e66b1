//! A plan: which thread makes which call of one file, and which of them the disk lets complete when.
//!
//! ```text
//! fs ext4
//! cut 512                  # a block of 4096 bytes is two sectors, of 512 and of 3584 bytes
//! block written            # the file's blocks at the start: written, unwritten, hole
//! block hole
//! size 512                 # i_size at the start, in bytes; `cloned`, on XFS: another file shares its blocks
//! call a write 0 512 aio   # bytes 0 to 511, O_DIRECT, by io_submit
//! call X write 4096 8192 aio
//! start a                  # the call is made; what it writes is held back by the disk
//! start X
//! release X                # the disk applies and answers it
//! release a
//! sync                     # fsync
//! ```
//!
//! [`derive`](crate::derive) makes one of a counterexample, `interlock hunt` prints what it has shrunk as one, `interlock replay`
//! plays them.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// Bytes of a block.
pub const BLOCK: u64 = 4096;

/// Bytes of the least direct write.
pub const SECTOR: u64 = interlock_disk::SECTOR;

/// A file is no longer.
const MOST: u64 = 1 << 20;

/// A file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fs {
    /// ext4.
    Ext4,
    /// XFS.
    Xfs,
}

/// A block at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extent {
    /// Not there.
    Hole,
    /// Allocated, reads as zero.
    Unwritten,
    /// Written, up to `i_size`.
    Written,
}

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum What {
    /// pwrite past the page cache.
    Write,
    /// pwrite through it.
    Buffered,
    /// pread past it.
    Read,
    /// fallocate(FALLOC_FL_PUNCH_HOLE).
    Punch,
    /// ftruncate to `from`.
    Truncate,
}

/// How a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum By {
    /// The system call waits.
    Sync,
    /// io_submit.
    Aio,
    /// io_uring.
    Uring,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Its name: letters and digits, at most four.
    pub name: String,
    /// What it does.
    pub what: What,
    /// Its first byte; of a truncate, the new size.
    pub from: u64,
    /// The byte behind its last one.
    pub to: u64,
    /// How it is made.
    pub by: By,
    /// With RWF_NOWAIT.
    pub nowait: bool,
}

impl Call {
    /// Whether the disk holds back what it writes.
    pub fn is_held(&self) -> bool {
        self.what == What::Write
    }

    /// Whether it puts data of its own into the file.
    pub fn writes(&self) -> bool {
        matches!(self.what, What::Write | What::Buffered)
    }
}

/// A step of a plan. Numbers are places among the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    /// The call is made.
    Start(usize),
    /// What it writes is applied and answered; it must have come to the disk. Of a truncate or a punch: what it has the kernel
    /// write itself.
    Release(usize),
    /// What it writes is answered with an error.
    Fail(usize),
    /// It must have returned.
    Returned(usize),
    /// fsync.
    Sync,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The file system.
    pub fs: Fs,
    /// Where a block is cut into sectors.
    pub cut: Vec<u64>,
    /// The file's blocks at the start.
    pub blocks: Vec<Extent>,
    /// `i_size` at the start, in bytes.
    pub size: u64,
    /// Whether another file shares its blocks at the start (FICLONE).
    pub cloned: bool,
    /// The calls.
    pub calls: Vec<Call>,
    /// What is done, in this order.
    pub steps: Vec<Step>,
}

const EXTENTS: [(&str, Extent); 3] = [
    ("hole", Extent::Hole),
    ("unwritten", Extent::Unwritten),
    ("written", Extent::Written),
];

const WHATS: [(&str, What); 5] = [
    ("write", What::Write),
    ("buffered", What::Buffered),
    ("read", What::Read),
    ("punch", What::Punch),
    ("truncate", What::Truncate),
];

const BYS: [(&str, By); 3] = [("sync", By::Sync), ("aio", By::Aio), ("uring", By::Uring)];

const FSS: [(&str, Fs); 2] = [("ext4", Fs::Ext4), ("xfs", Fs::Xfs)];

fn named<T: Copy>(names: &[(&str, T)], name: &str) -> Result<T> {
    let found = names.iter().find(|(known, _)| *known == name);
    let all = || names.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let (_, of) = found.with_context(|| format!("`{name}` is none of {}", all().join(", ")))?;
    Ok(*of)
}

/// The name of a value of these.
fn name_of<T: PartialEq>(names: &[(&'static str, T)], of: &T) -> &'static str {
    let found = names.iter().find(|(_, known)| known == of);
    found.map_or("", |(name, _)| name)
}

impl fmt::Display for Fs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&FSS, self))
    }
}

impl Fs {
    /// By its name.
    ///
    /// # Errors
    /// If it has another one.
    pub fn named(name: &str) -> Result<Fs> {
        named(&FSS, name)
    }
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// With the line that is none.
    pub fn parse(text: &str) -> Result<Plan> {
        let mut plan = Plan {
            fs: Fs::Ext4,
            cut: Vec::new(),
            blocks: Vec::new(),
            size: 0,
            cloned: false,
            calls: Vec::new(),
            steps: Vec::new(),
        };
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                plan.take(&words)
                    .with_context(|| format!("line {}", number + 1))?;
            }
        }
        plan.check()?;
        Ok(plan)
    }

    fn take(&mut self, words: &[&str]) -> Result<()> {
        let call = |name: &str| {
            let place = self.calls.iter().position(|call| call.name == name);
            place.with_context(|| format!("no call is named {name}"))
        };
        match words {
            ["fs", fs] => self.fs = named(&FSS, fs)?,
            ["cut", cuts @ ..] => {
                self.cut = cuts.iter().map(|cut| bytes(cut)).collect::<Result<_>>()?
            }
            ["block", state] => self.blocks.push(named(&EXTENTS, state)?),
            ["size", size] => self.size = bytes(size)?,
            ["cloned"] => self.cloned = true,
            ["call", name, what, from, to, rest @ ..] => {
                let mut by = By::Sync;
                let mut nowait = false;
                for word in rest {
                    match *word {
                        "nowait" => nowait = true,
                        how => by = named(&BYS, how)?,
                    }
                }
                ensure!(call(name).is_err(), "a call named {name} is there already");
                self.calls.push(Call {
                    name: (*name).to_owned(),
                    what: named(&WHATS, what)?,
                    from: bytes(from)?,
                    to: bytes(to)?,
                    by,
                    nowait,
                });
            }
            ["start", name] => self.steps.push(Step::Start(call(name)?)),
            ["release", name] => self.steps.push(Step::Release(call(name)?)),
            ["fail", name] => self.steps.push(Step::Fail(call(name)?)),
            ["returned", name] => self.steps.push(Step::Returned(call(name)?)),
            ["sync"] => self.steps.push(Step::Sync),
            _ => bail!("`{}` is no line of a plan", words.join(" ")),
        }
        Ok(())
    }

    /// Whether it can be played.
    fn check(&self) -> Result<()> {
        let end = self.blocks.len() as u64 * BLOCK;
        ensure!(end > 0, "a plan has a block, at least");
        ensure!(!self.cloned || self.fs == Fs::Xfs, "ext4 clones no files");
        ensure!(end <= MOST, "a plan's file has at most {MOST} bytes");
        ensure!(
            self.size <= end,
            "size {}: the blocks end at {end}",
            self.size
        );
        let cut = |at: u64| at.is_multiple_of(BLOCK) || self.cut.contains(&(at % BLOCK));
        let increasing = self.cut.windows(2).all(|two| two[0] < two[1]);
        ensure!(
            increasing
                && self
                    .cut
                    .iter()
                    .all(|cut| (1..BLOCK).contains(cut) && cut % SECTOR == 0),
            "a cut is a multiple of {SECTOR} below {BLOCK}, behind the one before it"
        );
        for call in &self.calls {
            let Call { name, from, to, .. } = call;
            let letters = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
            ensure!(
                letters && (1..=4).contains(&name.len()),
                "call {name}: a name has one to four letters or digits"
            );
            ensure!(
                from < to && *to <= end,
                "call {name}: bytes {from} to {to} of {end}"
            );
            ensure!(
                cut(*from) && cut(*to),
                "call {name}: bytes {from} to {to} are not whole sectors: no cut is there"
            );
            ensure!(
                call.by == By::Sync || matches!(call.what, What::Write | What::Read),
                "call {name}: only direct reads and writes are asynchronous"
            );
        }
        let mut started = BTreeSet::new();
        for step in &self.steps {
            match step {
                Step::Start(call) => ensure!(
                    started.insert(*call),
                    "call {} starts twice",
                    self.calls[*call].name
                ),
                Step::Release(call) | Step::Fail(call) | Step::Returned(call) => {
                    ensure!(
                        started.contains(call),
                        "call {} is not started",
                        self.calls[*call].name
                    );
                }
                Step::Sync => {}
            }
        }
        Ok(())
    }

    /// A step in words.
    pub fn show(&self, step: Step) -> String {
        let name = |call: usize| &self.calls[call].name;
        match step {
            Step::Start(call) => format!("start {}", name(call)),
            Step::Release(call) => format!("release {}", name(call)),
            Step::Fail(call) => format!("fail {}", name(call)),
            Step::Returned(call) => format!("returned {}", name(call)),
            Step::Sync => "sync".to_owned(),
        }
    }
}

fn bytes(word: &str) -> Result<u64> {
    word.parse()
        .with_context(|| format!("`{word}` is no number of bytes"))
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "fs {}", self.fs)?;
        if !self.cut.is_empty() {
            let cuts: Vec<String> = self.cut.iter().map(u64::to_string).collect();
            writeln!(f, "cut {}", cuts.join(" "))?;
        }
        for block in &self.blocks {
            writeln!(f, "block {}", name_of(&EXTENTS, block))?;
        }
        writeln!(f, "size {}", self.size)?;
        if self.cloned {
            writeln!(f, "cloned")?;
        }
        for call in &self.calls {
            let what = name_of(&WHATS, &call.what);
            write!(f, "call {} {what} {} {}", call.name, call.from, call.to)?;
            if call.by != By::Sync {
                write!(f, " {}", name_of(&BYS, &call.by))?;
            }
            writeln!(f, "{}", if call.nowait { " nowait" } else { "" })?;
        }
        for step in &self.steps {
            writeln!(f, "{}", self.show(*step))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const XD: &str = "fs ext4\ncut 512\nblock written\nblock hole\nsize 512\n\
        call a write 0 512 aio\ncall X write 4096 8192 uring nowait\ncall t truncate 4096 8192\n\
        start a\nstart X\nrelease X\nstart t\nreturned t\nfail a\nsync\n";

    #[test]
    fn what_is_printed_is_read() {
        let plan = Plan::parse(XD).expect("a plan");
        assert_eq!(plan.to_string(), XD);
        assert_eq!(plan.calls[1].by, By::Uring);
        assert!(plan.calls[1].nowait);
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let cases = [
            ("start a", "start q", "line 9: no call is named q"),
            (
                "size 512",
                "size many",
                "line 5: `many` is no number of bytes: invalid digit found in string",
            ),
            (
                "block hole",
                "block empty",
                "line 4: `empty` is none of hole, unwritten, written",
            ),
            ("size 512", "size 9999", "size 9999: the blocks end at 8192"),
            (
                "write 0 512",
                "write 0 700",
                "call a: bytes 0 to 700 are not whole sectors: no cut is there",
            ),
            ("start X", "start a", "call a starts twice"),
            (
                "cut 512",
                "cut 500",
                "a cut is a multiple of 512 below 4096, behind the one before it",
            ),
            (
                "truncate 4096 8192",
                "truncate 4096 8192 aio",
                "call t: only direct reads and writes are asynchronous",
            ),
        ];
        for (line, instead, says) in cases {
            let error = Plan::parse(&XD.replace(line, instead)).expect_err(instead);
            assert_eq!(format!("{error:#}"), says);
        }
    }
}
