//! How many sleepers a grant wakes. A writer that holds the lock sleeps, so that every other one has gone to sleep for it: then each
//! grant should end one sleep, that of the next holder.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Barrier, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io, mem, thread};

use anyhow::Context;
use interlock_rwlock::Kind;
use interlock_rwlock::beds::Beds;
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::probe::NoProbe;
use interlock_rwlock::sys::{Futex, Ordering, StdSys, Sys};
use interlock_rwlock::word::{Grant, Word};

use super::list::{LOCKS, Lock, Which};
use crate::rounds::in_turns;
use crate::stats::Spread;

/// How many writers.
pub const WRITERS: [u32; 4] = [2, 8, 32, 256];
/// How long each holds the lock, asleep.
const HOLD: Duration = Duration::from_micros(200);

/// What a round is like.
#[derive(Clone, Copy)]
pub struct Round {
    /// How many writers.
    pub writers: u32,
    /// How long they are counted; before that they have half as long to queue.
    pub time: Duration,
}

/// What was counted in a round, a grant.
#[derive(Clone, Copy, Default)]
pub struct Woken {
    /// Sleeps of the writers, but for those while they held the lock.
    pub sleeps: f64,
    /// Returns from [`Futex::wait`], if the lock is [`Counted`].
    returns: f64,
}

/// What a lock's grants cost, by [`WRITERS`].
pub struct Herd {
    /// Which lock; none is ours with every return from its futex counted, whatever made the thread return.
    pub which: Option<Which>,
    /// Wake-ups a grant.
    pub woken: Vec<Spread>,
}

/// Counts for each lock that lets waiters sleep, and at the futex of ours.
///
/// # Errors
/// If the system does not tell how often a thread has slept.
pub fn measure(rounds: usize, time: Duration) -> anyhow::Result<Vec<Herd>> {
    let sleeping = LOCKS.iter().filter(|known| !known.kind.spins()).map(Some);
    let subjects: Vec<Option<Which>> = sleeping.chain([None]).collect();
    let mut herds: Vec<Herd> = subjects
        .iter()
        .map(|&which| Herd {
            which,
            woken: Vec::new(),
        })
        .collect();
    for writers in WRITERS {
        let counted = in_turns(rounds, subjects.len(), |index| {
            let asked = Round { writers, time };
            match subjects[index] {
                Some(which) => (which.wake)(asked).map(|woken| woken.sleeps),
                None => round::<Counted>(asked).map(|woken| woken.returns),
            }
        });
        for (herd, counted) in herds.iter_mut().zip(counted) {
            let counted = counted.into_iter().collect::<anyhow::Result<_>>()?;
            herd.woken.push(Spread::new(counted));
        }
    }
    Ok(herds)
}

/// One round of one lock.
///
/// # Errors
/// If the system does not tell how often a thread has slept.
pub fn round<L: Lock>(Round { writers, time }: Round) -> anyhow::Result<Woken> {
    let lock = &L::free();
    let (over, grants) = (&AtomicBool::new(false), &AtomicU64::new(0));
    let (tasks, start) = (&Mutex::new(Vec::new()), &Barrier::new(writers as usize + 1));
    thread::scope(|scope| {
        for _ in 0..writers {
            scope.spawn(move || {
                let task = fs::read_link("/proc/thread-self");
                let status = task.map(|task| Path::new("/proc").join(task).join("status"));
                tasks
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(status);
                start.wait();
                while !over.load(Ordering::Relaxed) {
                    lock.exclusive(|| {
                        grants.fetch_add(1, Ordering::Relaxed);
                        thread::sleep(HOLD);
                    });
                }
            });
        }
        start.wait();
        let tasks = mem::take(&mut *tasks.lock().unwrap_or_else(PoisonError::into_inner));
        let count = || {
            let tasks: Vec<PathBuf> = tasks.into_iter().collect::<io::Result<_>>()?;
            thread::sleep(time / 2);
            let before = Counts::now(&tasks, grants)?;
            thread::sleep(time);
            anyhow::Ok(before.until(Counts::now(&tasks, grants)?))
        };
        let woken = count();
        over.store(true, Ordering::Relaxed);
        woken
    })
}

