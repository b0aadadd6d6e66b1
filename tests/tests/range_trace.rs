//! What threads do with a lock of ranges, recorded, is a behaviour of `RangeTree`: see `docs/traces.md`.

use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use conformance::in_time::in_time;
use conformance::traces::{by_both, by_machine, in_order, later, one};
use interlock::range::lock::RangeLock;
use interlock::range::policy::Policy;
use interlock::range::recorder::Recorder;
use interlock::range::sys::{StdSys, Sys, TimedFutex};
use interlock_rwlock::sys::{Futex, Ordering};
use interlock_traces::recording::Trace;
use interlock_traces::validate::edits::Edit;

/// The published lock's, recorded.
struct Recorded;

impl Sys for Recorded {
    type Guarded<T: Send> = <StdSys as Sys>::Guarded<T>;
    type Word = AtomicU64;
    type Deadline = <StdSys as Sys>::Deadline;
    type Futex = <StdSys as Sys>::Futex;
    type Probe = Recorder;

    const LOOKS_BEFORE_ARRIVAL: u32 = 1;
    const SPINS_BEFORE_SLEEP: u32 = 100;
    const READERS_BEFORE_OPEN: u32 = 1;
}

/// The same without a wait: one thread plays several, each of which knows when it has its range. A fault, if it does not. With a
/// deadline it gives up.
struct Played;

impl Sys for Played {
    type Guarded<T: Send> = <StdSys as Sys>::Guarded<T>;
    type Word = AtomicU64;
    type Deadline = ();
    type Futex = Awake;
    type Probe = Recorder;

    const LOOKS_BEFORE_ARRIVAL: u32 = 0;
    const SPINS_BEFORE_SLEEP: u32 = 0;
    const READERS_BEFORE_OPEN: u32 = 1;

    fn spin_hint() {}
}

/// On this nobody sleeps: every flag is set, for who has gone to sleep.
struct Awake;

impl Futex for Awake {
    fn new() -> Self {
        Awake
    }

    fn load(&self, _: Ordering) -> u32 {
        u32::MAX
    }

    fn update(&self, _: Ordering, _: impl Fn(u32) -> u32) -> u32 {
        u32::MAX
    }

    fn fetch_or(&self, _: u32, _: Ordering) -> u32 {
        0
    }

    fn wait(&self, _: u32) {}

    fn wake_all(&self) {}
}

impl TimedFutex<()> for Awake {
    fn wait_until(&self, _: u32, (): ()) -> bool {
        true
    }
}

fn trace<S: Sys<Probe = Recorder>>(
    lock: &RangeLock<S>,
    source: &str,
    policy: Policy,
) -> Result<Trace> {
    one(&lock.probe().to_text(source, policy))
}

/// What a thread does in a round: some of everything, over eight cells.
fn use_lock(lock: &RangeLock<Recorded>, thread: u64, round: u64) {
    let wide = 0..8;
    let narrow = 2 * thread % 8..2 * thread % 8 + 2;
    match (thread + round) % 8 {
        0 => drop(lock.read(wide)),
        1 => {
            let guard = lock.write(narrow);
            thread::yield_now();
            drop(guard);
        }
        2 => {
            let (head, tail) = lock.write(wide).split(4);
            thread::yield_now();
            drop(tail);
            drop(head);
        }
        3 => {
            let mut guard = lock.write(wide);
            guard.shrink(narrow);
            thread::yield_now();
            drop(guard);
        }
        4 => {
            let mut guard = lock.write(narrow);
            guard.downgrade();
            thread::yield_now();
            drop(guard);
        }
        5 => drop(lock.try_write(narrow)),
        6 => drop(lock.try_write_for(wide, Duration::ZERO)),
        _ => drop(lock.try_read_for(narrow, Duration::from_micros(10))),
    }
}

/// A stress run, recorded.
fn record(policy: Policy, threads: u64, rounds: u64) -> Result<Trace> {
    let lock = in_time(move || {
        let lock = RangeLock::<Recorded>::with(policy);
        thread::scope(|scope| {
            for thread in 0..threads {
                let lock = &lock;
                scope.spawn(move || {
                    lock.probe().join(&format!("t{thread}"));
                    (0..rounds).for_each(|round| use_lock(lock, thread, round));
                });
            }
        });
        lock
    });
    trace(&lock, "a stress run", policy)
}

