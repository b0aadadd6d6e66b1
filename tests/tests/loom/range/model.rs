//! A program on a lock of ranges, and what is checked of each schedule of it.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use interlock::range::lock::{RangeGuard, RangeLock};
use interlock::range::policy::Policy;
use interlock::range::sys::Sys;
use loom::cell::UnsafeCell;

use loom::thread;

use super::sys::{LoomSys, Passed};
use crate::explored::{Figures, explore};

/// What a thread does.
#[derive(Debug, Clone)]
pub enum Op {
    /// Reads these cells.
    Read(Range<u64>),
    /// Writes them.
    Write(Range<u64>),
    /// Writes them, parts the range here, gives up the part before, and writes the other once more.
    Split(Range<u64>, u64),
    /// Writes them, shrinks the range to this, and writes once more.
    Shrink(Range<u64>, Range<u64>),
    /// Writes them, and reads them.
    Downgrade(Range<u64>),
    /// Writes them if it need not wait.
    TryWrite(Range<u64>),
    /// Reads them if it need not wait.
    TryRead(Range<u64>),
    /// Reads them, if it has them before it gives up.
    TimedRead(Range<u64>),
    /// Writes them, if it has them before it gives up.
    TimedWrite(Range<u64>),
    /// Reads them, parts the range here, gives up the part before, and reads the other once more.
    SplitRead(Range<u64>, u64),
}

/// How many cells there are.
const CELLS: usize = 3;

struct Shared<S: Sys> {
    lock: RangeLock<S>,
    cells: [UnsafeCell<u32>; CELLS],
    /// Who had its range, in this order. loom does not see it.
    log: Mutex<Vec<usize>>,
}

// SAFETY: a cell is touched under a guard of its range alone, and loom checks that.
unsafe impl<S: Sys> Sync for Shared<S> {}
// SAFETY: as above.
unsafe impl<S: Sys> Send for Shared<S> {}

impl<S: Sys<Deadline = Passed>> Shared<S> {
    fn cells(&self, guard: &RangeGuard<'_, S>) -> &[UnsafeCell<u32>] {
        let Range { start, end } = guard.range();
        &self.cells[start as usize..end as usize]
    }

    fn reads(&self, guard: &RangeGuard<'_, S>) {
        for cell in self.cells(guard) {
            // SAFETY: the range is held, and loom checks that nobody writes.
            cell.with(|value| unsafe { *value });
        }
    }

    fn writes(&self, guard: &RangeGuard<'_, S>) {
        for cell in self.cells(guard) {
            // SAFETY: the range is held for writing, and loom checks that nobody has it too.
            cell.with_mut(|value| unsafe { *value += 1 });
        }
    }

    /// Nobody has a range, and nobody waits for one. A writer waits for the readers that are counted.
    fn is_free(&self) {
        let all = self.lock.try_write(0..CELLS as u64);
        assert!(all.is_some(), "a range is left behind");
    }

    fn log(&self, thread: usize) {
        self.log.lock().expect("nobody panics with it").push(thread);
    }

    fn may_read(&self, thread: usize, guard: Option<RangeGuard<'_, S>>) {
        if let Some(guard) = guard {
            self.log(thread);
            self.reads(&guard);
        }
    }

    fn may_write(&self, thread: usize, guard: Option<RangeGuard<'_, S>>) {
        if let Some(guard) = guard {
            self.log(thread);
            self.writes(&guard);
        }
    }

    fn run(&self, thread: usize, op: &Op) {
        match op {
            Op::Read(range) => {
                let guard = self.lock.read(range.clone());
                self.log(thread);
                self.reads(&guard);
            }
            Op::Write(range) => {
                let guard = self.lock.write(range.clone());
                self.log(thread);
                self.writes(&guard);
            }
            Op::Split(range, at) => {
                let guard = self.lock.write(range.clone());
                self.log(thread);
                self.writes(&guard);
                let (head, tail) = guard.split(*at);
                drop(head);
                self.writes(&tail);
            }
            Op::Shrink(range, to) => {
                let mut guard = self.lock.write(range.clone());
                self.log(thread);
                self.writes(&guard);
                guard.shrink(to.clone());
                self.writes(&guard);
            }
            Op::Downgrade(range) => {
                let mut guard = self.lock.write(range.clone());
                self.log(thread);
                self.writes(&guard);
                guard.downgrade();
                self.reads(&guard);
            }
            Op::SplitRead(range, at) => {
                let guard = self.lock.read(range.clone());
                self.log(thread);
                self.reads(&guard);
                let (head, tail) = guard.split(*at);
                drop(head);
                self.reads(&tail);
            }
            Op::TryRead(range) => self.may_read(thread, self.lock.try_read(range.clone())),
            Op::TimedRead(range) => {
                self.may_read(thread, self.lock.try_read_until(range.clone(), Passed));
            }
            Op::TryWrite(range) => self.may_write(thread, self.lock.try_write(range.clone())),
            Op::TimedWrite(range) => {
                self.may_write(thread, self.lock.try_write_until(range.clone(), Passed));
            }
        }
    }
}

/// The lock.
#[derive(Debug, Clone, Copy)]
pub enum Design {
    /// With every range in the tree.
    Tree(Policy),
    /// Biased to readers.
    Biased(Policy),
}

/// Runs every schedule, with at most so many preemptions, of threads that run a program each.
pub fn run<const FAULT: u8>(
    name: &str,
    design: Design,
    programs: &[&[Op]],
    preemptions: Option<usize>,
) -> Figures {
    let programs: Vec<Vec<Op>> = programs.iter().map(|program| program.to_vec()).collect();
    let run = move || {
        let shared = Arc::new(Shared::<LoomSys<FAULT>> {
            lock: match design {
                Design::Tree(policy) => RangeLock::with(policy),
                Design::Biased(policy) => RangeLock::biased_with(policy),
            },
            cells: std::array::from_fn(|_| UnsafeCell::new(0)),
            log: Mutex::new(Vec::new()),
        });
        let threads = programs.iter().cloned().enumerate().skip(1);
        let threads: Vec<_> = threads
            .map(|(thread, program)| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || program.iter().for_each(|op| shared.run(thread, op)))
            })
            .collect();
        programs[0].iter().for_each(|op| shared.run(0, op));
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        let log = std::mem::take(&mut *shared.log.lock().expect("nobody panics with it"));
        shared.is_free();
        (log, ())
    };
    explore(name, preemptions, run, |_, (), (): &mut ()| ()).0
}
