//! One child in its own process group, with a budget of CPU time.
//!
//! A machine with other work changes how long a child takes, not how much CPU time it uses; so wall time ends nothing but a hang.

mod meter;

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{self, RecvError};
use std::time::{Duration, Instant};

use rustix::io::retry_on_intr;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use wait4::Wait4;

use crate::interrupt;
pub(crate) use meter::Meter;

/// What a child may use up before it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// CPU time, user and system, of its whole process group.
    pub cpu: Duration,
    /// Wall time in which it uses next to no CPU time (less than a 600th): it hangs.
    pub idle: Duration,
}

impl Budget {
    /// So many seconds of CPU time, and ten minutes of idleness.
    pub fn cpu(seconds: u64) -> Budget {
        Budget {
            cpu: Duration::from_secs(seconds),
            idle: Duration::from_secs(600),
        }
    }
}

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// By itself, or by a signal that the runner did not send.
    Exited(ExitStatus),
    /// Killed by the runner: its budget of CPU time was used up.
    Budget,
    /// Killed by the runner: it did nothing for too long.
    Idle,
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
    /// CPU time, user and system, of it and of the processes it has waited for.
    pub cpu: Duration,
    /// The most memory that it, or one of the processes it has waited for, had resident, in bytes; 0 where nobody counts.
    pub peak: u64,
}

impl End {
    /// Of a child that did not start, since a signal came first.
    pub(crate) const INTERRUPTED: End = End {
        stop: Stop::Interrupted,
        took: Duration::ZERO,
        cpu: Duration::ZERO,
        peak: 0,
    };
}

/// Runs `command` to its end, in its own process group, and kills the whole group when `budget` is used up, when a signal
/// asks the runner to end, when the runner itself is killed, and, should the child leave any of it behind, at the child's end.
///
/// # Errors
///
/// When the child cannot be started or waited for.
pub fn run(command: &mut Command, budget: Budget) -> io::Result<End> {
    let start = Instant::now();
    let Some(child) = interrupt::spawn(command)? else {
        return Ok(End::INTERRUPTED);
    };
    let group = Pid::from_child(&child);
    let (ended, end) = mpsc::channel();
    let killed = std::thread::scope(|scope| {
        scope.spawn(move || {
            // NOWAIT leaves the zombie, which keeps the group's number ours until the rest of the group is dead.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            let waited = retry_on_intr(|| waitid(WaitId::Pid(group), options));
            // The receiver is gone once the budget is used up.
            let _ = ended.send(waited.map(drop));
        });
        let killed = match Meter::new(group, budget).recv(&end) {
            Ok(Ok(waited)) => waited.map(|()| None),
            Ok(Err(stop)) => Ok(Some(stop)),
            Err(RecvError) => Err(rustix::io::Errno::CHILD),
        };
        interrupt::retire(group);
        killed
    });
    let ended = child.wait4()?;
    let stop = match killed? {
        _ if interrupt::requested() => Stop::Interrupted,
        Some(stop) => stop,
        None => Stop::Exited(ended.status),
    };
    Ok(End {
        stop,
        took: start.elapsed(),
        cpu: ended.rusage.utime + ended.rusage.stime,
        peak: ended.rusage.maxrss,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, cpu: Duration, idle: Duration) -> End {
        let mut command = Command::new("sh");
        run(command.arg("-c").arg(script), Budget { cpu, idle }).expect("sh runs")
    }

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn sleep_is_not_charged() {
        let end = sh("sleep 1; exit 3", Duration::from_millis(500), LONG);
        assert!(matches!(end.stop, Stop::Exited(status) if status.code() == Some(3)));
        assert!(end.took >= Duration::from_secs(1), "{end:?}");
        assert!(end.cpu < Duration::from_millis(500), "{end:?}");
    }

    #[test]
    fn children_are_charged_while_they_run_and_once_they_are_waited_for() {
        let budget = Duration::from_millis(300);
        let burn = "while :; do :; done";
        for script in [
            burn.to_owned(),
            format!("({burn}) & wait"),
            // each of these ends after a while, and the shell waits for it
            "while :; do (i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done); done".to_owned(),
        ] {
            let end = sh(&script, budget, LONG);
            assert_eq!(end.stop, Stop::Budget, "{script}");
        }
    }

    #[test]
    fn a_hang_is_no_work() {
        let end = sh("sleep 1000 & sleep 1000", LONG, Duration::from_millis(300));
        assert_eq!(end.stop, Stop::Idle);
    }
}
