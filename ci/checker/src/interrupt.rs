//! Ctrl-C, SIGTERM, and a runner that is killed: no child outlives it.

mod guard;

use std::collections::BTreeSet;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

use guard::Guard;

/// The exit status of an interrupted run.
pub const EXIT: u8 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static CHILDREN: Mutex<Children> = Mutex::new(Children {
    groups: BTreeSet::new(),
    guard: None,
});

/// The process groups that run, and who kills them should the runner be killed.
struct Children {
    groups: BTreeSet<i32>,
    guard: Option<Guard>,
}

/// From now on the first Ctrl-C, SIGTERM or SIGHUP kills every process group of [`spawn`], and the second ends the runner
/// itself.
///
/// # Errors
///
/// When the handler cannot be installed.
pub fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        let children = children();
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(EXIT.into());
        }
        let groups = children.groups.iter().copied();
        groups.filter_map(Pid::from_raw).for_each(kill);
    })?;
    Ok(())
}

/// Whether a signal has asked the runner to end.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Starts a child that leads a process group of its own, unless the runner is ending, and has the group killed at a signal and
/// when the runner is killed. `None`: a signal came first.
///
/// # Errors
///
/// When the child, or what kills it in the runner's place, cannot be started.
pub fn spawn(command: &mut Command) -> io::Result<Option<Child>> {
    // Held over the spawn, so that the handler sees either no child or a listed one.
    let mut children = children();
    if requested() {
        return Ok(None);
    }
    let guard = match children.guard.take() {
        Some(guard) => guard,
        None => Guard::start()?,
    };
    let guard = children.guard.insert(guard);
    let child = command.process_group(0).spawn()?;
    let group = Pid::from_child(&child);
    guard.born(group);
    children.groups.insert(group.as_raw_nonzero().get());
    Ok(Some(child))
}

/// Kills what is left of a group and forgets it. Its leader must not have been reaped yet, or the number may be another's.
pub fn retire(group: Pid) {
    let mut children = children();
    kill(group);
    children.groups.remove(&group.as_raw_nonzero().get());
    if let Some(guard) = &children.guard {
        guard.over(group);
    }
}

/// Kills a process group. One that is already gone is what was wanted.
pub fn kill(group: Pid) {
    let _ = kill_process_group(group, Signal::KILL);
}

fn children() -> MutexGuard<'static, Children> {
    CHILDREN.lock().unwrap_or_else(PoisonError::into_inner)
}
