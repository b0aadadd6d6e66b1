//! The published lock with a queue of names in real threads, which give up, upgrade and downgrade at random.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use conformance::in_time::in_time;
use interlock_rwlock::queued::future::AsyncRwLock as _;
use interlock_rwlock::queued::{RwLock, RwLockUpgradableReadGuard, RwLockWriteGuard};
use proptest::prelude::Rng as _;
use proptest::test_runner::{RngAlgorithm, TestRng};

/// Two numbers that are the same whenever nobody writes.
type Pair = RwLock<[u64; 2]>;

const THREADS: u64 = 8;
const OPERATIONS: u64 = 2_000;

fn read(pair: &[u64; 2]) {
    assert_eq!(pair[0], pair[1], "somebody writes");
}

fn write(pair: &mut [u64; 2]) -> u64 {
    read(pair);
    pair[0] += 1;
    thread::yield_now();
    pair[1] += 1;
    1
}

/// One operation of a thread: how often it wrote.
fn operation(lock: &Pair, choice: u32) -> u64 {
    // From none to about what it takes to be granted the lock.
    let soon = Duration::from_micros(u64::from(choice >> 8) % 50);
    match choice % 10 {
        0 => read(&lock.read()),
        1 => return write(&mut lock.write()),
        2 => {
            if let Some(pair) = lock.try_read_for(soon) {
                read(&pair);
            }
        }
        3 => {
            return lock
                .try_write_for(soon)
                .map_or(0, |mut pair| write(&mut pair));
        }
        4 => {
            let pair = lock.upgradable_read();
            read(&pair);
            return write(&mut RwLockUpgradableReadGuard::upgrade(pair));
        }
        5 => {
            let pair = lock.upgradable_read();
            return match RwLockUpgradableReadGuard::try_upgrade_for(pair, soon) {
                Ok(mut pair) => write(&mut pair),
                Err(pair) => {
                    read(&pair);
                    read(&RwLockUpgradableReadGuard::downgrade(pair));
                    0
                }
            };
        }
        6 => {
            if let Some(pair) = lock.try_upgradable_read_for(soon) {
                read(&pair);
            }
        }
        7 => {
            let mut pair = lock.write();
            let wrote = write(&mut pair);
            read(&RwLockWriteGuard::downgrade(pair));
            return wrote;
        }
        8 => {
            let mut pair = lock.write();
            let wrote = write(&mut pair);
            let pair = RwLockWriteGuard::downgrade_to_upgradable(pair);
            return wrote + write(&mut RwLockUpgradableReadGuard::upgrade(pair));
        }
        _ => {
            let mut writes = pin!(lock.write_async());
            let mut context = Context::from_waker(Waker::noop());
            for _ in 0..choice % 4 {
                if let Poll::Ready(mut pair) = writes.as_mut().poll(&mut context) {
                    return write(&mut pair);
                }
                thread::yield_now();
            }
        }
    }
    0
}

#[test]
fn nobody_reads_what_another_writes_and_nobody_hangs() {
    in_time(|| {
        let lock = Pair::new([0; 2]);
        let writes = AtomicU64::new(0);
        thread::scope(|scope| {
            for number in 0..THREADS {
                let (lock, writes) = (&lock, &writes);
                scope.spawn(move || {
                    let seed = [u8::try_from(number).expect("few threads"); 32];
                    let mut random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
                    for _ in 0..OPERATIONS {
                        let wrote = operation(lock, random.next_u32());
                        writes.fetch_add(wrote, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(!lock.is_locked());
        assert_eq!(lock.into_inner(), [writes.into_inner(); 2]);
    });
}
