//! A program on a list of ranges, and what is checked of each schedule of it.

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use interlock::range::list::{ListGuard, RangeList};
use interlock::range::list_policy::Policy;
use loom::cell::UnsafeCell;
use loom::thread;

use super::epoch;
use super::sys::{LoomSys, MARKS};
use crate::explored::{Figures, explore};

/// What a thread does.
#[derive(Debug, Clone)]
pub enum Op {
    /// Reads these cells.
    Read(Range<u64>),
    /// Writes them.
    Write(Range<u64>),
    /// Writes these, and those while it holds these.
    Both(Range<u64>, Range<u64>),
}

impl Op {
    fn ranges(&self) -> usize {
        match self {
            Op::Read(_) | Op::Write(_) => 1,
            Op::Both(..) => 2,
        }
    }
}

/// How many cells there are.
const CELLS: usize = 3;

struct Shared<const FAULT: u8> {
    list: RangeList<LoomSys<FAULT>>,
    cells: [UnsafeCell<u32>; CELLS],
    /// Who had its range, in this order. loom does not see it.
    log: Mutex<Vec<usize>>,
}

// SAFETY: a cell is touched under a guard of its range alone, and loom checks that.
unsafe impl<const FAULT: u8> Sync for Shared<FAULT> {}
// SAFETY: as above.
unsafe impl<const FAULT: u8> Send for Shared<FAULT> {}

impl<const FAULT: u8> Shared<FAULT> {
    fn cells(&self, guard: &ListGuard<'_, LoomSys<FAULT>>) -> &[UnsafeCell<u32>] {
        let Range { start, end } = guard.range();
        &self.cells[start as usize..end as usize]
    }

    fn reads(&self, thread: usize, range: &Range<u64>) {
        let guard = self.list.read(range.clone());
        self.log(thread);
        for cell in self.cells(&guard) {
            // SAFETY: the range is held, and loom checks that nobody writes.
            cell.with(|value| unsafe { *value });
        }
    }

    fn writes(&self, thread: usize, range: &Range<u64>) -> ListGuard<'_, LoomSys<FAULT>> {
        let guard = self.list.write(range.clone());
        self.log(thread);
        for cell in self.cells(&guard) {
            // SAFETY: the range is held for writing, and loom checks that nobody has it too.
            cell.with_mut(|value| unsafe { *value += 1 });
        }
        guard
    }

    fn log(&self, thread: usize) {
        self.log.lock().expect("nobody panics with it").push(thread);
    }

    fn run(&self, thread: usize, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Read(range) => self.reads(thread, range),
                Op::Write(range) => drop(self.writes(thread, range)),
                Op::Both(first, second) => {
                    // Not dropped as a deadlock unwinds: loom would run no step of that.
                    let guard = ManuallyDrop::new(self.writes(thread, first));
                    drop(self.writes(thread, second));
                    drop(ManuallyDrop::into_inner(guard));
                }
            }
        }
    }
}

/// What one schedule showed.
#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
struct Shown {
    held: Vec<usize>,
    retreats: usize,
    freed: usize,
}

/// What some schedule showed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Most {
    /// So many tries retreated in one schedule.
    pub retreats: usize,
    /// So many nodes were freed before it ended.
    pub freed: usize,
}

/// Of two that conflict one retreats, so that no model here has a schedule with two.
const RETREATS: usize = 1;

/// Runs every schedule, with at most so many preemptions, of threads that do these one after the other.
///
/// # Panics
/// If loom finds something, or more tries retreat in one schedule than may.
pub fn run<const FAULT: u8>(
    name: &str,
    policy: Policy,
    threads: &[&[Op]],
    preemptions: Option<usize>,
) -> (Figures, Most) {
    let threads: Vec<Vec<Op>> = threads.iter().map(|ops| ops.to_vec()).collect();
    let asked: usize = threads.iter().flatten().map(Op::ranges).sum();
    let run = move || {
        MARKS.store(asked + RETREATS, Ordering::Relaxed);
        let shared = Arc::new(Shared::<FAULT> {
            list: RangeList::with(policy),
            cells: std::array::from_fn(|_| UnsafeCell::new(0)),
            log: Mutex::new(Vec::new()),
        });
        let others = threads.iter().cloned().enumerate().skip(1);
        let others: Vec<_> = others
            .map(|(thread, ops)| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || shared.run(thread, &ops))
            })
            .collect();
        shared.run(0, &threads[0]);
        for thread in others {
            thread.join().expect("no thread panics");
        }
        let held = std::mem::take(&mut *shared.log.lock().expect("nobody panics with it"));
        let (memory, freed) = epoch::end();
        let shown = Shown {
            held,
            retreats: RETREATS - MARKS.load(Ordering::Relaxed),
            freed,
        };
        (shown, (shared, memory))
    };
    let judge = |shown: Shown, _: &_, most: &mut Most| {
        most.retreats = most.retreats.max(shown.retreats);
        most.freed = most.freed.max(shown.freed);
    };
    explore(name, preemptions, run, judge)
}
