//! Random schedules of 4 to 8 threads on the lock of ranges. Of each log it is asked what a range lock promises.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, PoisonError};

use conformance::range_faults::{leave_in_silence, lose_grant};
use conformance::range_log::{Event, check};
use conformance::symptom::assert_found;
use interlock::range::lock::RangeLock;
use interlock::range::policy::Policy;
use interlock::range::probe::{Probe, Step};
use interlock::range::sys::{Sys, TimedFutex};
use interlock::range::tree::{Mode, Place, Tree};
use interlock_rwlock::sys::{Futex, Ordering};
use shuttle::rand::Rng as _;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::AtomicU32;
use shuttle::thread;

use crate::sys::{StateWord, Value, Wait, explore};

/// Schedules of each kind and size.
const SCHEDULES: usize = 500;
/// Operations of each thread.
const OPERATIONS: usize = 3;
const CELLS: u64 = 6;
/// So that the same schedules are tried each time.
const SEED: u64 = 19;

/// No fault.
const NONE: u8 = 0;
/// Who sleeps is not woken.
const NOT_WOKEN: u8 = 1;
/// Nobody sleeps.
const NO_WAIT: u8 = 2;
/// Who gives up as it is granted its range goes without it.
const LOSES_GRANT: u8 = 3;
/// Who gives up lets nobody in.
const LEAVES_IN_SILENCE: u8 = 4;

/// shuttle with one of the faults above.
struct ShuttleSys<const FAULT: u8>;

impl<const FAULT: u8> Sys for ShuttleSys<FAULT> {
    type Guarded<T: Send> = Value<T>;
    type Word = StateWord;
    type Deadline = Chance;
    type Futex = Faulty<FAULT>;
    type Probe = Log;

    const LOOKS_BEFORE_ARRIVAL: u32 = 1;
    const SPINS_BEFORE_SLEEP: u32 = 1;
    const READERS_BEFORE_OPEN: u32 = 1;

    fn spin_hint() {}

    fn interrupt(tree: &mut Tree, place: &Place) -> Option<Vec<u64>> {
        match FAULT {
            LOSES_GRANT => lose_grant(tree, place),
            LEAVES_IN_SILENCE => leave_in_silence(tree, place),
            _ => tree.interrupt(place),
        }
    }
}

/// A deadline that comes by chance, at each look.
#[derive(Clone, Copy)]
struct Chance;

impl<const FAULT: u8> TimedFutex<Chance> for Faulty<FAULT> {
    fn wait_until(&self, _: u32, Chance: Chance) -> bool {
        thread::yield_now();
        shuttle::rand::thread_rng().gen_bool(0.25)
    }
}

struct Faulty<const FAULT: u8>(Wait);

impl<const FAULT: u8> Futex for Faulty<FAULT> {
    fn new() -> Self {
        Faulty(Wait::new())
    }

    fn load(&self, order: Ordering) -> u32 {
        self.0.load(order)
    }

    fn update(&self, order: Ordering, step: impl Fn(u32) -> u32) -> u32 {
        self.0.update(order, step)
    }

    /// Done by who is to sleep.
    fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
        if FAULT == NO_WAIT {
            return u32::MAX;
        }
        self.0.fetch_or(bits, order)
    }

    fn wait(&self, expected: u32) {
        self.0.wait(expected);
    }

    fn wake_all(&self) {
        if FAULT != NOT_WOKEN {
            self.0.wake_all();
        }
    }
}

/// Writes down every step. shuttle does not see it.
#[derive(Default)]
struct Log(std::sync::Mutex<Vec<Event>>);

fn me() -> usize {
    shuttle::current::me().into()
}

impl Log {
    fn push(&self, event: Event) {
        let mut events = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        events.push(event);
    }
}

impl Probe for Log {
    fn step(&self, step: Step<'_>, tree: &Tree) {
        let arrived = match step {
            Step::Arrives(place, _) => Some(place.clone()),
            Step::Becomes(..) | Step::GivesUp(_) => None,
            Step::Refused(range, mode) => {
                return self.push(Event::Refused(me(), range.clone(), mode));
            }
        };
        self.push(Event::Step(me(), arrived, tree.entries()));
    }
}

struct Shared<S: Sys> {
    lock: RangeLock<S>,
    /// Each is written in two steps, so that a write is lost if another writes it meanwhile.
    cells: [AtomicU32; CELLS as usize],
    writes: [std::sync::atomic::AtomicU32; CELLS as usize],
}

impl<S: Sys<Probe = Log, Deadline = Chance>> Shared<S> {
    fn new(policy: Policy) -> Self {
        Shared {
            lock: RangeLock::with(policy),
            cells: std::array::from_fn(|_| AtomicU32::new(0)),
            writes: std::array::from_fn(|_| 0.into()),
        }
    }

    fn write(&self, range: Range<u64>) {
        for cell in range {
            let cell = usize::try_from(cell).expect("an index");
            let now = self.cells[cell].load(Ordering::Relaxed);
            self.cells[cell].store(now + 1, Ordering::Relaxed);
            self.writes[cell].fetch_add(1, Ordering::Relaxed);
        }
    }

