//! Threads that fight for a lock: what each side gets, and how long it waits.

use std::hint;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use clap::ValueEnum;

use crate::stats::{Spread, Waits, median};

/// What a thread asks of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// To hold it shared.
    Read,
    /// To hold it exclusively.
    Write,
}

/// How a thread passes time.
#[derive(Clone, Copy)]
pub enum Pass {
    /// On the processor.
    Busy(Duration),
    /// Off the processor, as a holder that waits for a disk.
    Asleep(Duration),
}

impl Pass {
    /// No time at all.
    pub const NONE: Pass = Pass::Busy(Duration::ZERO);
    /// What those do between two holds that a scenario may starve. With no gap at all, their few grants come in bursts while the
    /// others are still waking up, and hide the waits; with a busy one, they keep the others off the processors.
    pub const PAUSE: Pass = Pass::asleep_micros(20);

    /// So long on the processor.
    pub const fn busy_micros(micros: u64) -> Pass {
        Pass::Busy(Duration::from_micros(micros))
    }

    /// So long off it.
    pub const fn asleep_micros(micros: u64) -> Pass {
        Pass::Asleep(Duration::from_micros(micros))
    }

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
    /// The same, with the rounds' least and most.
    pub rates: Spread,
    /// The wait that half of the grants took at most.
    pub p50: Duration,
    /// The wait that 99 of 100 grants took at most.
    pub p99: Duration,
    /// A round's longest wait.
    pub worst: Duration,
    /// The shortest of the rounds' longest waits; no median.
    pub worst_at_best: Duration,
    /// The longest wait of all rounds; no median.
    pub worst_ever: Duration,
}

impl Summary {
    /// Of the rounds' shares.
    ///
    /// # Panics
    /// If there are none.
    pub fn new<'a>(rounds: impl Iterator<Item = &'a Share>) -> Self {
        let rounds: Vec<&Share> = rounds.collect();
        let nanos = |of: &dyn Fn(&Waits) -> Duration| {
            let values = rounds
                .iter()
                .map(|share| of(&share.waits).as_nanos() as f64);
            Duration::from_nanos(median(values.collect()) as u64)
        };
        let worsts = || rounds.iter().map(|share| share.waits.worst());
        let rates = Spread::new(rounds.iter().map(|share| share.rate).collect());
        Summary {
            rate: rates.median,
            rates,
            p50: nanos(&|waits| waits.percentile(0.5)),
            p99: nanos(&|waits| waits.percentile(0.99)),
            worst: nanos(&Waits::worst),
            worst_at_best: worsts().min().unwrap_or_default(),
            worst_ever: worsts().max().unwrap_or_default(),
        }
    }
}

/// How long a wait must be, of a round, for its thread to have been starved.
pub const STARVED: f64 = 0.9;

/// One round of one lock, which runs a piece of code while it is held as asked: what the readers and the writers got.
pub fn readers_and_writers(
    scenario: &Scenario,
    with: impl Fn(Op, &mut dyn FnMut()) + Sync,
) -> Vec<Share> {
    let with = &with;
    let as_asked = |op| move |_: Turn, body: &mut dyn FnMut()| with(op, body);
    let sides = [
        (scenario.readers, as_asked(Op::Read)),
        (scenario.writers, as_asked(Op::Write)),
    ];
    fight(&sides, scenario.time)
}

/// Whose turn it is.
#[derive(Clone, Copy)]
pub struct Turn {
    /// The thread, among those of its side.
    pub thread: u32,
    /// How many turns it has had.
    pub number: u64,
}

/// One round of several sides, each with what runs a piece of code while the lock is held: what each side got.
pub fn fight<W>(sides: &[(Side, W)], time: Duration) -> Vec<Share>
where
    W: Fn(Turn, &mut dyn FnMut()) + Sync,
{
    let threads: u32 = sides.iter().map(|(side, _)| side.threads).sum();
    let start = &Barrier::new(threads as usize);
    thread::scope(|scope| {
        let join = |threads: Vec<ScopedJoinHandle<'_, (u64, Waits)>>| {
            let mut grants = 0;
            let mut waits = Waits::default();
            for thread in threads {
                let (count, more) = thread.join().expect("a bench thread does not panic");
                grants += count;
                waits.merge(&more);
            }
            let rate = grants as f64 / time.as_secs_f64();
            Share { rate, waits }
        };
        let spawn = sides.iter().map(|(side, with)| -> Vec<_> {
            let thread = move |index| {
                start.wait();
                stagger(*side, index);
                take_turns(with, *side, index, time)
            };
            (0..side.threads)
                .map(|index| scope.spawn(move || thread(index)))
                .collect()
        });
        let running: Vec<_> = spawn.collect();
        running.into_iter().map(join).collect()
    })
}

/// Spreads the holds of a side's threads evenly, so that those that sleep overlap instead of keeping step.
fn stagger(side: Side, index: u32) {
    if let Pass::Asleep(hold) = side.hold {
        thread::sleep(hold * index / side.threads);
    }
}

/// What each thread does; returns its grants within the time, and its waits.
fn take_turns(
    with: &impl Fn(Turn, &mut dyn FnMut()),
    side: Side,
    thread: u32,
    time: Duration,
) -> (u64, Waits) {
    let end = Instant::now() + time;
    let mut grants = 0;
    let mut waits = Waits::default();
    for number in 0.. {
        let asked = Instant::now();
        if asked >= end {
            break;
        }
        let mut granted = asked;
        with(Turn { thread, number }, &mut || {
            granted = Instant::now();
            side.hold.since(granted);
        });
        waits.add(granted - asked);
        grants += u64::from(granted < end);
        side.gap.since(Instant::now());
    }
    (grants, waits)
}

/// Turns a second of so many threads, without a clock between two of them.
///
/// # Errors
/// The first of a turn's.
pub fn rate(
    threads: u32,
    time: Duration,
    take: impl Fn(Turn) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<f64> {
    let over = AtomicBool::new(false);
    let began = Instant::now();
    let done = thread::scope(|scope| {
        let run = |thread| {
            let (over, take) = (&over, &take);
            scope.spawn(move || -> anyhow::Result<u64> {
                let mut number = 0;
                while !over.load(Ordering::Relaxed) {
                    take(Turn { thread, number })?;
                    number += 1;
                }
                Ok(number)
            })
        };
        let running: Vec<_> = (0..threads).map(run).collect();
        thread::sleep(time);
        over.store(true, Ordering::Relaxed);
        let joined = running.into_iter().map(|thread| thread.join());
        joined
            .map(|turns| turns.unwrap_or_else(|_| anyhow::bail!("a thread has panicked")))
            .sum::<anyhow::Result<u64>>()
    })?;
    Ok(done as f64 / began.elapsed().as_secs_f64())
}
