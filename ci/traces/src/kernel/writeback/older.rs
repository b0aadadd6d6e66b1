//! What is older than a trace that begins in the middle: the requests that wait, and what each task has in its plug.
//!
//! A plug tells when it is empty: as it gets its first request, and as it is handed over. What its task does before is not seen,
//! and is older than the trace too. A request is older if it is issued, or merged into, and sectors of it were never submitted.
//! It does not wait for ever: a device that issues nothing for a tenth of a second has nothing that waits, and a scheduler prefers
//! none to it for ten seconds.

use std::collections::BTreeMap;

use anyhow::Result;

use super::extent;
use crate::kernel::event::Event;

/// No request waits that long while none is issued, in nanoseconds.
const PAUSE: u64 = 100_000_000;

/// No request waits that long: mq-deadline's writes expire after 5 s.
const LONGEST: u64 = 10_000_000_000;

/// What a first reading of the file shows.
#[derive(Debug, Default)]
pub(super) struct Begun {
    tasks: BTreeMap<u32, Task>,
    /// When the file begins.
    began: Option<u64>,
    /// When a request was issued last.
    issued: Option<u64>,
    /// From this line on nothing is older than the file.
    until: Option<usize>,
}

#[derive(Debug, Default)]
struct Task {
    submits: bool,
    /// It has a bio that is not merged, and has been seen.
    bio: bool,
    plug: Plug,
}

/// Of a task's plug.
#[derive(Debug, Default, PartialEq, Eq)]
enum Plug {
    /// It has not shown itself.
    #[default]
    Unseen,
    /// It has a request that was not seen.
    Holds,
    /// It is known behind this line: from the beginning, or from where it is handed over.
    Known(usize),
}

impl Begun {
    /// An event of the file.
    pub(super) fn survey(&mut self, event: &Event<'_>) -> Result<()> {
        self.pass(event);
        let is_over = self.until.is_some();
        let task = self.tasks.entry(event.raw.pid).or_default();
        match event.name {
            "bio_queue" => {
                let is_bio = extent(event)?.is_some();
                task.bio |= is_bio;
                task.submits |= is_bio;
            }
            "bio_backmerge" | "bio_frontmerge" => task.bio = false,
            "plug" if task.plug == Plug::Unseen => {
                task.plug = if task.bio || is_over {
                    Plug::Known(0)
                } else {
                    Plug::Holds
                };
            }
            "unplug" if !matches!(task.plug, Plug::Known(_)) => {
                let is_new = is_over && task.plug == Plug::Unseen;
                task.plug = Plug::Known(if is_new { 0 } else { event.line });
            }
            _ => {}
        }
        Ok(())
    }

    fn pass(&mut self, event: &Event<'_>) {
        if !event.raw.timed {
            return;
        }
        let now = event.raw.time;
        let began = *self.began.get_or_insert(now);
        let issued = self.issued.unwrap_or(began);
        if now - issued >= PAUSE || now - began >= LONGEST {
            self.until.get_or_insert(event.line);
        }
        if event.name == "request_issue" {
            self.issued = Some(now);
        }
    }

    /// Whether what is seen at the event may be older than the file.
    pub(super) fn may_be_older(&self, event: &Event<'_>) -> bool {
        self.until.is_none_or(|until| event.line < until)
    }

    /// Whether the plug of the event's task is known at it.
    pub(super) fn knows(&self, event: &Event<'_>) -> bool {
        match self.tasks.get(&event.raw.pid).map(|task| &task.plug) {
            Some(Plug::Known(line)) => *line < event.line,
            Some(Plug::Holds) => false,
            Some(Plug::Unseen) | None => true,
        }
    }

    /// The line behind which all plugs are known.
    pub(super) fn plugs(&self) -> usize {
        let submitters = self.tasks.values().filter(|task| task.submits);
        let lines = submitters.filter_map(|task| match task.plug {
            Plug::Known(line) => Some(line),
            _ => None,
        });
        lines.max().unwrap_or(0)
    }
}

/// Of one device, what has been submitted since the trace began, and which requests are older.
#[derive(Debug, Default)]
pub(super) struct Older {
    /// The end of each bio, by its first sector.
    bios: BTreeMap<i64, i64>,
    largest: i64,
    /// Each as first sector and sectors.
    requests: Vec<(i64, i64)>,
    /// Sectors of requests that were merged into, and are not issued yet.
    merged: Vec<i64>,
    /// The last line that has shown one.
    pub(super) shown: usize,
}

impl Older {
    /// A bio.
    pub(super) fn submit(&mut self, (first, size): (i64, i64)) {
        let end = self.bios.entry(first).or_default();
        *end = (*end).max(first + size);
        self.largest = self.largest.max(size);
    }

    /// A bio goes behind or before a request that has this sector.
    pub(super) fn merge(&mut self, sector: i64, line: usize) {
        if sector >= 0 && self.gaps(sector, sector + 1).len() == 1 {
            self.merged.push(sector);
            self.shown = line;
        }
    }

    /// A request is issued. What of it no bio has brought is one that is older, if it is in one piece: bios go to its ends.
    pub(super) fn issue(&mut self, (first, size): (i64, i64), line: usize) {
        if let [(low, high)] = self.gaps(first, first + size)[..] {
            self.requests.push((low, high - low));
            self.merged.retain(|sector| !(low..high).contains(sector));
            self.shown = line;
        }
    }

    /// What no bio has brought.
    fn gaps(&self, low: i64, high: i64) -> Vec<(i64, i64)> {
        let mut gaps = Vec::new();
        let mut from = low;
        for (&first, &end) in self.bios.range(low.saturating_sub(self.largest)..high) {
            if first > from {
                gaps.push((from, first));
            }
            from = from.max(end);
        }
        if from < high {
            gaps.push((from, high));
        }
        gaps
    }

    /// All of them. One that is merged into and not issued is known by the sector that a bio goes to.
    pub(super) fn requests(&self) -> impl Iterator<Item = (i64, i64)> {
        let merged = self.merged.iter().map(|sector| (*sector, 1));
        self.requests.iter().copied().chain(merged)
    }
}
