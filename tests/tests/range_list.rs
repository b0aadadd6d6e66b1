//! The list of ranges in real threads: its guards, random calls, and a short stress.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use conformance::in_time::in_time;
use conformance::random::runner;
use conformance::range_stress::stress;
use interlock::range::list::{ListGuard, RangeList};
use interlock::range::list_policy::Policy;
use interlock::range::tree::Mode;
use proptest::prelude::*;

const DESIGNS: [Policy; 3] = [Policy::LIST_RW, Policy::LIST_IMPATIENT, Policy::FREE_BSD_15];

fn lock(list: &RangeList, range: Range<u64>, mode: Mode) -> ListGuard<'_> {
    match mode {
        Mode::Read => list.read(range),
        Mode::Write => list.write(range),
    }
}

#[test]
fn what_is_empty_is_refused_and_leaves_the_lock_as_it_was() {
    let list = RangeList::new();
    let panic =
        catch_unwind(AssertUnwindSafe(|| drop(list.read(5..5)))).expect_err("it is refused");
    assert_eq!(
        *panic.downcast::<String>().expect("a message"),
        "5..5 is empty: there is nothing to lock"
    );
    let guard = list.write(0..u64::MAX);
    assert_eq!((guard.range(), guard.mode()), (0..u64::MAX, Mode::Write));
    assert_eq!(format!("{guard:?}"), "Write of 0..18446744073709551615");
}

/// A call of one thread: a range to lock, or which of those that are held to give up.
#[derive(Debug, Clone)]
enum Call {
    Lock(Range<u64>, Mode),
    Unlock(usize),
}

fn call() -> impl Strategy<Value = Call> {
    let mode = prop_oneof![Just(Mode::Read), Just(Mode::Write)];
    prop_oneof![
        2 => (0..24u64, 1..6u64, mode).prop_map(|(start, cells, mode)| Call::Lock(start..start + cells, mode)),
        1 => any::<usize>().prop_map(Call::Unlock),
    ]
}

fn conflict(left: &(Range<u64>, Mode), right: &(Range<u64>, Mode)) -> bool {
    let shared = left.0.start.max(right.0.start)..left.0.end.min(right.0.end);
    !shared.is_empty() && (left.1 == Mode::Write || right.1 == Mode::Write)
}

/// Its own node is there until it has a mark.
#[test]
#[should_panic = "a node that is not marked is not in the list"]
fn a_writer_in_the_list_does_not_come_to_its_end() {
    Policy::LIST_RW.place_inside(None, false, &(0..1, Mode::Write));
}

/// One thread that holds many ranges waits for none that does not conflict with what it holds: a wait would never end.
#[test]
fn what_conflicts_with_nothing_is_held_at_once() {
    in_time(|| {
        let calls = prop::collection::vec(call(), 1..64);
        runner(256, 1000)
            .run(&(0..DESIGNS.len(), calls), |(design, calls)| {
                let list: RangeList = RangeList::with(DESIGNS[design]);
                let mut held = BTreeMap::new();
                for (ticket, call) in calls.into_iter().enumerate() {
                    match call {
                        Call::Lock(range, mode) => {
                            let ask = (range, mode);
                            if !held.values().any(|(other, _)| conflict(&ask, other)) {
                                let guard = lock(&list, ask.0.clone(), mode);
                                held.insert(ticket, (ask, guard));
                            }
                        }
                        Call::Unlock(which) => {
                            let ticket = held.keys().nth(which % held.len().max(1)).copied();
                            ticket.and_then(|ticket| held.remove(&ticket));
                        }
                    }
                }
                Ok(())
            })
            .expect("no call fails");
    });
}

/// Who waits is woken by a holder that leaves, in each design, whether it waits for its place or in the list.
#[test]
fn a_range_that_is_released_wakes_who_waits_for_it() {
    for design in DESIGNS {
        in_time(move || {
            let list: RangeList = RangeList::with(design);
            for _ in 0..100 {
                let held = list.write(0..10);
                thread::scope(|scope| {
                    let waiters = [
                        scope.spawn(|| drop(list.read(8..12))),
                        scope.spawn(|| drop(list.write(9..10))),
                    ];
                    // They sleep by now, as a rule.
                    (0..100).for_each(|_| thread::yield_now());
                    drop(held);
                    for waiter in waiters {
                        waiter.join().expect("it gets in");
                    }
                });
            }
        });
    }
}

#[test]
fn no_cell_that_one_writes_is_held_by_another() {
    for design in DESIGNS {
        let list: RangeList = RangeList::with(design);
        stress(list, |list, range, mode, act| {
            let guard = lock(list, range, mode);
            act();
            drop(guard);
        });
    }
}
