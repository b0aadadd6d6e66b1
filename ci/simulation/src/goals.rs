//! What the hand-over is to reach. A goal is printed as missed, with its reason: it is a figure of a simulated machine.

use super::setup::{Mode, RESERVE};
use super::{Cure, Run};

/// The small journal with the hand-over is to come so near to the large one.
const NEAR: f64 = 1.2;

/// A goal, and what was simulated.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// What is measured.
    pub what: String,
    /// At most this.
    pub limit: f64,
    /// The figure.
    pub simulated: f64,
    /// Why it is missed, if it is.
    pub reason: Option<String>,
}

impl Goal {
    /// Whether it is reached.
    pub fn is_met(&self) -> bool {
        self.simulated <= self.limit
    }
}

/// The goals that these runs can tell of.
pub fn goals(runs: &[Run]) -> Vec<Goal> {
    let cured = |run: &&Run| run.cure == Cure::HandOver && run.setup.mode == Mode::Nolock;
    let near = runs.iter().find(cured).and_then(|small| {
        let same = |run: &&Run| {
            run.cure == Cure::WakeAll
                && run.setup.mode == Mode::Nolock
                && run.setup.threads == small.setup.threads
                && run.setup.demand() < 1.0
        };
        let large = runs.iter().find(same)?;
        (small.setup.demand() > 1.0).then(|| nearness(small, large))
    });
    let worst = runs.iter().filter(cured);
    let wakes = worst.map(|run| run.tally.most_woken).max();
    let wakes = wakes.map(|most| Goal {
        what: "wake-ups for reserved credits before one start, the most of all hand-overs"
            .to_owned(),
        limit: 1.0,
        simulated: most as f64,
        reason: None,
    });
    near.into_iter().chain(wakes).collect()
}

fn nearness(small: &Run, large: &Run) -> Goal {
    let simulated = large.tally.rate() / small.tally.rate();
    let sizes = small.setup.sizes();
    let held = (sizes.max - sizes.overhead) / 2 / RESERVE;
    let reason = (simulated > NEAR).then(|| {
        format!(
            "Half of a transaction holds {held} reservations. With {:.0} writes a second each is held for {:.1} ms from its handle \
             to its conversion, if all are held: that bounds the writes, not the wake-ups.",
            small.tally.rate(),
            held as f64 / small.tally.rate() * 1e3
        )
    });
    Goal {
        what: format!(
            "writes a second with {} MiB today, to {} MiB with the hand-over ({} threads)",
            large.setup.journal, small.setup.journal, small.setup.threads
        ),
        limit: NEAR,
        simulated,
        reason,
    }
}
