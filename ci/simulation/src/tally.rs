//! What is counted in a run, once it has settled.

use super::costs::Nanos;

/// Where a writer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site {
    /// wait_event(j_wait_reserved): test 4.
    Reserved,
    /// wait_transaction_locked: tests 1 and 2; for a kworker wait_transaction_switching too.
    Locked,
    /// __jbd2_log_wait_for_space: test 3.
    Space,
    /// fsync, for its data and the conversion.
    Writeback,
    /// fsync, in jbd2_log_wait_commit.
    Commit,
}

impl Site {
    /// All of them.
    pub const ALL: [Site; 5] = [
        Site::Reserved,
        Site::Locked,
        Site::Space,
        Site::Writeback,
        Site::Commit,
    ];

    /// Where it is in [`Site::ALL`].
    pub fn place(self) -> usize {
        self as usize
    }

    /// What it is called in a report.
    pub fn name(self) -> &'static str {
        match self {
            Site::Reserved => "wait reserved",
            Site::Locked => "wait locked",
            Site::Space => "wait for space",
            Site::Writeback => "writeback",
            Site::Commit => "wait commit",
        }
    }
}

/// The counts of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// How long it took.
    pub time: Nanos,
    /// Writes that are synced.
    pub writes: u64,
    /// Handles of writers that have started.
    pub grants: u64,
    /// How often a writer has tried to start one.
    pub tries: u64,
    /// How often each of the four tests was the first to fail.
    pub failed: [u64; 4],
    /// How long the handles that have started took for it, together.
    pub starting: Nanos,
    /// How long writers have waited, by [`Site::place`].
    pub waited: [Nanos; 5],
    /// How often writers were woken up for reserved credits, before their handles started.
    pub woken: u64,
    /// The most of it before one start.
    pub most_woken: u64,
    /// How often writers were woken up by an attempt that failed.
    pub stirred: u64,
    /// Commits that ended.
    pub commits: u64,
    /// Steps of the journal's machine.
    pub steps: u64,
}

impl Tally {
    /// Writes a second.
    pub fn rate(&self) -> f64 {
        ratio(self.writes, self.time) * 1e9
    }

    /// The mean time in a handle's start, in milliseconds.
    pub fn mean_start(&self) -> f64 {
        ratio(self.starting, self.grants) / 1e6
    }

    /// Wake-ups for reserved credits, a start.
    pub fn wakes_per_grant(&self) -> f64 {
        ratio(self.woken, self.grants)
    }

    /// Of these, those by an attempt that failed.
    pub fn stirred_per_grant(&self) -> f64 {
        ratio(self.stirred, self.grants)
    }

    /// Tries a handle that started.
    pub fn tries_per_grant(&self) -> f64 {
        ratio(self.tries, self.grants)
    }

    /// The part of all waiting that is at this site.
    pub fn share(&self, site: Site) -> f64 {
        ratio(self.waited[site.place()], self.waited.iter().sum())
    }
}

/// 0 of nothing.
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}
