//! Random schedules of 4 to 8 threads on the lock with a queue of names: they take
//! the lock in each mode, give up, upgrade and downgrade. Nobody reads what another writes, and nobody is left asleep.

use std::marker::PhantomData;
use std::sync::Arc;

use conformance::queued_faults::{LetsFirstIn, UpgradesInLine};
use conformance::symptom::assert_found;
use interlock_rwlock::queued::Mode;
use interlock_rwlock::queued::lock::RawQueuedRwLock;
use interlock_rwlock::queued::rules::{Queued, Rules};
use interlock_rwlock::queued::state::Inside;
use interlock_rwlock::queued::sys::{Flag, Ordering, Sys};
use shuttle::rand::Rng as _;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::{AtomicBool, AtomicU32};
use shuttle::thread::{self, Thread};

use crate::sys::{Value, explore};

/// Schedules of each kind and size.
const SCHEDULES: usize = 500;
/// Operations of each thread.
const OPERATIONS: usize = 4;
/// So that the same schedules are tried each time.
const SEED: u64 = 20;

struct ShuttleSys<R>(PhantomData<R>);

impl<R: Rules> Sys for ShuttleSys<R> {
    type Guarded<T: Send> = Value<T>;
    type Flag = Open;
    type Thread = Thread;
    /// So many looks from now.
    type Deadline = u32;
    type Rules = R;

    const SPINS_BEFORE_SLEEP: u32 = 1;

    fn spin_hint() {}

    fn current() -> Thread {
        thread::current()
    }

    fn park(deadline: Option<u32>) -> bool {
        match deadline {
            None => thread::park(),
            Some(looks) => (0..looks).for_each(|_| thread::yield_now()),
        }
        deadline.is_some()
    }

    fn unpark(thread: &Thread) {
        thread.unpark();
    }
}

struct Open(AtomicBool);

impl Flag for Open {
    fn new() -> Self {
        Open(AtomicBool::new(false))
    }

    fn is_set(&self, order: Ordering) -> bool {
        self.0.load(order)
    }

    fn set(&self, order: Ordering) {
        self.0.store(true, order);
    }
}

struct Shared<R: Rules> {
    lock: RawQueuedRwLock<ShuttleSys<R>>,
    /// Who is inside, for reading, upgradable, and for writing.
    inside: [AtomicU32; 3],
}

impl<R: Rules> Shared<R> {
    /// It has the lock for this, beside whom that lets.
    fn holds(&self, mode: Mode) {
        self.inside[mode as usize].fetch_add(1, Ordering::Relaxed);
        thread::yield_now();
        let [readers, upgradable, writers] =
            [0, 1, 2].map(|mode| self.inside[mode].load(Ordering::Relaxed));
        let alone = readers + upgradable == 0 && writers == 1;
        assert!(
            alone || (upgradable <= 1 && writers == 0),
            "{readers} readers, {upgradable} upgradable and {writers} writers are inside"
        );
        self.inside[mode as usize].fetch_sub(1, Ordering::Relaxed);
    }

    fn leave(&self, mode: Mode) {
        self.holds(mode);
        // SAFETY: it is held for this.
        unsafe { self.lock.release(mode) };
    }

    /// Takes the lock in some mode, perhaps for some time only, and perhaps goes on in another.
    fn operate(&self, choice: u32) {
        let mode = [Mode::Read, Mode::Upgradable, Mode::Write][(choice % 3) as usize];
        let deadline = (choice & 8 != 0).then_some(choice >> 4 & 3);
        if !self.lock.acquire(mode, deadline) {
            return;
        }
        self.holds(mode);
        match mode {
            Mode::Upgradable if choice & 64 != 0 => {
                // SAFETY: it is held upgradable.
                let upgraded = unsafe { self.lock.upgrade(deadline) };
                self.leave(if upgraded { Mode::Write } else { mode });
            }
            Mode::Write if choice & 64 != 0 => {
                // SAFETY: it is held for writing.
                unsafe { self.lock.downgrade(mode, Mode::Upgradable) };
                self.leave(Mode::Upgradable);
            }
            _ => self.leave(mode),
        }
    }
}

fn run<R: Rules>(scheduler: impl Scheduler + 'static, threads: usize) -> usize
where
    RawQueuedRwLock<ShuttleSys<R>>: Send + Sync,
{
    explore(scheduler, move || {
        let shared = Arc::new(Shared::<R> {
            lock: RawQueuedRwLock::default(),
            inside: [0; 3].map(AtomicU32::new),
        });
        let operates = |_| {
            let shared = shared.clone();
            thread::spawn(move || {
                for _ in 0..OPERATIONS {
                    shared.operate(shuttle::rand::thread_rng().r#gen());
                }
            })
        };
        let threads: Vec<_> = (0..threads).map(operates).collect();
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        assert_eq!(shared.lock.inside(), Inside::default());
        assert_eq!(shared.lock.waiting(), 0);
    })
}

#[test]
fn nobody_is_inside_beside_a_writer_and_nobody_is_left_asleep() {
    for threads in [4, 6, 8] {
        let random = RandomScheduler::new_from_seed(SEED, SCHEDULES);
        assert_eq!(run::<Queued>(random, threads), SCHEDULES);
        let few_changes = PctScheduler::new_from_seed(SEED, 3, SCHEDULES);
        assert_eq!(run::<Queued>(few_changes, threads), SCHEDULES);
    }
}

#[test]
fn faulty_rules_are_found() {
    fn finds<R: Rules>(name: &str, symptom: &str)
    where
        RawQueuedRwLock<ShuttleSys<R>>: Send + Sync,
    {
        assert_found(name, &[symptom], || {
            run::<R>(RandomScheduler::new_from_seed(SEED, SCHEDULES), 4)
        });
    }
    finds::<LetsFirstIn>("a give-up that lets the first in", "are inside");
    finds::<UpgradesInLine>("an upgrade in line", "deadlock");
}
