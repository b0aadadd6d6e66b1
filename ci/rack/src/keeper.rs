//! What the disk does with a plan's writes: those of a call are known by what they write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use interlock_disk::{Disk, Event, Happened, Order, Then, Write};

use crate::content::Content;
use crate::plan::{BLOCK, Plan};

/// Holds back what the started calls write, until each is released.
#[derive(Clone)]
pub struct Keeper {
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    /// The calls' names.
    names: Vec<String>,
    /// Whose writes are held back.
    holding: BTreeSet<usize>,
    /// The truncate or punch that has begun: what the kernel writes of the file's old content is its.
    kernel: Option<usize>,
    /// Of each write of the file's content: whose it is, and where on the disk.
    seen: BTreeMap<u64, Seen>,
    delays: Option<Delays>,
}

struct Seen {
    calls: BTreeSet<usize>,
    from: u64,
    shown: String,
}

/// A time for each write of a call, instead of a plan's order.
type Delays = Box<dyn FnMut() -> Duration + Send>;

impl Keeper {
    /// Of this plan. With `delays`, nothing is held back, and each write of a call takes so long.
    pub fn new(plan: &Plan, delays: Option<Delays>) -> Keeper {
        let shared = Shared {
            names: plan.calls.iter().map(|call| call.name.clone()).collect(),
            holding: BTreeSet::new(),
            kernel: None,
            seen: BTreeMap::new(),
            delays,
        };
        Keeper {
            shared: Arc::new(Mutex::new(shared)),
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on what the call writes is held back; `by_kernel`: what the kernel writes for it.
    pub fn hold(&self, call: usize, by_kernel: bool) {
        let mut shared = self.shared();
        shared.holding.insert(call);
        if by_kernel {
            shared.kernel = Some(call);
        }
    }

    /// What of the call's is held back; from now on nothing more is.
    pub fn let_go(&self, call: usize, disk: &Disk) -> Vec<u64> {
        let held = {
            let mut shared = self.shared();
            shared.holding.remove(&call);
            if shared.kernel == Some(call) {
                shared.kernel = None;
            }
            drop(shared);
            self.held(call, disk)
        };
        held
    }

    /// What of the call's is held back.
    pub fn held(&self, call: usize, disk: &Disk) -> Vec<u64> {
        let held = disk.held();
        let shared = self.shared();
        let of = |number: &u64| {
            shared
                .seen
                .get(number)
                .is_some_and(|seen| seen.calls.contains(&call))
        };
        held.into_iter().filter(of).collect()
    }

    /// What happened at the disk, a line each: writes of the file's content, and flushes.
    pub fn log(&self, events: &[Event]) -> Vec<String> {
        let shared = self.shared();
        let line = |event: &Event| {
            let what = match event.happened {
                Happened::Flushed => return Some("flush".to_owned()),
                Happened::Arrived => "arrives",
                Happened::Done => "is done",
                Happened::Failed => "fails",
            };
            let seen = shared.seen.get(&event.number)?;
            Some(format!(
                "#{} {what}: {} bytes [{}]",
                event.number, event.length, seen.shown
            ))
        };
        events.iter().filter_map(line).collect()
    }
}

impl Order for Keeper {
    fn arrives(&mut self, write: &Write<'_>) -> Then {
        self.shared().arrives(write)
    }

    /// What a truncate or punch reads of the file, to zero a part of it.
    fn reads(&mut self, number: u64, bytes: &[u8]) -> Then {
        let mut shared = self.shared();
        let Some(kernel) = shared.kernel else {
            return Then::Now;
        };
        let sectors = Content::read(bytes);
        if !sectors.contains(&Content::Old) || shared.delays.is_some() {
            return Then::Now;
        }
        let shown = format!("read: {}", shown(&sectors));
        let calls = [kernel].into();
        shared.seen.insert(
            number,
            Seen {
                calls,
                from: u64::MAX,
                shown,
            },
        );
        Then::Hold
    }
}

impl Shared {
    fn arrives(&mut self, write: &Write<'_>) -> Then {
        let sectors = Content::read(write.bytes);
        let zero = sectors.iter().all(|content| *content == Content::Zero);
        let mut calls: BTreeSet<usize> = match zero {
            true => self.pad_of(write),
            false => sectors
                .iter()
                .filter_map(|content| self.call(content))
                .collect(),
        };
        let ours = sectors
            .iter()
            .any(|content| matches!(content, Content::Of(_) | Content::Old));
        if let Some(kernel) = self.kernel
            && sectors.contains(&Content::Old)
        {
            calls.insert(kernel);
        }
        if !ours && calls.is_empty() {
            return Then::Now;
        }
        let then = match &mut self.delays {
            Some(delay) if !calls.is_empty() => Then::After(delay()),
            _ if calls.iter().any(|call| self.holding.contains(call)) => Then::Hold,
            _ => Then::Now,
        };
        let shown = shown(&sectors);
        let from = write.from;
        self.seen.insert(write.number, Seen { calls, from, shown });
        then
    }

    fn call(&self, content: &Content) -> Option<usize> {
        let Content::Of(name) = content else {
            return None;
        };
        self.names.iter().position(|known| known == name)
    }

    /// Whose zeroes these are: part of a block of which a write is held back.
    fn pad_of(&self, write: &Write<'_>) -> BTreeSet<usize> {
        if write.bytes.len() as u64 >= BLOCK {
            return BTreeSet::new();
        }
        let beside = |from: u64| from / BLOCK == write.from / BLOCK;
        let held = write.held.iter().filter(|(_, from)| beside(*from));
        let seen = held.filter_map(|(number, _)| self.seen.get(number));
        seen.filter(|seen| beside(seen.from))
            .flat_map(|seen| seen.calls.iter().copied())
            .collect()
    }
}

/// Sectors in words: `a 0*7`.
pub fn shown(sectors: &[Content]) -> String {
    let runs = sectors.chunk_by(|one, next| one == next);
    let runs = runs.map(|run| match run.len() {
        1 => run[0].to_string(),
        many => format!("{}*{many}", run[0]),
    });
    runs.collect::<Vec<_>>().join(" ")
}
