//! Threads that lock random ranges, and a check that no cell that one writes is held by another.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use interlock::range::tree::Mode;

use crate::in_time::in_time;

/// In each cell, how many read it, or that one writes it.
const WRITTEN: u32 = 1 << 16;

fn enter(cells: &[AtomicU32], range: Range<u64>, adds: u32) {
    for cell in range {
        let before =
            cells[usize::try_from(cell).expect("an index")].fetch_add(adds, Ordering::Relaxed);
        assert!(
            before < WRITTEN && (adds == 1 || before == 0),
            "cell {cell}: {before}"
        );
    }
}

fn leave(cells: &[AtomicU32], range: Range<u64>, adds: u32) {
    for cell in range {
        cells[usize::try_from(cell).expect("an index")].fetch_sub(adds, Ordering::Relaxed);
    }
}

/// Four threads lock 2000 ranges each of 16 cells: `while_held` locks one, does what it is given, and gives the range up.
///
/// # Panics
/// If two hold a cell that one of them writes, or a thread hangs.
pub fn stress<L: Send + Sync + 'static>(
    lock: L,
    while_held: fn(&L, Range<u64>, Mode, &mut dyn FnMut()),
) {
    in_time(move || {
        let cells: Vec<AtomicU32> = (0..16).map(|_| AtomicU32::new(0)).collect();
        thread::scope(|scope| {
            for seed in 1..=4u64 {
                let (cells, lock) = (&cells, &lock);
                scope.spawn(move || {
                    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    for _ in 0..2000 {
                        random ^= random << 13;
                        random ^= random >> 7;
                        random ^= random << 17;
                        let start = random % 16;
                        let range = start..start + 1 + (random >> 8) % (16 - start);
                        let (mode, adds) = if (random >> 16) & 1 == 0 {
                            (Mode::Write, WRITTEN)
                        } else {
                            (Mode::Read, 1)
                        };
                        while_held(lock, range.clone(), mode, &mut || {
                            enter(cells, range.clone(), adds);
                            // Others run while the range is held, on one processor too.
                            thread::yield_now();
                            leave(cells, range.clone(), adds);
                        });
                    }
                });
            }
        });
    });
}
