//! From which line on the lists of a bdi are known, in a trace that begins in the middle.
//!
//! writeback_sb_inodes goes on until b_io is empty, unless the work's pages are written, or it has written something and a tenth of a
//! second has passed. What it leaves on b_more_io it tells. So if a pass that has filled b_io ends before, and the flusher is done
//! then, no inode is queued but on b_dirty.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::lists::{bdi_of, is_spent};
use super::{is_dirty, signed};
use crate::kernel::event::Event;

/// HZ / 10 jiffies, in nanoseconds.
const PASS: u64 = 100_000_000;

/// Of each bdi, what a first reading of the file shows.
#[derive(Debug, Default)]
pub(super) struct Begins {
    bdis: BTreeMap<String, Begin>,
    /// The bdi that each flusher has worked for last.
    flushers: BTreeMap<u32, String>,
    /// What is on a list at such a line was not dirtied later, in jiffies.
    pub(super) zero: Option<u64>,
}

#[derive(Debug, Default)]
struct Begin {
    /// The pass that the flusher is at, or has ended last.
    pass: Option<Pass>,
    /// The line.
    from: Option<usize>,
    /// b_io was filled behind it.
    queued: bool,
    /// What was dirtied behind it.
    dirtied: BTreeSet<String>,
}

#[derive(Debug, Default)]
struct Pass {
    /// In nanoseconds, of a clock that has them.
    began: Option<u64>,
    /// It has filled b_io.
    queued: bool,
    /// It has written something.
    progress: bool,
    /// It has put an inode on b_more_io.
    more: bool,
    /// It has ended, and b_io is empty.
    ended: bool,
}

impl Begins {
    /// The line from which on the lists of a bdi are known.
    pub(super) fn from(&self, bdi: &str) -> Option<usize> {
        self.bdis.get(bdi)?.from
    }

    /// The bdis that a flusher works for, of which no such line is known.
    pub(super) fn unknown(&self) -> Vec<&str> {
        let unknown = self
            .flushers
            .values()
            .filter(|bdi| self.from(bdi).is_none());
        unknown
            .map(String::as_str)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }

    /// An event of the file.
    pub(super) fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        let pid = event.raw.pid;
        match event.name {
            "dirty_inode" => {
                if let Some(bdi) = bdi_of(event)? {
                    let bdi = self.bdis.entry(bdi).or_default();
                    if bdi.from.is_some() {
                        bdi.dirtied.insert(event.text("ino")?.to_owned());
                    }
                    let is_before = !bdi.queued;
                    self.sees(is_before, event, "dirtied")?;
                }
            }
            "wb_exec" | "wb_start" | "wb_written" => {
                self.flushers.insert(pid, event.text("bdi")?.to_owned());
                let bdi = self.bdi(event)?;
                match event.name {
                    "wb_start" => {
                        let began = event.raw.timed.then_some(event.raw.time);
                        bdi.pass = Some(Pass {
                            began,
                            ..Pass::default()
                        });
                    }
                    "wb_written" => {
                        let is_over = signed(event, "pages")? <= 0;
                        if let Some(pass) = &mut bdi.pass {
                            pass.ends(event.raw.time, is_over);
                        }
                    }
                    _ => {}
                }
            }
            "queue_io" => {
                let bdi = self.bdi(event)?;
                let is_before = !bdi.queued;
                bdi.queued = bdi.from.is_some();
                if let Some(pass) = &mut bdi.pass {
                    pass.queued = true;
                }
                self.sees(is_before, event, "older")?;
            }
            "single_inode_start" => {
                let ino = event.text("ino")?;
                let bdi = self.bdi(event)?;
                let is_before = !bdi.dirtied.contains(ino);
                self.sees(is_before, event, "dirtied")?;
            }
            "inode_requeue" => {
                if let Some(pass) = &mut self.bdi(event)?.pass {
                    pass.more = true;
                }
            }
            "single_inode" => {
                let again = is_dirty(event)?;
                let (wrote, spent) = (event.number("wrote")?, is_spent(event)?);
                if let Some(pass) = &mut self.bdi(event)?.pass {
                    pass.progress |= wrote > 0 || !again;
                    pass.more |= again && spent;
                }
            }
            "pages_written" => {
                let bdi = self.flushers.get(&pid);
                if let Some(bdi) = bdi.and_then(|name| self.bdis.get_mut(name)) {
                    let pass = bdi.pass.take();
                    if pass.is_some_and(|pass| pass.ended && pass.queued && !pass.more) {
                        bdi.from.get_or_insert(event.line);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn bdi(&mut self, event: &Event<'_>) -> Result<&mut Begin> {
        Ok(self.bdis.entry(event.text("bdi")?.to_owned()).or_default())
    }

    /// What may be on a list at the line is no younger than this.
    fn sees(&mut self, is_before: bool, event: &Event<'_>, field: &str) -> Result<()> {
        if is_before {
            self.zero = self.zero.max(Some(event.number(field)?));
        }
        Ok(())
    }
}

impl Pass {
    fn ends(&mut self, time: u64, is_over: bool) {
        let is_short = self.began.is_some_and(|began| time - began < PASS);
        self.ended = !self.progress || is_short && !is_over;
    }
}