/// What has been counted until some moment.
struct Counts {
    grants: u64,
    sleeps: u64,
    returns: u64,
}

impl Counts {
    fn now(tasks: &[PathBuf], grants: &AtomicU64) -> anyhow::Result<Self> {
        let sleeps = tasks.iter().map(|path| sleeps(&fs::read_to_string(path)?));
        Ok(Counts {
            sleeps: sleeps.sum::<anyhow::Result<u64>>()?,
            grants: grants.load(Ordering::Relaxed),
            returns: RETURNS.load(Ordering::Relaxed),
        })
    }

    fn until(&self, after: Counts) -> Woken {
        let grants = (after.grants - self.grants) as f64;
        Woken {
            sleeps: (after.sleeps - self.sleeps) as f64 / grants - 1.0,
            returns: (after.returns - self.returns) as f64 / grants,
        }
    }
}

/// How often a thread has slept: what it calls a voluntary switch, since one that yields has not.
fn sleeps(status: &str) -> anyhow::Result<u64> {
    let mut lines = status.lines();
    let count = lines.find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    let count = count.context("a thread's status has no voluntary_ctxt_switches")?;
    Ok(count.trim().parse()?)
}

/// Our lock, on a futex that counts.
pub struct Counted(RawBarrierRwLock<Counting>);

impl Lock for Counted {
    fn free() -> Self {
        Counted(RawBarrierRwLock::with(Word::FREE, NoProbe))
    }

    fn shared(&self, body: impl FnOnce()) {
        let _hold = self.0.hold(Kind::Reader);
        body();
    }

    fn exclusive(&self, body: impl FnOnce()) {
        let _hold = self.0.hold(Kind::Writer);
        body();
    }
}

/// The published lock's system, but for its futex.
pub struct Counting;

impl Sys for Counting {
    type Word = <StdSys as Sys>::Word;
    type Beds = CountingBeds;

    fn yield_now() {
        StdSys::yield_now();
    }
}

/// Returns from [`Futex::wait`] of all locks.
static RETURNS: AtomicU64 = AtomicU64::new(0);

/// As many beds as the published locks share, for one lock at a time.
#[derive(Clone, Copy)]
pub struct CountingBeds;

static BEDS: [CountingFutex; 1024] = [const { CountingFutex(AtomicU32::new(0)) }; 1024];

impl Beds for CountingBeds {
    type Futex = CountingFutex;

    fn new() -> Self {
        CountingBeds
    }

    fn bed(&self, _: usize, grant: Grant) -> &CountingFutex {
        let (Grant::Readers(number) | Grant::Writer(number)) = grant;
        &BEDS[number as usize % BEDS.len()]
    }
}

/// The published lock's futex, and a count of the returns from it.
pub struct CountingFutex(AtomicU32);

impl Futex for CountingFutex {
    fn new() -> Self {
        CountingFutex(Futex::new())
    }

    fn load(&self, order: Ordering) -> u32 {
        Futex::load(&self.0, order)
    }

    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        Futex::update(&self.0, order, step)
    }

    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        Futex::fetch_or(&self.0, bits, order)
    }

    fn wait(&self, expected: u32) {
        Futex::wait(&self.0, expected);
        RETURNS.fetch_add(1, Ordering::Relaxed);
    }

    fn wake_all(&self) {
        self.0.wake_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_is_a_voluntary_switch() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t7\n";
        assert_eq!(sleeps(status).unwrap(), 12);
        assert!(sleeps("Name:\tx\n").is_err());
    }

    #[test]
    fn a_grant_is_charged_what_others_than_its_holder_slept() {
        let counts = |grants, sleeps, returns| Counts {
            grants,
            sleeps,
            returns,
        };
        let Woken { sleeps, returns } = counts(10, 30, 5).until(counts(20, 80, 45));
        assert_eq!((sleeps, returns), (4.0, 4.0));
    }
}
