//! What the range lock is to reach, beside what it did.

use std::iter;

use super::locks::Which;
use super::uncontended::HELD;
use super::{Results, scenarios};
use crate::contended::STARVED;
use crate::goals::{Goal, Unit, Wanted};

/// The lock that the goals are for, and the one that those of shared work are for.
const FAIR: Which = Which::Fifo;
const SHARING: Which = Which::Biased;

/// Every goal.
pub fn all(results: &Results) -> Vec<Goal> {
    let peer = Which::RangeMutex;
    let mut goals = Vec::new();
    for held in HELD {
        let nanos = |which| {
            results
                .cost(which, held)
                .map_or(f64::NAN, |cost| cost.nanos.median)
        };
        goals.push(Goal {
            what: format!(
                "range lock beside {held} held, time to that of {}",
                peer.name()
            ),
            wanted: Wanted::AtMost(1.2),
            measured: nanos(FAIR) / nanos(peer),
            unit: Unit::Ratio,
            why: "a tree and a place in the order for each range, where the peer has a sorted Vec, which is cheap while it is short",
        });
    }
    let calls = |which| {
        let found = results.disjoint.iter().find(|(lock, _)| *lock == which);
        found.map_or(f64::NAN, |(_, rates)| rates.median)
    };
    let disjoint = (
        "2 threads, disjoint ranges, held for no time",
        calls(FAIR) / calls(peer),
    );
    let fights = [scenarios::DISJOINT, scenarios::IN_FLIGHT].map(|scenario| {
        let fight = results.fight(&scenario);
        (
            scenario.what,
            fight.of(FAIR)[0].rate / fight.of(peer)[0].rate,
        )
    });
    for (what, measured) in iter::once(disjoint).chain(fights) {
        goals.push(Goal {
            what: format!("{what}: grants to those of {}", peer.name()),
            wanted: Wanted::AtLeast(1.0),
            measured,
            unit: Unit::Ratio,
            why: "these ranges do not wait for each other, but for the lock's own mutex, under which it does more than the peer",
        });
    }
    let wide = results.fight(&scenarios::WIDE);
    for (which, summaries) in &wide.outcomes {
        let [_, full] = summaries[..] else { continue };
        if !which.is_ours() && which.has_ranges() {
            // Who starves got less than one grant in a round.
            let theirs = full.rate.max(1.0 / wide.scenario.time.as_secs_f64());
            goals.push(Goal {
                what: format!(
                    "the full range against 7 small ones: grants to those of {}, at least",
                    which.name()
                ),
                wanted: Wanted::AtLeast(100.0),
                measured: wide.of(FAIR)[1].rate / theirs,
                unit: Unit::Ratio,
                why: "the peer let the full range in more often than its narrow ones leave room for",
            });
        }
    }
    let longest = results.fights.iter().flat_map(|fight| {
        let worst = fight.of(FAIR).iter().map(|summary| summary.worst_ever);
        worst.map(|worst| worst.div_duration_f64(fight.scenario.time))
    });
    goals.push(Goal {
        what: "range lock, nobody starves: the longest wait of all rounds, to the round".to_owned(),
        wanted: Wanted::AtMost(STARVED),
        measured: longest.fold(0.0, f64::max),
        unit: Unit::Ratio,
        why: "somebody who had been granted the range had no processor for most of a round",
    });
    for (threads, rates) in &results.shared {
        let of = |which| {
            let found = rates.iter().find(|(lock, _)| *lock == which);
            found.map_or(f64::NAN, |(_, rates)| rates.median)
        };
        goals.push(Goal {
            what: format!(
                "{threads} threads that only read: calls to those of {}",
                Which::ParkingLot.name()
            ),
            wanted: Wanted::AtLeast(1.0),
            measured: of(SHARING) / of(Which::ParkingLot),
            unit: Unit::Ratio,
            why: "both count their readers in one word, which goes from processor to processor; a range's guard carries the range and how it is held as well",
        });
    }
    goals
}
