//! One thread, one lock: what a lock and unlock costs when nobody else is there.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use anyhow::{Context, ensure};
use clap::ValueEnum;
use rustix::time::{ClockId, clock_gettime};

use crate::locks::{Lock, Op, Which, with_lock};
use crate::rounds::in_turns;
use crate::stats::median;

/// What one lock and unlock costs.
pub struct Cost {
    /// Which lock.
    pub which: Which,
    /// Held shared or exclusively.
    pub op: Op,
    /// The thread's CPU time in nanoseconds, median of the rounds, its share of the loop included.
    pub nanos: f64,
    /// Instructions as callgrind counts them, the loop's included; none if they are not counted.
    pub instructions: Option<f64>,
}

/// Times `calls` locks and unlocks of each lock in turn, `rounds` times.
pub fn measure(locks: &[Which], rounds: usize, calls: u64) -> Vec<Cost> {
    let subjects: Vec<(Which, Op)> = locks
        .iter()
        .flat_map(|&which| [(which, Op::Read), (which, Op::Write)])
        .collect();
    let nanos = in_turns(rounds, subjects.len(), |index| {
        let (which, op) = subjects[index];
        let before = thread_nanos();
        call(which, op, calls);
        (thread_nanos() - before) / calls as f64
    });
    let costs = subjects
        .into_iter()
        .zip(nanos)
        .map(|((which, op), nanos)| Cost {
            which,
            op,
            nanos: median(nanos),
            instructions: None,
        });
    costs.collect()
}

/// Locks and unlocks so many times.
pub fn call(which: Which, op: Op, calls: u64) {
    with_lock!(which, L => repeat::<L>(op, calls));
}

// Never inlined, so that the measured loop is the same whoever calls it.
#[inline(never)]
fn repeat<L: Lock>(op: Op, calls: u64) {
    let lock = L::default();
    match op {
        Op::Read => (0..calls).for_each(|_| black_box(&lock).read(|| black_box(()))),
        Op::Write => (0..calls).for_each(|_| black_box(&lock).write(|| black_box(()))),
    }
}

/// The CPU time that this thread has had, in nanoseconds.
pub fn thread_nanos() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Counts the instructions of each lock under callgrind, in this program's `calls`; false if there is no valgrind.
///
/// # Errors
/// If valgrind is there but does not count.
pub fn count_instructions(costs: &mut [Cost], scratch: &Path) -> anyhow::Result<bool> {
    for cost in costs {
        let args = [
            "calls".to_owned(),
            value_name(cost.which),
            value_name(cost.op),
        ];
        cost.instructions = instructions_per_call(&args, scratch)?;
        if cost.instructions.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The instructions of a call, as callgrind counts them in this program with these arguments and a number of calls; none if there is
/// no valgrind.
///
/// # Errors
/// If valgrind is there but does not count.
pub fn instructions_per_call(args: &[String], scratch: &Path) -> anyhow::Result<Option<f64>> {
    // So many that the instructions by which two starts of a process differ do not show.
    const CALLS: u64 = 100_000;
    let Some(without) = instructions(args, 0, scratch)? else {
        return Ok(None);
    };
    let with = instructions(args, CALLS, scratch)?.context("valgrind has vanished")?;
    Ok(Some((with - without) as f64 / CALLS as f64))
}

/// The instructions of a whole process with so many calls; none if there is no valgrind.
fn instructions(args: &[String], calls: u64, scratch: &Path) -> anyhow::Result<Option<i64>> {
    let out = scratch.join("callgrind.out");
    let mut valgrind = Command::new("valgrind");
    valgrind
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(env::current_exe()?)
        .args(args)
        .arg(calls.to_string())
        .stdout(Stdio::null());
    let output = match valgrind.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        output => output.context("cannot start valgrind")?,
    };
    ensure!(
        output.status.success(),
        "callgrind failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let profile = fs::read_to_string(&out).context("callgrind has written nothing")?;
    let totals = profile
        .lines()
        .find_map(|line| line.strip_prefix("totals: "));
    let totals = totals.context("callgrind has written no totals")?;
    Ok(Some(totals.trim().parse()?))
}

/// A value as the command line spells it.
pub fn value_name(value: impl ValueEnum) -> String {
    let value = value.to_possible_value().expect("no value is skipped");
    value.get_name().to_owned()
}
