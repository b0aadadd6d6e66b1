//! What a user of `lock_api` expects of the lock: statics, generic bounds, guards that are mapped, downgraded, handed on and kept.

use std::thread;

use interlock_rwlock::lock_api::{self, RawRwLock as _, RawRwLockDowngrade, RawRwLockFair};
use interlock_rwlock::{
    BargingRwLock, MappedRwLockReadGuard, MappedRwLockWriteGuard, RawRwLock, RwLock,
    RwLockReadGuard, RwLockWriteGuard,
};

static COUNT: RwLock<u32> = RwLock::new(0);

#[test]
fn a_static_is_counted_up_by_threads() {
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| *COUNT.write() += 1));
        }
        for _ in 0..2 {
            scope.spawn(|| (0..100).for_each(|_| assert!(*COUNT.read() <= 400)));
        }
    });
    assert_eq!(*COUNT.read(), 400);
}

/// Bounds as generic code has them.
fn hand_on<R: RawRwLockFair + RawRwLockDowngrade>(lock: &lock_api::RwLock<R, u32>) -> u32 {
    let mut value = lock.write();
    *value += 1;
    lock_api::RwLockWriteGuard::bump(&mut value);
    let value = lock_api::RwLockWriteGuard::downgrade(value);
    let read = *value;
    lock_api::RwLockReadGuard::unlock_fair(value);
    let value = lock.write();
    lock_api::RwLockWriteGuard::unlock_fair(value);
    read
}

#[test]
fn a_fair_unlock_is_an_unlock() {
    let lock = RwLock::new(0);
    assert_eq!(hand_on(&lock), 1);
    assert!(!lock.is_locked());
}

#[test]
fn guards_are_mapped() {
    let lock = RwLock::new((1, 2));
    let first: MappedRwLockReadGuard<'_, i32> = RwLockReadGuard::map(lock.read(), |pair| &pair.0);
    assert!(lock.try_write().is_none());
    assert_eq!(*first, 1);
    drop(first);
    let mut second: MappedRwLockWriteGuard<'_, i32> =
        RwLockWriteGuard::map(lock.write(), |pair| &mut pair.1);
    *second = 3;
    assert!(lock.try_read().is_none() && lock.is_locked_exclusive());
    drop(second);
    assert_eq!(lock.into_inner(), (1, 3));
}

/// A guard may be dropped by another thread than the one that locked.
#[test]
fn guards_go_to_other_threads() {
    let lock = RwLock::new(0);
    let guard = lock.write();
    thread::scope(|scope| drop(scope.spawn(move || drop(guard))));
    assert!(lock.try_write().is_some());
}

#[cfg(feature = "arc_lock")]
#[test]
fn guards_keep_the_arc_of_their_lock() {
    let lock = std::sync::Arc::new(RwLock::new(5));
    let guard: interlock_rwlock::ArcRwLockReadGuard<u32> = lock.read_arc();
    drop(lock);
    assert_eq!(*guard, 5);
}

#[test]
fn a_try_fails_while_anybody_waits() {
    let lock = RwLock::new(());
    let read = lock.read();
    thread::scope(|scope| {
        let writer = scope.spawn(|| drop(lock.write()));
        // SAFETY: only looks.
        while !unsafe { lock.raw() }.snapshot().has_waiters() {
            thread::yield_now();
        }
        assert!(lock.try_read().is_none(), "a reader would fit, but waits");
        drop(read);
        writer.join().expect("it gets in");
    });
    assert!(lock.try_read().is_some());
}

#[test]
fn the_lock_is_small_and_made_without_a_call() {
    static LOCK: RawRwLock = RawRwLock::INIT;
    assert!(!LOCK.is_locked());
    assert!(size_of::<RawRwLock>() <= 32);
}

/// Generic code over the budget too.
fn count_up<const K: u32>() {
    let lock = BargingRwLock::<u32, K>::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..500).for_each(|_| *lock.write() += 1));
        }
        scope.spawn(|| (0..500).for_each(|_| assert!(*lock.read() <= 2000)));
    });
    assert_eq!(lock.into_inner(), 2000);
}

#[test]
fn a_lock_that_some_may_pass_is_a_lock() {
    count_up::<0>();
    count_up::<1>();
    count_up::<15>();
    assert_eq!(size_of::<BargingRwLock<(), 8>>(), 8);
}