    /// An operation that is picked at random.
    fn operate(&self) {
        let mut random = shuttle::rand::thread_rng();
        let start = random.gen_range(0..CELLS);
        let range = start..random.gen_range(start..CELLS) + 1;
        let returned = || self.lock.probe().push(Event::Returned(me()));
        let at = random.gen_range(range.clone());
        let what = random.gen_range(0..8);
        let guard = match what {
            0 => Some(self.lock.read(range.clone())),
            1 => self.lock.try_write(range.clone()),
            6 => self.lock.try_read_until(range.clone(), Chance),
            7 => self.lock.try_write_until(range.clone(), Chance),
            _ => Some(self.lock.write(range.clone())),
        };
        let Some(mut guard) = guard else {
            if what != 1 {
                self.lock.probe().push(Event::GaveUp(me()));
            }
            return;
        };
        returned();
        if guard.mode() == Mode::Read {
            return;
        }
        self.write(range.clone());
        match what {
            2 if at > range.start => {
                let (head, tail) = guard.split(at);
                self.write(head.range());
                drop(head);
                self.write(tail.range());
            }
            3 => {
                guard.shrink(at..range.end);
                self.write(guard.range());
            }
            4 => guard.downgrade(),
            _ => {}
        }
    }
}

/// How many schedules were run of threads on a lock of this design, which is checked to let so many pass, and how many distinct logs they
/// left.
fn run<const FAULT: u8>(
    scheduler: impl Scheduler + 'static,
    threads: usize,
    policy: Policy,
    passes: usize,
) -> (usize, usize) {
    let logs = Arc::new(std::sync::Mutex::new(HashSet::new()));
    let seen = logs.clone();
    let schedules = explore(scheduler, move || {
        let shared = Arc::new(Shared::<ShuttleSys<FAULT>>::new(policy));
        let start = |_| {
            let shared = shared.clone();
            thread::spawn(move || (0..OPERATIONS).for_each(|_| shared.operate()))
        };
        let threads: Vec<_> = (0..threads).map(start).collect();
        for thread in threads {
            thread.join().expect("no thread panics");
        }
        let events = std::mem::take(&mut *shared.lock.probe().0.lock().expect("no panic"));
        check(passes, &events);
        for (cell, writes) in shared.cells.iter().zip(&shared.writes) {
            let found = cell.load(Ordering::Relaxed);
            assert_eq!(found, writes.load(Ordering::Relaxed), "a write was lost");
        }
        seen.lock()
            .expect("no check has failed before")
            .insert(events);
    });
    let logs = logs.lock().expect("no check has failed").len();
    (schedules, logs)
}

/// All schedules were run, and most of them differ.
fn explores(name: &str, scheduler: impl Fn() -> Box<dyn Scheduler + Send>) {
    for policy in [Policy::TREE_FIFO, Policy::PASS_ONE, Policy::PASS_TWO] {
        for threads in [4, 6, 8] {
            let (schedules, logs) = run::<NONE>(scheduler(), threads, policy, policy.passes);
            let passes = policy.passes;
            println!(
                "{name}, {threads} threads, {passes} pass: {schedules} schedules, {logs} logs"
            );
            assert!(
                schedules == SCHEDULES && logs > SCHEDULES / 2,
                "{schedules} schedules, {logs} logs"
            );
        }
    }
}

#[test]
fn random_schedules() {
    explores("random", || {
        Box::new(RandomScheduler::new_from_seed(SEED, SCHEDULES))
    });
}

#[test]
fn schedules_with_few_changes_of_priority() {
    explores("PCT", || {
        Box::new(PctScheduler::new_from_seed(SEED, 3, SCHEDULES))
    });
}

/// Each by what it breaks, and not by anything else.
#[test]
fn faults_are_found() {
    fn finds<const FAULT: u8>(name: &str, policy: Policy, passes: usize, symptom: &str) {
        assert_found(name, &[symptom], || {
            let scheduler = RandomScheduler::new_from_seed(SEED, SCHEDULES);
            run::<FAULT>(scheduler, 4, policy, passes)
        });
    }
    let fifo = Policy::TREE_FIFO;
    finds::<NOT_WOKEN>("nobody is woken", fifo, 0, "deadlock");
    finds::<NO_WAIT>("no wait", fifo, 0, "returned without it");
    finds::<NONE>("one passes", Policy::PASS_ONE, 0, "is overtaken by 1");
    finds::<NONE>("two pass", Policy::PASS_TWO, 1, "is overtaken by 2");
    let policy = Policy::NARROW_COUNTS_ONE;
    finds::<NONE>("parts count as one", policy, 0, " waits for ");
    let policy = Policy::NARROW_WAKES_NOBODY;
    finds::<NONE>("what is released wakes nobody", policy, 0, "deadlock");
    let policy = Policy::NARROW_WAKES_ALL;
    finds::<NONE>("what is kept wakes all", policy, 0, "is held beside");
    finds::<NONE>("nobody passes", fifo, 1, "refused without reason");
    finds::<LOSES_GRANT>("a grant is lost", fifo, 0, "gave up a range that stays");
    finds::<LEAVES_IN_SILENCE>("who gives up wakes nobody", fifo, 0, "deadlock");
    let policy = Policy::INTERRUPT_NO_SEQ;
    finds::<NONE>("no sequence numbers", policy, 0, "is held beside");
}
