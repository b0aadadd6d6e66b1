//! What a call costs: CPU time, and instructions as callgrind counts them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use anyhow::{Context, ensure};
use clap::ValueEnum;
use rustix::time::{ClockId, clock_gettime};

/// The CPU time that this thread has had, in nanoseconds.
pub fn thread_nanos() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
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
