//! Reader/writer locks: what each costs, what it gets done, whom it starves, and how many it wakes.

pub mod goals;
pub mod list;
pub mod scenarios;
pub mod tables;
pub mod uncontended;
pub mod wakeups;

use std::time::Duration;

use self::list::{LOCKS, Which};
use self::uncontended::Cost;
use self::wakeups::Herd;
use crate::contended::{Op, Scenario, Summary};
use crate::rounds::in_turns;

/// All that is measured of reader/writer locks.
pub struct Results {
    /// Locks and unlocks of one thread.
    pub costs: Vec<Cost>,
    /// Short holds.
    pub mixed: Vec<Fight>,
    /// Holds that starve.
    pub starving: Vec<Fight>,
    /// How many sleepers a grant wakes.
    pub herds: Vec<Herd>,
}

/// A scenario and its outcome for each lock.
pub struct Fight {
    /// What was fought for, and how.
    pub scenario: Scenario,
    /// How many rounds the medians are of.
    pub rounds: usize,
    /// One a lock; those that spin are left out where they are too many for the machine.
    pub outcomes: Vec<Outcome>,
}

/// What both sides got of one lock.
#[derive(Clone, Copy)]
pub struct Outcome {
    /// Which lock.
    pub which: Which,
    /// The readers.
    pub readers: Summary,
    /// The writers.
    pub writers: Summary,
}

impl Outcome {
    /// The longest wait of either side, the median of the rounds.
    pub fn worst(&self) -> Duration {
        self.readers.worst.max(self.writers.worst)
    }
}

impl Results {
    /// What an uncontended lock and unlock costs.
    ///
    /// # Panics
    /// If the lock is none of the list.
    pub fn cost(&self, which: Which, op: Op) -> &Cost {
        let mut costs = self.costs.iter();
        let found = costs.find(|cost| cost.which == which && cost.op == op);
        found.expect("every lock is measured both ways")
    }

    /// Every fight.
    pub fn fights(&self) -> impl Iterator<Item = &Fight> {
        self.mixed.iter().chain(&self.starving)
    }

    /// The fight of a scenario.
    ///
    /// # Panics
    /// If there is none.
    pub fn fight(&self, scenario: &Scenario) -> &Fight {
        let found = self
            .fights()
            .find(|fight| fight.scenario.name == scenario.name);
        found.expect("every scenario is fought")
    }
}

impl Fight {
    /// What a lock got that sleeps.
    ///
    /// # Panics
    /// If it is none of the list, or has been left out.
    pub fn outcome(&self, which: Which) -> &Outcome {
        let found = self.outcomes.iter().find(|outcome| outcome.which == which);
        found.expect("every lock that sleeps is fought for")
    }
}

/// From so many threads on, locks that spin are left out: on few processors, whoever has the turn is seldom one that runs, and a
/// round takes seconds.
const TOO_MANY_TO_SPIN: u32 = 8;

/// Measures everything but the instructions; `says` is told what is being measured.
///
/// # Errors
/// If the system does not tell how often a thread has slept.
pub fn measure(quick: bool, says: impl Fn(&str)) -> anyhow::Result<Results> {
    let rounds = if quick { 3 } else { 5 };
    let shorter = if quick { 8 } else { 1 };
    says("uncontended");
    let costs = uncontended::measure(3 * rounds, 2_000_000 / u64::from(shorter));
    let fight = |scenario: Scenario, rounds: usize| {
        says(scenario.name);
        let time = scenario.time / shorter;
        let scenario = Scenario { time, ..scenario };
        let threads = scenario.readers.threads + scenario.writers.threads;
        let spin = threads < TOO_MANY_TO_SPIN;
        let fighting = LOCKS.iter().filter(|known| spin || !known.kind.spins());
        let fighting: Vec<Which> = fighting.collect();
        let shares = in_turns(rounds, fighting.len(), |index| {
            (fighting[index].fight)(&scenario)
        });
        let outcomes = fighting.iter().zip(&shares).map(|(which, rounds)| Outcome {
            which,
            readers: Summary::new(rounds.iter().map(|shares| &shares[0])),
            writers: Summary::new(rounds.iter().map(|shares| &shares[1])),
        });
        let outcomes = outcomes.collect();
        Fight {
            scenario,
            rounds,
            outcomes,
        }
    };
    // Short rounds and many, because the machine disturbs whoever spins; a round that starves somebody has to last.
    let mixed = scenarios::MIXED.map(|scenario| fight(scenario, 2 * rounds));
    let starving = scenarios::STARVING.map(|scenario| fight(scenario, rounds));
    says("wake-ups");
    let herds = wakeups::measure(3, Duration::from_millis(200) / shorter)?;
    Ok(Results {
        costs,
        mixed: mixed.into(),
        starving: starving.into(),
        herds,
    })
}
