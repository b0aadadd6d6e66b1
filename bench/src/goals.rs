//! What the lock is to reach, beside what it did. A goal is printed as missed, never asserted: a loaded machine may miss it.

use comfy_table::Table;

use crate::locks::{Op, Which};
use crate::ranges;
use crate::report::{self, Fight, Form, Results};
use crate::scenarios;

/// The lock that the goals are for.
const OURS: Which = Which::Barrier;

/// What is wanted, and what was measured.
pub struct Goal {
    /// A ratio.
    pub what: String,
    /// What it is to be.
    pub wanted: Wanted,
    /// What it was.
    pub measured: f64,
}

/// A limit.
#[derive(Clone, Copy)]
pub enum Wanted {
    /// So much or less.
    AtMost(f64),
    /// So much or more.
    AtLeast(f64),
}

impl Goal {
    fn is_met(&self) -> bool {
        match self.wanted {
            Wanted::AtMost(limit) => self.measured <= limit,
            Wanted::AtLeast(limit) => self.measured >= limit,
        }
    }
}

/// Goals as a table.
pub fn table(goals: &[Goal], form: Form) -> Table {
    let mut table = report::table(form, 1, ["goal", "wanted", "measured", ""]);
    for goal in goals {
        let wanted = match goal.wanted {
            Wanted::AtMost(limit) => format!("≤ {}", report::ratio(limit)),
            Wanted::AtLeast(limit) => format!("≥ {}", report::ratio(limit)),
        };
        let verdict = if goal.is_met() { "met" } else { "MISSED" };
        table.add_row([
            goal.what.clone(),
            wanted,
            report::ratio(goal.measured),
            verdict.to_owned(),
        ]);
    }
    table
}

/// Every goal.
pub fn all(results: &Results) -> Vec<Goal> {
    let mut goals = Vec::new();
    let base = Which::ParkingLot;
    for (op, side, limit) in [(Op::Read, "read", 1.0), (Op::Write, "write", 1.1)] {
        goals.push(Goal {
            what: format!("uncontended {side}, time to that of {}", base.name()),
            wanted: Wanted::AtMost(limit),
            measured: results.cost(OURS, op).nanos / results.cost(base, op).nanos,
        });
    }
    for fight in starving(results) {
        for peer in [Which::Std, Which::ParkingLot] {
            goals.extend(fairness(fight, peer));
        }
    }
    let mixed = &results.mixed[0];
    let (ours, theirs) = (mixed.outcome(OURS), mixed.outcome(base));
    for (side, ours, theirs) in [
        ("readers", ours.readers, theirs.readers),
        ("writers", ours.writers, theirs.writers),
    ] {
        goals.push(Goal {
            what: format!(
                "{}: {side}' grants to those of {}",
                mixed.scenario.name,
                base.name()
            ),
            wanted: Wanted::AtLeast(0.8),
            measured: ours.rate / theirs.rate,
        });
    }
    goals.extend(ranges::goals::all(&results.ranges));
    goals
}

fn starving(results: &Results) -> impl Iterator<Item = &Fight> {
    let names = [scenarios::S3.name, scenarios::S5.name];
    results
        .starving
        .iter()
        .filter(move |fight| names.contains(&fight.scenario.name))
}

/// The longest wait, whoever had it, and what the writers pay for that.
fn fairness(fight: &Fight, peer: Which) -> [Goal; 2] {
    let name = fight.scenario.name;
    let (ours, theirs) = (fight.outcome(OURS), fight.outcome(peer));
    let peer = peer.name();
    [
        Goal {
            what: format!("{name}: how many times longer {peer} makes somebody wait"),
            wanted: Wanted::AtLeast(50.0),
            measured: theirs.worst().as_secs_f64() / ours.worst().as_secs_f64(),
        },
        Goal {
            what: format!("{name}: writers' grants to those of {peer}"),
            wanted: Wanted::AtLeast(0.9),
            measured: ours.writers.rate / theirs.writers.rate,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_met_up_to_its_limit() {
        let met = |wanted, measured| {
            let what = String::new();
            Goal {
                what,
                wanted,
                measured,
            }
            .is_met()
        };
        assert!(met(Wanted::AtMost(1.1), 1.1) && !met(Wanted::AtMost(1.1), 1.11));
        assert!(met(Wanted::AtLeast(0.8), 0.8) && !met(Wanted::AtLeast(0.8), 0.79));
        assert!(!met(Wanted::AtLeast(50.0), f64::NAN));
    }
}
