//! One thread, one lock: what a lock and unlock costs when nobody else is there.

use std::hint::black_box;
use std::path::Path;

use super::list::{LOCKS, Lock, Which};
use crate::contended::Op;
use crate::cost::{instructions_per_call, thread_nanos, value_name};
use crate::rounds::in_turns;
use crate::stats::Spread;

/// What one lock and unlock costs.
pub struct Cost {
    /// Which lock.
    pub which: Which,
    /// Held shared or exclusively.
    pub op: Op,
    /// The thread's CPU time in nanoseconds, its share of the loop included.
    pub nanos: Spread,
    /// Instructions as callgrind counts them, the loop's included; none if they are not counted.
    pub instructions: Option<f64>,
}

/// Times `calls` locks and unlocks of each lock in turn, `rounds` times.
pub fn measure(rounds: usize, calls: u64) -> Vec<Cost> {
    let subjects: Vec<(Which, Op)> = LOCKS
        .iter()
        .flat_map(|which| [(which, Op::Read), (which, Op::Write)])
        .collect();
    let nanos = in_turns(rounds, subjects.len(), |index| {
        let (which, op) = subjects[index];
        let before = thread_nanos();
        (which.call)(op, calls);
        (thread_nanos() - before) / calls as f64
    });
    let costs = subjects.into_iter().zip(nanos);
    let costs = costs.map(|((which, op), nanos)| Cost {
        which,
        op,
        nanos: Spread::new(nanos),
        instructions: None,
    });
    costs.collect()
}

/// Locks and unlocks so many times.
// Never inlined, so that the measured loop is the same whoever calls it.
#[inline(never)]
pub fn repeat<L: Lock>(op: Op, calls: u64) {
    let lock = L::free();
    match op {
        Op::Read => (0..calls).for_each(|_| black_box(&lock).shared(|| black_box(()))),
        Op::Write => (0..calls).for_each(|_| black_box(&lock).exclusive(|| black_box(()))),
    }
}

/// Counts the instructions of each lock under callgrind, in this program's `calls`; false if there is no valgrind.
///
/// # Errors
/// If valgrind is there but does not count.
pub fn count_instructions(costs: &mut [Cost], scratch: &Path) -> anyhow::Result<bool> {
    for cost in costs {
        let args = ["calls".to_owned(), cost.which.id(), value_name(cost.op)];
        cost.instructions = instructions_per_call(&args, scratch)?;
        if cost.instructions.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}
