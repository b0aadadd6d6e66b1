//! The published lock of ranges, in real threads: its guards, and a short stress.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use conformance::in_time::in_time;
use conformance::range_stress::stress;
use interlock::range::lock::RangeLock;
use interlock::range::policy::Policy;
use interlock::range::sys::{Bed, TimedFutex as _};
use interlock::range::tree::{Arrival, Mode, Tree};
use interlock_rwlock::sys::Futex as _;

#[test]
fn what_conflicts_is_refused_and_nothing_else() {
    let lock = RangeLock::new();
    let read = lock.read(10..20);
    assert!(lock.try_read(15..25).is_some());
    assert!(lock.try_write(15..25).is_none());
    assert!(lock.try_write(20..25).is_some() && lock.try_write(5..10).is_some());
    drop(read);
    let write = lock.write(10..20);
    assert!(lock.try_read(19..20).is_none() && lock.try_read(20..21).is_some());
    drop(write);
    assert!(lock.try_write(0..u64::MAX).is_some());
}

#[test]
fn parts_are_held_and_the_rest_is_free() {
    let lock = RangeLock::new();
    let (head, mut tail) = lock.write(0..10).split(4);
    assert_eq!((head.range(), tail.range()), (0..4, 4..10));
    tail.shrink(6..8);
    assert!(lock.try_write(4..6).is_some() && lock.try_write(8..10).is_some());
    assert!(lock.try_read(6..7).is_none() && lock.try_read(3..4).is_none());
    tail.downgrade();
    assert_eq!(tail.mode(), Mode::Read);
    assert!(lock.try_read(6..8).is_some() && lock.try_write(6..8).is_none());
    drop((head, tail));
    assert!(lock.try_write(0..10).is_some());
}

#[test]
fn what_is_no_range_and_no_part_is_refused_and_leaves_the_lock_as_it_was() {
    let lock = RangeLock::new();
    let panics = |act: &dyn Fn()| {
        *catch_unwind(AssertUnwindSafe(act))
            .expect_err("it is refused")
            .downcast::<String>()
            .expect("a message")
    };
    assert_eq!(
        panics(&|| drop(lock.read(5..5))),
        "5..5 is empty: there is nothing to lock"
    );
    assert_eq!(
        panics(&|| drop(lock.write(0..10).split(10))),
        "10 does not split 0..10 in two"
    );
    assert_eq!(
        panics(&|| lock.write(0..10).shrink(5..11)),
        "5..11 is no part of 0..10"
    );
    assert!(lock.try_write(0..10).is_some());
}

/// Who waits for a part that is released, split off, or downgraded, is woken by it.
#[test]
fn a_part_that_is_released_wakes_who_waits_for_it() {
    in_time(|| {
        let lock = RangeLock::new();
        let mut held = lock.write(0..10);
        thread::scope(|scope| {
            let waiter = scope.spawn(|| drop(lock.write(8..10)));
            held.shrink(0..8);
            waiter.join().expect("it gets in");
            let waiter = scope.spawn(|| drop(lock.read(0..8)));
            held.downgrade();
            waiter.join().expect("it gets in");
            let waiter = scope.spawn(|| drop(lock.write(0..4)));
            let (head, tail) = held.split(4);
            drop(head);
            waiter.join().expect("it gets in");
            drop(tail);
        });
    });
}

/// A wait of no time ends, and leaves nothing behind; one that nobody would wait out gets its range.
#[test]
fn a_wait_ends_or_has_its_range() {
    in_time(|| {
        for lock in [RangeLock::new(), RangeLock::passing(1), RangeLock::biased()] {
            let held = lock.write(0..4);
            assert!(lock.try_read_for(2..6, Duration::ZERO).is_none());
            assert!(lock.try_write_for(2..6, Duration::ZERO).is_none());
            assert!(lock.try_write(4..6).is_some(), "who gave up is gone");
            thread::scope(|scope| {
                for timeout in [Duration::from_secs(3600), Duration::MAX] {
                    let lock = &lock;
                    scope
                        .spawn(move || drop(lock.try_read_for(2..6, timeout).expect("it is held")));
                    scope.spawn(move || {
                        drop(lock.try_write_for(2..6, timeout).expect("it is held"))
                    });
                }
                drop(held);
            });
            assert!(lock.try_write(0..u64::MAX).is_some());
        }
    });
}

