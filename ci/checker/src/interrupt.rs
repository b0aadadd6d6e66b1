//! Ctrl-C and SIGTERM: no child outlives the runner.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

/// The exit status of an interrupted run.
pub const EXIT: u8 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// From now on the first Ctrl-C, SIGTERM or SIGHUP kills every process group of [`watch`], and the second ends the runner
/// itself.
///
/// # Errors
///
/// When the handler cannot be installed.
pub fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        let groups = groups();
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(EXIT.into());
        }
        groups
            .iter()
            .copied()
            .filter_map(Pid::from_raw)
            .for_each(kill);
    })?;
    Ok(())
}

/// Whether a signal has asked the runner to end.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Starts a child with `spawn`, unless the runner is ending, and has its process group killed at a signal.
/// `None`: a signal came first.
///
/// # Errors
///
/// Those of `spawn`.
pub fn watch<T>(
    spawn: impl FnOnce() -> std::io::Result<T>,
    group: impl Fn(&T) -> Pid,
) -> std::io::Result<Option<T>> {
    // Held over the spawn, so that the handler sees either no child or a listed one.
    let mut groups = groups();
    if requested() {
        return Ok(None);
    }
    let child = spawn()?;
    groups.insert(group(&child).as_raw_nonzero().get());
    Ok(Some(child))
}

/// Kills what is left of a group and forgets it. Its leader must not have been reaped yet, or the number may be another's.
pub fn retire(group: Pid) {
    let mut groups = groups();
    kill(group);
    groups.remove(&group.as_raw_nonzero().get());
}

/// Kills a process group. One that is already gone is what was wanted.
pub fn kill(group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
}

fn groups() -> MutexGuard<'static, BTreeSet<i32>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}
