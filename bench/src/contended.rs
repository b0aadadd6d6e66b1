//! Threads that fight for a lock: what each side gets, and how long it waits.

use std::hint;
use std::sync::Barrier;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::locks::{Lock, Op, Which, with_lock};
use crate::stats::{Waits, median};

/// How a thread passes time.
#[derive(Clone, Copy)]
pub enum Pass {
    /// On the processor.
    Busy(Duration),
    /// Off the processor, as a holder that waits for a disk.
    Asleep(Duration),
}

impl Pass {
    fn since(self, start: Instant) {
        match self {
            Pass::Busy(time) => {
                while start.elapsed() < time {
                    hint::spin_loop();
                }
            }
            Pass::Asleep(time) => thread::sleep(time),
        }
    }
}

/// Threads that all do the same until the time is up: wait for the lock, hold it, leave it alone.
#[derive(Clone, Copy)]
pub struct Side {
    /// How many threads.
    pub threads: u32,
    /// How they hold the lock.
    pub hold: Pass,
    /// How they stay away from it.
    pub gap: Pass,
}

/// Readers and writers of one lock.
pub struct Scenario {
    /// A short name.
    pub name: &'static str,
    /// What happens, in a line.
    pub what: &'static str,
    /// The readers.
    pub readers: Side,
    /// The writers.
    pub writers: Side,
    /// How long a lock is fought for in a round.
    pub time: Duration,
}

/// What the threads of a side got in a round.
pub struct Share {
    /// Grants a second, those within the time only.
    pub rate: f64,
    /// The wait for each grant, the one after the time is up included: a thread may have waited all the time for it.
    pub waits: Waits,
}

/// What a side got over all rounds, as medians of the rounds.
#[derive(Clone, Copy)]
pub struct Summary {
    /// Grants a second.
    pub rate: f64,
    /// The wait that half of the grants took at most.
    pub p50: Duration,
    /// The wait that 99 of 100 grants took at most.
    pub p99: Duration,
    /// A round's longest wait.
    pub worst: Duration,
    /// The longest wait of all rounds; no median.
    pub worst_ever: Duration,
}

impl Summary {
    fn new(rounds: &[&Share]) -> Self {
        let nanos = |of: &dyn Fn(&Waits) -> Duration| {
            let values = rounds
                .iter()
                .map(|share| of(&share.waits).as_nanos() as f64);
            Duration::from_nanos(median(values.collect()) as u64)
        };
        Summary {
            rate: median(rounds.iter().map(|share| share.rate).collect()),
            p50: nanos(&|waits| waits.percentile(0.5)),
            p99: nanos(&|waits| waits.percentile(0.99)),
            worst: nanos(&Waits::worst),
            worst_ever: rounds
                .iter()
                .map(|share| share.waits.worst())
                .max()
                .unwrap_or_default(),
        }
    }
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
    /// The longest wait of either side.
    pub fn worst(&self) -> Duration {
        self.readers.worst.max(self.writers.worst)
    }
}

/// Fights for each lock in turn, `rounds` times, each round beginning with another lock.
pub fn measure(scenario: &Scenario, locks: &[Which], rounds: usize) -> Vec<Outcome> {
    let mut shares: Vec<Vec<(Share, Share)>> = locks.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        for turn in 0..locks.len() {
            let index = (round + turn) % locks.len();
            shares[index].push(with_lock!(locks[index], L => fight::<L>(scenario)));
        }
    }
    let outcomes = locks.iter().zip(&shares).map(|(&which, rounds)| Outcome {
        which,
        readers: Summary::new(&rounds.iter().map(|round| &round.0).collect::<Vec<_>>()),
        writers: Summary::new(&rounds.iter().map(|round| &round.1).collect::<Vec<_>>()),
    });
    outcomes.collect()
}

/// One round of one lock: what the readers and the writers got.
fn fight<L: Lock>(scenario: &Scenario) -> (Share, Share) {
    let lock = &L::default();
    let threads = scenario.readers.threads + scenario.writers.threads;
    let start = &Barrier::new(threads as usize);
    thread::scope(|scope| {
        let spawn = |op: Op, side: Side| -> Vec<_> {
            let thread = move |index| {
                start.wait();
                stagger(side, index);
                take_turns(lock, op, side, scenario.time)
            };
            (0..side.threads)
                .map(|index| scope.spawn(move || thread(index)))
                .collect()
        };
        let join = |threads: Vec<ScopedJoinHandle<'_, (u64, Waits)>>| {
            let mut grants = 0;
            let mut waits = Waits::default();
            for thread in threads {
                let (count, more) = thread.join().expect("a bench thread does not panic");
                grants += count;
                waits.merge(&more);
            }
            let rate = grants as f64 / scenario.time.as_secs_f64();
            Share { rate, waits }
        };
        let readers = spawn(Op::Read, scenario.readers);
        let writers = spawn(Op::Write, scenario.writers);
        (join(readers), join(writers))
    })
}

/// Spreads the holds of a side's threads evenly, so that those that sleep overlap instead of keeping step.
fn stagger(side: Side, index: u32) {
    if let Pass::Asleep(hold) = side.hold {
        thread::sleep(hold * index / side.threads);
    }
}

/// What each thread does; returns its grants within the time, and its waits.
fn take_turns<L: Lock>(lock: &L, op: Op, side: Side, time: Duration) -> (u64, Waits) {
    let end = Instant::now() + time;
    let mut grants = 0;
    let mut waits = Waits::default();
    loop {
        let asked = Instant::now();
        if asked >= end {
            return (grants, waits);
        }
        let mut granted = asked;
        lock.with(op, || {
            granted = Instant::now();
            side.hold.since(granted);
        });
        waits.add(granted - asked);
        grants += u64::from(granted < end);
        side.gap.since(Instant::now());
    }
}
