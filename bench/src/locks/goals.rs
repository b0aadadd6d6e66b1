//! What the reader/writer lock is to reach, beside what it did.

use std::time::Duration;

use super::list::{self, Kind, LOCKS, Which};
use super::wakeups::WRITERS;
use super::{Fight, Outcome, Results, scenarios};
use crate::contended::Op;
use crate::goals::{Goal, Unit, Wanted};

/// How long anybody may wait in a scenario that starves under some lock: four of the longest holds there are.
const LONGEST: Duration = Duration::from_millis(20);
/// What a fair lock must be better by, in grants and in the longest wait, to be better.
const BETTER: f64 = 1.05;

/// Every goal.
pub fn all(results: &Results) -> Vec<Goal> {
    let ours = list::first(Kind::Ours);
    let mut goals = Vec::from(uncontended(results, ours));
    for fight in &results.starving {
        goals.push(longest(fight, ours));
    }
    for scenario in [&scenarios::S3, &scenarios::S5] {
        let fight = results.fight(scenario);
        for name in ["parking_lot", "std"] {
            goals.extend(list::find(name).map(|peer| writers(fight, ours, peer)));
        }
    }
    goals.extend(short_holds(results, ours, 0.8, TOO_FAIR));
    goals.extend(results.fights().map(|fight| unbeaten(fight, ours)));
    goals.extend(wakeups(results, ours));
    for known in LOCKS.iter().filter(|known| known.kind == Kind::Budget) {
        goals.extend(budget(results, known, ours));
    }
    goals
}

fn uncontended(results: &Results, ours: Which) -> [Goal; 2] {
    let base = list::base();
    [(Op::Read, "read", 0.95), (Op::Write, "write", 1.0)].map(|(op, side, limit)| Goal {
        what: format!("uncontended {side}, time to that of {}", base.name()),
        wanted: Wanted::AtMost(limit),
        measured: results.cost(ours, op).nanos.median / results.cost(base, op).nanos.median,
        unit: Unit::Ratio,
        why: "both are one atomic step to lock and one to unlock, and the rest is a nanosecond",
    })
}

fn longest(fight: &Fight, which: Which) -> Goal {
    Goal {
        what: format!("{}: longest wait of anybody", fight.scenario.name),
        wanted: Wanted::AtMost(LONGEST.as_secs_f64()),
        measured: fight.outcome(which).worst().as_secs_f64(),
        unit: Unit::Time,
        why: "who has been granted the lock waits for a processor, of which others have more than there are",
    }
}

fn writers(fight: &Fight, which: Which, peer: Which) -> Goal {
    Goal {
        what: format!(
            "{}: writers' grants to those of {}",
            fight.scenario.name,
            peer.name()
        ),
        wanted: Wanted::AtLeast(0.9),
        measured: fight.outcome(which).writers.rate / fight.outcome(peer).writers.rate,
        unit: Unit::Ratio,
        why: "what the readers get is taken from the writers, who have to wake up for each grant",
    }
}

const TOO_FAIR: &str = "the lock goes to who came first, which sleeps or has no processor, where the other takes it again at once";

/// Throughput with short gaps, on either side.
fn short_holds(results: &Results, which: Which, limit: f64, why: &'static str) -> [Goal; 2] {
    let fight = results.fight(&scenarios::MIXED_4);
    let base = list::base();
    let (ours, theirs) = (fight.outcome(which), fight.outcome(base));
    [
        ("readers", ours.readers.rate / theirs.readers.rate),
        ("writers", ours.writers.rate / theirs.writers.rate),
    ]
    .map(|(side, measured)| Goal {
        what: format!(
            "{}: {side}' grants to those of {}",
            fight.scenario.name,
            base.name()
        ),
        wanted: Wanted::AtLeast(limit),
        measured,
        unit: Unit::Ratio,
        why,
    })
}

/// No other fair lock is better in both: by how much the nearest is, in what it is less better in.
fn unbeaten(fight: &Fight, which: Which) -> Goal {
    let ours = fight.outcome(which);
    let others = fight.outcomes.iter();
    let others =
        others.filter(|other| other.which.kind.is_fair() && other.which.kind != Kind::Budget);
    let rated = others
        .filter(|other| other.which != which)
        .map(|other| (other.which.name(), better(other, ours)));
    let nearest = rated.max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (name, measured) = nearest.unwrap_or_else(|| ("no".to_owned(), f64::NEG_INFINITY));
    Goal {
        what: format!(
            "{}: better than ours in grants and longest wait, {name}, by",
            fight.scenario.name
        ),
        wanted: Wanted::AtMost(BETTER),
        measured,
        unit: Unit::Ratio,
        why: "",
    }
}

/// How many times better an outcome is than another in both throughput, the mean of the sides' ratios, and the longest wait of anybody.
fn better(one: &Outcome, other: &Outcome) -> f64 {
    let readers = one.readers.rate / other.readers.rate;
    let writers = one.writers.rate / other.writers.rate;
    let wait = other.worst().div_duration_f64(one.worst());
    (readers * writers).sqrt().min(wait)
}

fn wakeups(results: &Results, ours: Which) -> Option<Goal> {
    let herd = results.herds.iter().find(|herd| herd.which == Some(ours))?;
    let (writers, woken) = WRITERS.iter().zip(&herd.woken).next_back()?;
    Some(Goal {
        what: format!("wake-ups a grant among {writers} writers that sleep"),
        wanted: Wanted::AtMost(1.1),
        measured: woken.median,
        unit: Unit::Ratio,
        why: "a grant wakes all who sleep on a futex word, which a quarter of the writers share",
    })
}

/// What a budget of arrivals past each waiter is to buy, and what it may cost.
fn budget(results: &Results, which: Which, ours: Which) -> Vec<Goal> {
    let fight = results.fight(&scenarios::S3);
    let [readers, writers_mixed] = short_holds(
        results,
        which,
        1.0,
        "the budget is used up before the next waiter runs",
    );
    let mut writers = writers(fight, which, list::base());
    writers.wanted = Wanted::AtLeast(0.95);
    let more =
        fight.outcome(which).worst().as_secs_f64() - fight.outcome(ours).worst().as_secs_f64();
    let wait = Goal {
        what: format!(
            "{}: longest wait beyond that without a budget",
            fight.scenario.name
        ),
        wanted: Wanted::AtMost(0.001),
        measured: more,
        unit: Unit::Time,
        why: "those who pass a waiter hold the lock meanwhile",
    };
    let named = [readers, writers_mixed, writers, wait]
        .into_iter()
        .map(|goal| Goal {
            what: format!("{}: {}", which.name(), goal.what),
            ..goal
        });
    named.collect()
}