/// Who waits behind one that gives up is let in by it, while the holder stays.
#[test]
fn who_gives_up_lets_in_whom_it_has_held_back() {
    in_time(|| {
        let lock = RangeLock::new();
        let held = lock.read(0..2);
        thread::scope(|scope| {
            let gives_up = scope.spawn(|| {
                lock.try_write_for(0..4, Duration::from_millis(20))
                    .is_none()
            });
            let behind = scope.spawn(|| drop(lock.read(2..4)));
            assert!(gives_up.join().expect("it returns"), "a reader stays");
            behind.join().expect("it gets in");
        });
        drop(held);
    });
}

/// While nobody writes, readers are counted: a writer is kept from all cells, until the last of them has left.
#[test]
fn a_writer_waits_for_readers_that_are_counted_and_for_no_later_one() {
    in_time(|| {
        let lock = RangeLock::biased();
        let (head, mut tail) = lock.read(0..4).split(2);
        tail.shrink(3..4);
        tail.downgrade();
        assert_eq!((tail.range(), tail.mode()), (3..4, Mode::Read));
        assert!(lock.try_write(8..9).is_none(), "two are counted");
        let ready = Barrier::new(2);
        thread::scope(|scope| {
            let writer = scope.spawn(|| {
                ready.wait();
                drop(lock.write(8..9));
            });
            ready.wait();
            drop(head);
            drop(tail);
            writer.join().expect("it gets in");
        });
        // The word is closed now: ranges are in the tree, and only what conflicts is refused.
        let read = lock.read(0..4);
        assert!(lock.try_write(3..4).is_none() && lock.try_write(8..9).is_some());
        drop(read);
        // Nobody writes any more: after some readers, they are counted again.
        (0..64).for_each(|_| drop(lock.read(0..4)));
        let read = lock.read(0..4);
        assert!(lock.try_write(8..9).is_none());
        drop(read);
        assert!(lock.try_write(0..u64::MAX).is_some());
    });
}

/// A wait says whether it has ended for its deadline: not if it need not have begun.
#[test]
fn a_futex_tells_its_deadline_from_another_value() {
    let bed = Bed::new();
    assert!(bed.wait_until(0, Instant::now()));
    assert!(!bed.wait_until(1, Instant::now()));
}

/// Somebody else waits for it: it is held all the same, and gives up nothing.
#[test]
fn a_range_that_is_held_is_not_given_up() {
    let mut tree = Tree::new(Policy::TREE_FIFO);
    let (held, _) = tree.lock(0..4, Mode::Write);
    let (waits, arrival) = tree.lock(0..4, Mode::Write);
    assert_eq!(arrival, Arrival::Wait(1));
    assert_eq!(tree.interrupt(&held), None);
    assert_eq!(tree.unlock(&held), [waits.ticket]);
}

/// The parts of a reader that is counted are counted, beside others, and let a writer in when all have left.
#[test]
fn parts_of_a_reader_that_is_counted_leave_with_the_others() {
    in_time(|| {
        let lock = RangeLock::biased();
        let beside = lock.read(0..8);
        let (head, tail) = lock.read(0..8).split(4);
        assert_eq!(format!("{head:?} {tail:?}"), "Read of 0..4 Read of 4..8");
        for part in [head, tail, beside] {
            assert!(lock.try_write(0..8).is_none());
            drop(part);
        }
        drop(lock.write(0..8));
    });
}

#[test]
fn no_cell_that_one_writes_is_held_by_another() {
    for lock in [
        RangeLock::new(),
        RangeLock::passing(1),
        RangeLock::passing(3),
        RangeLock::biased(),
    ] {
        stress(lock, |lock, range, mode, act| {
            let timeout = Duration::from_micros(range.start * 10);
            let guard = match (mode, range.end % 4) {
                (Mode::Read, 0) => lock.try_read_for(range, timeout),
                (Mode::Write, 0) => lock.try_write_for(range, timeout),
                (Mode::Read, _) => Some(lock.read(range)),
                (Mode::Write, _) => Some(lock.write(range)),
            };
            if guard.is_some() {
                act();
            }
            drop(guard);
        });
    }
}
