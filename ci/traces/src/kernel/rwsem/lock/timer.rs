//! The time of who has waited longest: it runs out.

use super::{Lock, SEE, Stage};

/// After so many nanoseconds RWSEM_WAIT_TIMEOUT has passed: that is DIV_ROUND_UP(HZ, 250) jiffies, and one more until
/// `time_after(jiffies, timeout)`; with HZ = 100 it is longest.
const SURELY_EXPIRED: u64 = 20_000_000;

impl Lock {
    /// Who is first to be served, as far as the file shows, has waited for so long that its timer has run out.
    pub(super) fn expire(&mut self, time: u64, line: usize) {
        if !self.algorithm.timed {
            return;
        }
        let waiters = self.at.values().filter_map(|at| match at.stage {
            Stage::Waits { begin, woken, .. } if at.who.writes || woken.is_none() => {
                Some((begin.line, begin.time?, at.who))
            }
            _ => None,
        });
        let Some((_, begin, who)) = waiters.min_by_key(|(line, ..)| *line) else {
            return;
        };
        if time.saturating_sub(begin) >= SURELY_EXPIRED {
            let seen = (format!("unexpired {}", self.name(who)), "FALSE".into());
            self.add("timer", who, &[SEE], (line, line), Some(seen));
        }
    }
}