fn count(trace: &Trace, action: &str) -> usize {
    let events = trace.events.iter();
    events.filter(|event| event.action == action).count()
}

#[test]
fn stress_runs_are_behaviours() -> Result<()> {
    let mut short = Vec::new();
    for policy in [Policy::TREE_FIFO, Policy::PASS_ONE] {
        for (threads, rounds) in [(2, 200), (4, 100), (6, 50)] {
            let trace = record(policy, threads, rounds)?;
            let actions = [
                "Lock",
                "Pass",
                "Wait",
                "Narrow",
                "Unlock",
                "Interrupt",
                "See",
            ];
            let counts = actions.map(|action| (action, count(&trace, action)));
            println!("{threads} threads: {counts:?}");
            // Whoever tries and fails has one event, whoever does not has two at least.
            ensure!(trace.events.len() as u64 >= threads * rounds, "too few");
            ensure!(count(&trace, "Narrow") > 0, "nobody narrows");
            let accepted = by_machine("range", std::slice::from_ref(&trace))?;
            ensure!(accepted.len() == 1, "{}", trace.to_text());
        }
        short.push(record(policy, 4, 8)?);
    }
    let accepted = by_both("range-stress", "range", &short)?;
    ensure!(
        accepted.len() == short.len(),
        "of the short ones only {accepted:?}"
    );
    Ok(())
}

#[test]
fn edited_runs_are_refused() -> Result<()> {
    let mut trace = record(Policy::TREE_FIFO, 3, 12)?;
    in_order(&mut trace);
    let mut without = trace.clone();
    without.events.retain(|event| event.action != "Unlock");
    ensure!(
        by_machine("range", &[without])?.is_empty(),
        "nobody unlocks"
    );
    for edit in [Edit::More, Edit::Repeat] {
        let edited = edit.all(&trace);
        let accepted: Vec<usize> = by_machine("range", &edited)?.into_iter().collect();
        // Who has looked may look again.
        let looks = |at: &usize| edit == Edit::Repeat && trace.events[*at].action == "See";
        println!("{edit:?}: {} edits", edited.len());
        ensure!(accepted.iter().all(looks), "{edit:?} at {accepted:?}");
    }
    Ok(())
}

const W: Range<u64> = 0..8;

/// Everything once, in one thread: what waits is not used before it is held.
fn played(policy: Policy) -> RangeLock<Played> {
    let lock = RangeLock::<Played>::with(policy);
    let wide = lock.write(W);
    let both = lock.write(2..6);
    let last = lock.read(6..8);
    assert!(lock.try_read(7..8).is_none(), "it is written");
    let (mut head, tail) = wide.split(4);
    drop(tail);
    head.shrink(0..2);
    head.downgrade();
    drop(last);
    let beside = lock.read(0..2);
    drop(head);
    drop(both);
    drop(beside);
    lock
}

/// Who waits in the middle gives up: who came before it waits on, and who came after it has its range.
fn interrupted(policy: Policy) -> RangeLock<Played> {
    let lock = RangeLock::<Played>::with(policy);
    let held = lock.write(0..2);
    let before = lock.write(1..3);
    assert!(lock.try_read_until(2..5, ()).is_none(), "it waits");
    let beside = lock.try_write_until(4..5, ());
    assert!(beside.is_some(), "who gave up is gone");
    drop((held, before, beside));
    lock
}

/// A range that conflicts with a waiter alone.
fn passing(policy: Policy) -> RangeLock<Played> {
    let lock = RangeLock::<Played>::with(policy);
    let first = lock.write(0..1);
    let wide = lock.write(W);
    let passes = lock.write(4..5);
    let (first, rest) = if policy.passes == 0 {
        (first, [wide, passes])
    } else {
        (first, [passes, wide])
    };
    drop(first);
    rest.into_iter().for_each(drop);
    lock
}

