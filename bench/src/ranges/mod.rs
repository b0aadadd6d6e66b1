//! Range locks: what each costs, what it gets done, and whom it starves.

pub mod goals;
pub mod locks;
pub mod scenarios;
pub mod tables;
pub mod uncontended;

use std::hint::black_box;
use std::time::Duration;

use clap::ValueEnum;

use self::locks::{Locking, Which, with_range_lock};
use self::scenarios::{Party, Pick, Scenario};
use self::uncontended::Cost;
use crate::contended::{Op, Share, Summary, Turn, fight, rate};
use crate::rounds::in_turns;
use crate::stats::Spread;

/// All that is measured of range locks.
pub struct Results {
    /// Locks and unlocks of one thread.
    pub costs: Vec<Cost>,
    /// Calls a second of two threads on ranges of their own, held for no time.
    pub disjoint: Vec<(Which, Spread)>,
    /// Who gets what, and who waits how long.
    pub fights: Vec<Fight>,
    /// Calls a second of threads that read blocks at random, by how many they are, held for no time.
    pub shared: Vec<(u32, Vec<(Which, Spread)>)>,
}

/// A scenario and its outcome for each lock.
pub struct Fight {
    /// What was fought for, and how.
    pub scenario: Scenario,
    /// How many rounds the medians are of.
    pub rounds: usize,
    /// One a lock: what each party got.
    pub outcomes: Vec<(Which, Vec<Summary>)>,
}

impl Fight {
    /// What the parties got of a lock.
    pub fn of(&self, which: Which) -> &[Summary] {
        let found = self.outcomes.iter().find(|(lock, _)| *lock == which);
        &found.expect("every lock is fought for").1
    }
}

impl Results {
    /// The cost of a lock and unlock beside so many ranges, if that was measured.
    pub fn cost(&self, which: Which, held: u64) -> Option<&Cost> {
        let mut costs = self.costs.iter();
        costs.find(|cost| cost.which == which && cost.held == held)
    }

    /// The fight of a scenario.
    pub fn fight(&self, scenario: &Scenario) -> &Fight {
        let mut fights = self.fights.iter();
        let found = fights.find(|fight| fight.scenario.what == scenario.what);
        found.expect("every scenario is fought")
    }
}

/// Measures everything but the instructions; `says` is told what is being measured.
///
/// # Errors
/// If a thread panics.
pub fn measure(quick: bool, says: impl Fn(&str)) -> anyhow::Result<Results> {
    let locks = Which::value_variants();
    let rounds = if quick { 3 } else { 5 };
    let shorter = if quick { 4 } else { 1 };
    let short = Duration::from_millis(60) / shorter;
    says("range locks, uncontended");
    let costs = uncontended::measure(locks, 3 * rounds, 200_000 / u64::from(shorter));
    says("2 threads, disjoint ranges");
    let disjoint = rates(locks, 2 * rounds, |which| {
        calls(which, 2, Op::Write, Pick::Own, short)
    })?;
    let scenarios = [scenarios::DISJOINT, scenarios::IN_FLIGHT, scenarios::WIDE];
    let scenarios = scenarios.into_iter().chain(scenarios::OVERLAPPING);
    let fights = scenarios.map(|scenario| {
        says(scenario.what);
        let time = scenario.time / shorter;
        let scenario = Scenario { time, ..scenario };
        let shares = in_turns(
            rounds,
            locks.len(),
            |index| with_range_lock!(locks[index], L => round::<L>(&scenario)),
        );
        let summaries = |(&which, rounds): (&Which, &Vec<Vec<Share>>)| {
            let parties = 0..scenario.parties.len();
            let of = |party: usize| Summary::new(rounds.iter().map(|shares| &shares[party]));
            (which, parties.map(of).collect())
        };
        let outcomes = locks.iter().zip(&shares).map(summaries).collect();
        Fight {
            scenario,
            rounds,
            outcomes,
        }
    });
    let fights = fights.collect();
    let readers: Vec<Which> = locks
        .iter()
        .copied()
        .filter(|which| which.has_readers())
        .collect();
    let shared = scenarios::SHARING.into_iter().map(|threads| {
        says(&format!("shared, {threads} threads"));
        let rates = rates(&readers, rounds, |which| {
            calls(which, threads, Op::Read, Pick::Block, short)
        })?;
        Ok((threads, rates))
    });
    Ok(Results {
        costs,
        disjoint,
        fights,
        shared: shared.collect::<anyhow::Result<_>>()?,
    })
}

/// One round of one lock: what each party got.
fn round<L: Locking>(scenario: &Scenario) -> Vec<Share> {
    let lock = &L::create();
    let with = |&Party { op, pick, .. }: &Party| {
        move |turn: Turn, body: &mut dyn FnMut()| held(lock, op, pick, turn, body)
    };
    let sides = scenario
        .parties
        .iter()
        .map(|party| (party.side, with(party)));
    fight(&sides.collect::<Vec<_>>(), scenario.time)
}

/// Runs a piece of code while a range is held.
fn held<L: Locking>(lock: &L, op: Op, pick: Pick, turn: Turn, body: impl FnOnce()) {
    let range = pick.range(turn);
    match op {
        Op::Read => {
            let _guard = lock.read(range);
            body();
        }
        Op::Write => {
            let _guard = lock.write(range);
            body();
        }
    }
}

/// Calls a second of so many threads in one round of one lock, each held for no time.
fn calls(which: Which, threads: u32, op: Op, pick: Pick, time: Duration) -> anyhow::Result<f64> {
    with_range_lock!(which, L => {
        let lock = L::create();
        rate(threads, time, |turn| {
            held(&lock, op, pick, turn, || black_box(()));
            Ok(())
        })
    })
}

/// What each lock gets done in so many rounds, all in turn.
fn rates(
    locks: &[Which],
    rounds: usize,
    rate: impl Fn(Which) -> anyhow::Result<f64>,
) -> anyhow::Result<Vec<(Which, Spread)>> {
    let measured = in_turns(rounds, locks.len(), |index| rate(locks[index]));
    let spread = |(&which, rates): (&Which, Vec<anyhow::Result<f64>>)| {
        let rates = rates.into_iter().collect::<anyhow::Result<_>>()?;
        Ok((which, Spread::new(rates)))
    };
    locks.iter().zip(measured).map(spread).collect()
}
