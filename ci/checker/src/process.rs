//! One child in its own process group, with a budget of time.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use wait4::Wait4;

use crate::interrupt;

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// By itself, or by a signal that the runner did not send.
    Exited(ExitStatus),
    /// Killed by the runner: its budget was used up.
    Budget,
    /// Killed by the runner: a signal has asked the runner to end.
    Interrupted,
}

/// A child's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// How it ended.
    pub stop: Stop,
    /// Wall time from its start.
    pub took: Duration,
    /// The most memory that it, or one of the processes it has waited for, had resident, in bytes.
    pub peak: u64,
}

/// Runs `command` to its end, in its own process group, and kills the whole group when `budget` is used up, when a signal
/// asks the runner to end, and, should the child leave any of it behind, at the child's end.
///
/// # Errors
///
/// When the child cannot be started or waited for.
pub fn run(command: &mut Command, budget: Duration) -> io::Result<End> {
    let start = Instant::now();
    command.process_group(0);
    let Some(child) = interrupt::watch(|| command.spawn(), Pid::from_child)? else {
        return Ok(End {
            stop: Stop::Interrupted,
            took: start.elapsed(),
            peak: 0,
        });
    };
    let group = Pid::from_child(&child);
    let (ended, end) = mpsc::channel();
    let in_time = std::thread::scope(|scope| {
        scope.spawn(move || {
            // NOWAIT leaves the zombie, which keeps the group's number ours until the rest of the group is dead.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let waited = retry_on_intr(|| waitid(WaitId::Pid(group), options));
            // The receiver is gone once the budget is used up.
            let _ = ended.send(waited);
        });
        let waited = end.recv_timeout(budget);
        interrupt::retire(group);
        match waited {
            Ok(waited) => waited.map(|_| true),
            Err(_) => Ok(false),
        }
    });
    let ended = child.wait4()?;
    let in_time = in_time?;
    let stop = if interrupt::requested() {
        Stop::Interrupted
    } else if in_time {
        Stop::Exited(ended.status)
    } else {
        Stop::Budget
    };
    Ok(End {
        stop,
        took: start.elapsed(),
        peak: ended.rusage.maxrss,
    })
}
