//! The CPU time of a process group, read while it runs.

use std::fs;
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::param::clock_ticks_per_second;
use rustix::process::Pid;

use super::{Budget, Stop};

/// A group that uses less than this part of the time is idle.
const IDLE: u32 = 600;

/// Between two looks at `/proc`, at least.
const PAUSE: Duration = Duration::from_millis(100);

/// What a process group has used of its budget.
#[derive(Debug)]
pub(crate) struct Meter {
    group: Pid,
    budget: Budget,
    /// What it had used before.
    before: Duration,
    used: Duration,
    /// When it was last seen to have worked since the time before, and what it had used by then.
    worked: (Instant, Duration),
}

impl Meter {
    /// Of a group that has just started.
    pub(crate) fn new(group: Pid, budget: Budget) -> Meter {
        Meter {
            group,
            budget,
            before: Duration::ZERO,
            used: Duration::ZERO,
            worked: (Instant::now(), Duration::ZERO),
        }
    }

    /// Of one that has worked before, which counts for nothing.
    pub(crate) fn from_now(group: Pid, budget: Budget) -> Meter {
        Meter {
            before: used(group),
            ..Meter::new(group, budget)
        }
    }

    /// What it had used when it was last looked at.
    pub(crate) fn used(&self) -> Duration {
        self.used
    }

    /// Waits for what `from` is sent, or until the group is to be killed, and says why.
    ///
    /// # Errors
    ///
    /// When nothing more can be sent.
    pub(crate) fn recv<T>(&mut self, from: &Receiver<T>) -> Result<Result<T, Stop>, RecvError> {
        loop {
            match from.recv_timeout(self.next_look()) {
                Ok(sent) => return Ok(Ok(sent)),
                Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(stop) = self.look() {
                        return Ok(Err(stop));
                    }
                }
            }
        }
    }

    /// How long to wait before the next look: until all cores together can have used up the budget, or it has been idle too long.
    fn next_look(&self) -> Duration {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let cores = u32::try_from(cores).unwrap_or(u32::MAX);
        let used_up = self.budget.cpu.saturating_sub(self.used) / cores;
        let idle = self.budget.idle.saturating_sub(self.worked.0.elapsed());
        used_up.min(idle).max(PAUSE)
    }

    /// Why the group is to be killed, if it is.
    fn look(&mut self) -> Option<Stop> {
        // A child that ends between the look at it and the look at its parent is counted twice; not so the second time.
        let since = |meter: &Meter| used(meter.group).saturating_sub(meter.before);
        self.used = since(self);
        if self.used >= self.budget.cpu && since(self) >= self.budget.cpu {
            return Some(Stop::Budget);
        }
        let (since, before) = self.worked;
        if self.used.saturating_sub(before) >= self.budget.idle / IDLE {
            self.worked = (Instant::now(), self.used);
        } else if since.elapsed() >= self.budget.idle {
            return Some(Stop::Idle);
        }
        None
    }
}

/// What the processes of a group have used so far, with the children that they have waited for.
fn used(group: Pid) -> Duration {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ticks: u64 = processes
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        // A process may end before it is read.
        .filter_map(|entry| fs::read(entry.path().join("stat")).ok())
        .filter_map(|stat| ticks_of(&String::from_utf8_lossy(&stat), group))
        .sum();
    Duration::from_secs_f64(ticks as f64 / clock_ticks_per_second() as f64)
}

/// `/proc/<pid>/stat` of a process of this group: the clock ticks that it and the children it has waited for have used.
fn ticks_of(stat: &str, group: Pid) -> Option<u64> {
    // The program's name stands in parentheses and may hold anything, a space or a parenthesis too.
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // After the name: state, parent, group, ..., and at 11 user and system time, the same of the children.
    let of_group = fields.get(2)?.parse() == Ok(group.as_raw_nonzero().get());
    let times = fields.get(11..15).filter(|_| of_group)?;
    times.iter().map(|time| time.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_s_name_may_look_like_the_fields_behind_it() {
        let stat = "12 (a) R 1 7 (b) S 1 12 12 0 -1 4194560 90 0 0 0 1 20 300 4000 20 0 1 0";
        let group = |group| Pid::from_raw(group).expect("a number");
        assert_eq!(ticks_of(stat, group(12)), Some(4321));
        assert_eq!(ticks_of(stat, group(7)), None);
        assert_eq!(ticks_of("12 (a) R 1 12 12", group(12)), None);
    }
}
