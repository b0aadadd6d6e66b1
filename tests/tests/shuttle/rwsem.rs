//! Random schedules of 4 to 8 threads. Unlike under loom, tasks spin, and a wake-up may come late. Each log is a path of the machine
//! in which overtaking is bounded.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

use conformance::faulty_rules::{DoubleHandOff, LateWriter, ReaderOvertakes};
use conformance::rwsem_log::{Log, check, with_budget};
use interlock_rwlock::Kind;
use interlock_rwlock::layout::{Budget, Layout, NoBudget};
use interlock_rwlock::lock::RawBarrierRwLock;
use interlock_rwlock::rules::{BatchQueue, Rules};
use interlock_rwlock::sys::Ordering;
use interlock_rwlock::word::WordOf;
use shuttle::rand::Rng as _;
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::atomic::AtomicU32;
use shuttle::thread;

use crate::sys::{ShuttleSys, explore};

/// Schedules of each kind and size.
const SCHEDULES: usize = 2000;
/// Operations of each thread.
const OPERATIONS: usize = 3;
/// So that the same schedules are tried each time.
const SEED: u64 = 20;

shuttle::thread_local! {
    static TASK: Cell<usize> = const { Cell::new(usize::MAX) };
}

struct Shared<R, L: Layout> {
    lock: RawBarrierRwLock<ShuttleSys, Log<L>, R, L>,
    /// Written in two steps, so that a write is lost if two writers are inside.
    value: AtomicU32,
}

/// Some operations of a thread, picked at random; returns how often it wrote.
fn operate<R: Rules<L>, L: Layout>(shared: &Shared<R, L>, task: usize, kind: Kind) -> u32 {
    TASK.with(|current| current.set(task));
    let Shared { lock, value } = shared;
    let mut writes = 0;
    for _ in 0..OPERATIONS {
        let (tries, downgrades) = (
            shuttle::rand::thread_rng().gen_bool(0.25),
            shuttle::rand::thread_rng().gen_bool(0.25),
        );
        if !tries {
            lock.acquire(kind);
        } else if !lock.try_acquire(kind) {
            lock.probe().refused();
            continue;
        }
        lock.probe().returned();
        let now = value.load(Ordering::Relaxed);
        let mut held_for = kind;
        if kind == Kind::Writer {
            value.store(now + 1, Ordering::Relaxed);
            writes += 1;
            if downgrades {
                // SAFETY: held for writing.
                unsafe { lock.downgrade() };
                held_for = Kind::Reader;
            }
        }
        // SAFETY: acquired above.
        unsafe { lock.release(held_for) };
    }
    writes
}

/// How many schedules were run, and how many distinct logs they left.
fn run<R: Rules<L> + Send + Sync + 'static, L: Layout + Send + Sync>(
    scheduler: impl Scheduler + 'static,
    readers: usize,
    writers: usize,
) -> (usize, usize) {
    let machine = Arc::new(with_budget::<L>(readers, writers));
    let logs = Arc::new(std::sync::Mutex::new(HashSet::new()));
    let seen = logs.clone();
    let schedules = explore(scheduler, move || {
        let probe = Log::new(|| TASK.with(Cell::get));
        let lock = RawBarrierRwLock::with(WordOf::starting_at(4095, 15), probe);
        let shared = Arc::new(Shared::<R, L> {
            lock,
            value: AtomicU32::new(0),
        });
        let start = |(task, &kind): (usize, &Kind)| {
            let shared = shared.clone();
            thread::spawn(move || operate(&shared, task, kind))
        };
        let threads: Vec<_> = machine.lock.kinds.iter().enumerate().map(start).collect();
        let writes = threads
            .into_iter()
            .map(|thread| thread.join().expect("no thread panics"));
        let writes: u32 = writes.sum();
        assert_eq!(
            shared.value.load(Ordering::Relaxed),
            writes,
            "a write was lost"
        );
        let events = shared.lock.probe().events();
        check(&*machine, &events);
        seen.lock()
            .expect("no check has failed before")
            .insert(events);
    });
    let logs = logs.lock().expect("no check has failed").len();
    (schedules, logs)
}

/// All schedules were run, and most of them differ.
fn explores<L: Layout + Send + Sync>(
    name: &str,
    scheduler: impl Fn() -> Box<dyn Scheduler + Send>,
) {
    for (readers, writers) in [(2, 2), (3, 3), (4, 4), (6, 2), (2, 6)] {
        let (schedules, logs) = run::<BatchQueue, L>(scheduler(), readers, writers);
        println!("{name}, {readers}R+{writers}W: {schedules} schedules, {logs} logs");
        assert!(
            schedules == SCHEDULES && logs > SCHEDULES / 2,
            "{schedules} schedules, {logs} logs"
        );
    }
}

#[test]
fn random_schedules() {
    explores::<NoBudget>("random", || {
        Box::new(RandomScheduler::new_from_seed(SEED, SCHEDULES))
    });
}

#[test]
fn schedules_with_few_changes_of_priority() {
    explores::<NoBudget>("PCT", || {
        Box::new(PctScheduler::new_from_seed(SEED, 3, SCHEDULES))
    });
}

/// Some pass those that wait, so many as the budget says.
#[test]
fn random_schedules_with_a_budget() {
    let random = || -> Box<dyn Scheduler + Send> {
        Box::new(RandomScheduler::new_from_seed(SEED, SCHEDULES))
    };
    explores::<Budget<1>>("random, budget 1", random);
    explores::<Budget<3>>("random, budget 3", random);
}

/// Each by what it breaks, and not by anything else.
#[test]
fn faulty_rules_are_found() {
    fn found<R: Rules + Send + Sync + 'static>(symptoms: &[&str]) {
        let run = || run::<R, NoBudget>(RandomScheduler::new_from_seed(SEED, SCHEDULES), 3, 3);
        let panic = std::panic::catch_unwind(run).expect_err("the fault is found");
        let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
        assert!(
            symptoms.iter().any(|symptom| text.contains(symptom)),
            "found something else: {text}"
        );
    }
    found::<DoubleHandOff>(&["not enabled in the machine"]);
    found::<LateWriter>(&["after, event"]);
    found::<ReaderOvertakes>(&["not enabled in the machine"]);
}
