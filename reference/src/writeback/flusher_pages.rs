//! The pages of a flusher: where each is on its way to the device.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use super::flusher_probe::Numbers;
use super::plug::{Run, runs};
use super::rules::Unwritten;

/// A page that is not on the device yet.
pub(super) struct Page {
    pub bytes: Vec<u8>,
    /// The number of the oldest write to it.
    pub since: u64,
}

/// A request that the device has not begun.
pub(super) struct Request {
    pub run: Run,
    pub bytes: Vec<u8>,
}

/// All that the monitor guards, each page by its inode. Nothing is issued twice at a time: a pass ends when all is done.
#[derive(Default)]
pub(super) struct Pages {
    /// b_dirty.
    pub dirty: BTreeMap<usize, Page>,
    /// b_io.
    pub io: BTreeMap<usize, Page>,
    /// The one that is about to be submitted.
    pub picked: Option<(usize, Page)>,
    /// current->plug.
    pub plug: BTreeMap<usize, Page>,
    /// Requests that no thread of the device has taken.
    pub queue: VecDeque<Request>,
    /// The device's requests, with the oldest write in each.
    pub flying: BTreeMap<Run, u64>,
    /// wb->list_lock is held over more than a step.
    pub locked: bool,
    /// The inode that a throttled thread waits for.
    pub waits: Option<usize>,
    /// How many writes there were.
    pub writes: u64,
    /// How many threads want everything written.
    pub waiting: usize,
    /// How many requests were issued.
    pub requests: u64,
    /// A request has failed since a sync was told so.
    pub failed: bool,
    /// Nothing more is done.
    pub closed: bool,
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("dirty", &self.dirty.keys())
            .field("io", &self.io.keys())
            .field("picked", &self.picked.as_ref().map(|(inode, _)| inode))
            .field("plug", &self.plug.keys())
            .field("queue", &self.queue.len())
            .field("flying", &self.flying)
            .field("locked", &self.locked)
            .field("waits", &self.waits)
            .field("waiting", &self.waiting)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

impl Pages {
    /// A write to an inode's page.
    pub fn write(&mut self, inode: usize, bytes: &[u8]) {
        self.writes += 1;
        let since = self
            .dirty
            .get(&inode)
            .map_or(self.writes, |page| page.since);
        let bytes = bytes.to_vec();
        self.dirty.insert(inode, Page { bytes, since });
    }

    /// The requests of what is in the plug.
    fn runs(&self) -> Vec<Run> {
        runs(&self.plug.keys().copied().collect())
    }

    /// The device takes what is in the plug: one that has nothing to do queues what it cannot begin.
    pub fn has_room(&self, slots: usize) -> bool {
        self.flying.is_empty() || self.flying.len() + self.runs().len() <= slots
    }

    /// What is in the plug goes to the device.
    pub fn issue(&mut self) {
        for run in self.runs() {
            let (mut bytes, mut since) = (Vec::new(), u64::MAX);
            for inode in run.first..=run.last {
                if let Some(page) = self.plug.remove(&inode) {
                    bytes.extend(page.bytes);
                    since = since.min(page.since);
                }
            }
            self.flying.insert(run, since);
            self.queue.push_back(Request { run, bytes });
            self.requests += 1;
        }
    }

    /// A request is done.
    pub fn complete(&mut self, run: Run) {
        self.flying.remove(&run);
        if self.waits.is_some_and(|inode| run.has(inode)) {
            self.waits = None;
        }
    }

    /// What the probe sees of them.
    pub fn numbers(&self) -> Numbers {
        Numbers {
            plug: self.plug.len(),
            flying: self.flying.len(),
            requests: self.requests,
        }
    }

    /// The first inode that is submitted, and not done.
    pub fn submitted(&self) -> Option<usize> {
        let flying = self.flying.keys().map(|run| run.first);
        self.plug.keys().copied().chain(flying).min()
    }

    /// How many pages are not on the device.
    pub fn count(&self) -> usize {
        let flying = self.flying.keys().map(|run| run.last - run.first + 1);
        let flying: usize = flying.sum();
        let picked = usize::from(self.picked.is_some());
        self.dirty.len() + self.io.len() + picked + self.plug.len() + flying
    }

    /// The oldest write in each place.
    pub fn unwritten(&self) -> Unwritten {
        let oldest = |pages: &BTreeMap<usize, Page>| pages.values().map(|page| page.since).min();
        Unwritten {
            dirty: oldest(&self.dirty),
            io: oldest(&self.io),
            picked: self.picked.as_ref().map(|(_, page)| page.since),
            plug: oldest(&self.plug),
            flying: self.flying.values().min().copied(),
        }
    }
}
