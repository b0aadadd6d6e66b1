//! The histories of `MpageLatency.tla`, which its machine leaves out since they decide nothing.

use interlock::latency::machine::{Action, Commit, Realtime, State};

/// What they count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Histories {
    /// The flusher's steps since the last preemption point.
    pub stretch: u32,
    /// How often it was off under this handle while a commit waited for it.
    pub held: u32,
}

impl Histories {
    /// Counts a step.
    pub fn count(&mut self, from: &State, action: Action, to: &State) {
        let off = from.realtime == Realtime::Wants && to.realtime == Realtime::Runs;
        match action {
            Action::Resched => {
                self.stretch = 0;
                self.held += u32::from(off && from.handle && from.commit == Commit::Wait);
            }
            Action::StopSyncHandle => self.stretch = 0,
            Action::CommitGoesOn => self.held = 0,
            Action::Begin | Action::Wake | Action::Resume | Action::CommitWaits => {}
            _ => self.stretch += 1,
        }
    }
}
