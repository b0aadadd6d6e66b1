//! The published lock, in real threads: its guards, a holder that panics, and a short stress.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use conformance::in_time::in_time;
use interlock_rwlock::RwLock;
use interlock_rwlock::lock_api::RwLockWriteGuard;

#[test]
fn the_lock_is_small() {
    assert_eq!(size_of::<RwLock<()>>(), 8);
}

#[test]
fn a_try_takes_a_free_lock_and_no_other() {
    let lock = RwLock::new(0);
    let reads = (lock.try_read(), lock.try_read());
    assert!(reads.0.is_some() && reads.1.is_some());
    assert!(lock.try_write().is_none() && lock.is_locked() && !lock.is_locked_exclusive());
    drop(reads);
    let write = lock.try_write();
    assert!(
        write.is_some()
            && lock.try_read().is_none()
            && lock.try_write().is_none()
            && lock.is_locked_exclusive()
    );
    drop(write);
    assert!(!lock.is_locked());
}

#[test]
fn a_downgraded_lock_admits_readers_only() {
    let lock = RwLock::new(1);
    let read = RwLockWriteGuard::downgrade(lock.write());
    assert_eq!((*read, lock.try_read().map(|value| *value)), (1, Some(1)));
    assert!(lock.try_write().is_none());
    drop(read);
    assert!(lock.try_write().is_some());
}

/// No poisoning: the lock is free again, for those who waited too, and what the panic left half done is seen.
#[test]
fn a_holder_that_panics_releases_the_lock() {
    let lock = RwLock::new((0, 0));
    let holds = AtomicBool::new(false);
    thread::scope(|scope| {
        let holder = scope.spawn(|| {
            let mut value = lock.write();
            holds.store(true, Ordering::Release);
            value.0 = 1;
            while !lock_has_waiters(&lock) {
                thread::yield_now();
            }
            panic!("with the lock held");
        });
        while !holds.load(Ordering::Acquire) {
            thread::yield_now();
        }
        assert_eq!(*lock.read(), (1, 0));
        assert!(holder.join().is_err());
    });
    assert!(!lock.is_locked());
    let reader = thread::scope(|scope| {
        let read = || {
            let _value = lock.read();
            panic!("with the lock held");
        };
        scope.spawn(read).join()
    });
    assert!(reader.is_err() && lock.try_write().is_some());
}

fn lock_has_waiters<T>(lock: &RwLock<T>) -> bool {
    // SAFETY: only looks.
    unsafe { lock.raw() }.snapshot().has_waiters()
}

/// How often each writer takes the lock, or tries to.
const TURNS: u64 = 3000;

/// Readers, writers, tries and downgrades: every pair that is read is whole, and no write is lost.
#[test]
fn stress() {
    in_time(|| {
        let lock = RwLock::new((0_u64, 0_u64));
        let over = AtomicBool::new(false);
        let write = |value: &mut (u64, u64)| {
            value.0 += 1;
            value.1 += 1;
        };
        let writes: u64 = thread::scope(|scope| {
            let writer = |number: u64| {
                let lock = &lock;
                move || {
                    let mut writes = 0;
                    for turn in 0..TURNS {
                        match (turn + number) % 4 {
                            0 => {
                                let Some(mut value) = lock.try_write() else {
                                    continue;
                                };
                                write(&mut value);
                            }
                            1 => {
                                let mut value = lock.write();
                                write(&mut value);
                                let value = RwLockWriteGuard::downgrade(value);
                                assert_eq!(value.0, value.1);
                            }
                            _ => write(&mut lock.write()),
                        }
                        writes += 1;
                    }
                    writes
                }
            };
            let reader = || {
                let mut last = 0;
                while !over.load(Ordering::Relaxed) {
                    let value = lock.read();
                    assert!(value.0 == value.1 && value.0 >= last);
                    last = value.0;
                }
            };
            let writers = [
                scope.spawn(writer(0)),
                scope.spawn(writer(1)),
                scope.spawn(writer(2)),
            ];
            for _ in 0..3 {
                scope.spawn(reader);
            }
            let writes = writers.into_iter().map(|writer| writer.join());
            let writes: Vec<u64> = writes.flatten().collect();
            over.store(true, Ordering::Relaxed);
            assert_eq!(writes.len(), 3, "a writer panics");
            writes.into_iter().sum()
        });
        assert_eq!(lock.into_inner(), (writes, writes));
    });
}