/// Somebody who waits goes on without its range.
fn impatient() -> RangeLock<Played> {
    let lock = RangeLock::<Played>::with(Policy::TREE_FIFO);
    let held = lock.write(W);
    drop(lock.write(0..1));
    drop(held);
    lock
}

/// What a lock of one design does is none of another's, and a thread that does not wait is found.
#[test]
fn faulty_runs_are_refused() -> Result<()> {
    let fifo = Policy::TREE_FIFO;
    let judged = [
        trace(&played(fifo), "played", fifo)?,
        trace(&passing(fifo), "played", fifo)?,
        trace(&passing(Policy::PASS_ONE), "passing", Policy::PASS_ONE)?,
        trace(&interrupted(fifo), "interrupted", fifo)?,
        trace(&played(Policy::NARROW_COUNTS_ONE), "counts one", fifo)?,
        trace(&played(Policy::NARROW_WAKES_NOBODY), "wakes nobody", fifo)?,
        trace(&played(Policy::NARROW_WAKES_ALL), "wakes all", fifo)?,
        trace(&passing(Policy::PASS_ONE), "passes", fifo)?,
        trace(&passing(fifo), "does not pass", Policy::PASS_ONE)?,
        trace(&impatient(), "does not wait", fifo)?,
        trace(
            &interrupted(Policy::INTERRUPT_NO_SEQ),
            "all are woken",
            fifo,
        )?,
    ];
    let accepted = by_both("range-faults", "range", &judged)?;
    ensure!(
        accepted.iter().eq(&[0, 1, 2, 3]),
        "all but the faults: {accepted:?}"
    );
    Ok(())
}

/// The trace says what was done, and by whom: two calls that are under way at a time are two tasks.
#[test]
fn a_record_says_what_was_done() -> Result<()> {
    let lock = played(Policy::TREE_FIFO);
    drop((lock.read(0..2), lock.read(0..2)));
    let trace = trace(&lock, "played", Policy::TREE_FIFO)?;
    let events: Vec<String> = trace.events.iter().map(|event| event.show()).collect();
    ensure!(
        events[..4]
            == [
                "Lock(\"w1\") of t1, sees held = 1, w1 = 0, waiting = 0",
                "Wait(\"w2\") of t1, sees held = 1, w2 = 1, waiting = 1",
                "Wait(\"r3\") of t1, sees held = 1, r3 = 1, waiting = 2",
                "See(\"r4\") of t1, sees enters r4 = FALSE, held = 1, waiting = 2",
            ],
        "{events:#?}"
    );
    let asks = &trace.head.constants["Asks"];
    let w1 = "w1 |-> [first |-> 0, last |-> 7, write |-> TRUE, then |-> \
        <<{[first |-> 0, last |-> 3, write |-> TRUE], [first |-> 4, last |-> 7, write |-> TRUE]}, \
        {[first |-> 0, last |-> 3, write |-> TRUE]}, {[first |-> 0, last |-> 1, write |-> TRUE]}, \
        {[first |-> 0, last |-> 1, write |-> FALSE]}>>]";
    ensure!(asks.contains(w1), "{asks}");
    let two = asks.matches("[first |-> 0, last |-> 1, write |-> FALSE, then |-> <<>>]");
    ensure!(two.count() == 2, "{asks}");
    Ok(())
}

#[test]
fn who_comes_later_is_recorded_so_and_by_name() -> Result<()> {
    let lock = RangeLock::<Recorded>::with(Policy::TREE_FIFO);
    drop(lock.read(W));
    let first = trace(&lock, "played", Policy::TREE_FIFO)?;
    let uses = |name: Option<&str>| {
        thread::scope(|scope| {
            let uses = || {
                name.into_iter().for_each(|name| lock.probe().join(name));
                drop(lock.read(W));
            };
            scope.spawn(uses).join().expect("it does not panic");
        });
        trace(&lock, "played", Policy::TREE_FIFO)
    };
    let second = uses(None)?;
    later(&first, &second);
    let third = uses(Some("late"))?;
    later(&second, &third);
    let thread = third.events.last().map(|event| event.thread.as_str());
    ensure!(thread == Some("late"), "{thread:?}");
    Ok(())
}
