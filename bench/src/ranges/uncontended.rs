//! One thread, one range lock: what a lock and unlock costs beside ranges that are held.

use std::hint::black_box;
use std::path::Path;

use super::locks::{CELLS, Locking, Which, with_range_lock};
use super::scenarios::WIDTH;
use crate::cost::{instructions_per_call, thread_nanos, value_name};
use crate::rounds::in_turns;
use crate::stats::Spread;

/// How many other ranges are held.
pub const HELD: [u64; 4] = [0, 8, 64, 512];
/// Cells from one range that is held to the next; what is locked lies between two.
const APART: u64 = CELLS / 512;

/// What one lock and unlock costs.
pub struct Cost {
    /// Which lock.
    pub which: Which,
    /// How many other ranges are held.
    pub held: u64,
    /// The thread's CPU time in nanoseconds, its share of the loop included.
    pub nanos: Spread,
    /// Instructions as callgrind counts them, the loop's included; none if they are not counted.
    pub instructions: Option<f64>,
}

/// Times `calls` locks and unlocks of each lock in turn, `rounds` times. A lock of the whole file is measured with no range held.
pub fn measure(locks: &[Which], rounds: usize, calls: u64) -> Vec<Cost> {
    let beside = |held: u64| {
        let can = move |which: &&Which| held == 0 || which.has_ranges();
        locks.iter().filter(can).map(move |&which| (which, held))
    };
    let subjects: Vec<(Which, u64)> = HELD.into_iter().flat_map(beside).collect();
    let nanos = in_turns(rounds, subjects.len(), |index| {
        let (which, held) = subjects[index];
        call(which, held, calls, thread_nanos) / calls as f64
    });
    let costs = subjects.into_iter().zip(nanos);
    let costs = costs.map(|((which, held), nanos)| Cost {
        which,
        held,
        nanos: Spread::new(nanos),
        instructions: None,
    });
    costs.collect()
}

/// Locks and unlocks so many times beside so many ranges that are held; how long that takes by this clock.
pub fn call(which: Which, held: u64, calls: u64, clock: fn() -> f64) -> f64 {
    with_range_lock!(which, L => repeat::<L>(held, calls, clock))
}

// Never inlined, so that the measured loop is the same whoever calls it.
#[inline(never)]
fn repeat<L: Locking>(held: u64, calls: u64, clock: fn() -> f64) -> f64 {
    let lock = L::create();
    let others: Vec<_> = (0..held)
        .map(|at| lock.write(at * APART..at * APART + WIDTH))
        .collect();
    // Every gap in turn, far from the one before.
    let gaps = held.max(1);
    let mut at = 0;
    let before = clock();
    for _ in 0..calls {
        let start = at * APART + 2 * WIDTH;
        let guard = black_box(&lock).write(start..start + WIDTH);
        // By reference: a guard that is moved would cost what its size is.
        black_box(&guard);
        drop(guard);
        at = (at + 197) % gaps;
    }
    let time = clock() - before;
    drop(others);
    time
}

/// Counts the instructions of each cost under callgrind, in this program's `range-calls`; false if there is no valgrind.
///
/// # Errors
/// If valgrind is there but does not count.
pub fn count_instructions(costs: &mut [Cost], scratch: &Path) -> anyhow::Result<bool> {
    for cost in costs {
        let held = cost.held.to_string();
        let args = ["range-calls".to_owned(), value_name(cost.which), held];
        cost.instructions = instructions_per_call(&args, scratch)?;
        if cost.instructions.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}
