//! What a user of the lock with a queue of names expects: waits that end, readers that upgrade, guards of generic code.
#![cfg(feature = "std")]

use std::thread;
use std::time::{Duration, Instant};

use interlock_rwlock::lock_api::{
    self, RawRwLockUpgradeDowngrade, RawRwLockUpgradeFair, RawRwLockUpgradeTimed,
};
use interlock_rwlock::queued::state::{Inside, Mode};
use interlock_rwlock::queued::{
    RawRwLock, RwLock, RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard,
};

/// Does nothing until so many wait.
fn until_waiting<T>(lock: &RwLock<T>, count: usize) {
    // SAFETY: only looks.
    while unsafe { lock.raw() }.waiting() != count {
        thread::yield_now();
    }
}

#[test]
fn a_static_is_counted_up_by_threads() {
    static COUNT: RwLock<u32> = RwLock::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..100).for_each(|_| *COUNT.write() += 1));
        }
        scope.spawn(|| {
            for _ in 0..100 {
                let mut count = RwLockUpgradableReadGuard::upgrade(COUNT.upgradable_read());
                *count += 1;
            }
        });
        scope.spawn(|| (0..100).for_each(|_| assert!(*COUNT.read() <= 500)));
    });
    assert_eq!(COUNT.try_read().as_deref(), Some(&500));
}

#[test]
fn a_wait_ends() {
    let lock = RwLock::new(());
    let read = lock.read();
    let began = Instant::now();
    assert!(lock.try_write_for(Duration::from_millis(5)).is_none());
    assert!(began.elapsed() >= Duration::from_millis(5));
    assert!(lock.try_write_until(began).is_none());
    drop(read);
    // A timeout that no clock reaches is none.
    assert!(lock.try_write_for(Duration::MAX).is_some());
    let soon = Instant::now() + Duration::from_secs(3600);
    assert!(lock.try_write_until(soon).is_some() && lock.try_read_until(soon).is_some());
    // SAFETY: only looks.
    assert_eq!(unsafe { lock.raw() }.waiting(), 0);
}

/// A reader stands behind a writer, which gives up while a reader is inside.
#[test]
fn a_writer_that_gives_up_lets_in_the_readers_behind_it() {
    let lock = RwLock::new(());
    let read = lock.read();
    thread::scope(|scope| {
        let writer = scope.spawn(|| lock.try_write_for(Duration::from_millis(20)).is_none());
        // As long as this is for ever.
        let reader = scope.spawn(|| lock.try_read_for(Duration::from_secs(600)).is_some());
        assert!(writer.join().expect("it does not panic"), "it gives up");
        let got_in = reader.join().expect("it does not panic");
        assert!(got_in, "beside the reader");
    });
    drop(read);
}

#[test]
fn one_reader_is_upgradable_beside_others() {
    let lock = RwLock::new(1);
    let upgradable = lock.upgradable_read();
    let read = lock.read();
    assert!(lock.try_upgradable_read().is_none());
    let now = Instant::now();
    assert!(lock.try_upgradable_read_until(now).is_none());
    assert!(lock.try_write().is_none());
    let upgradable =
        RwLockUpgradableReadGuard::try_upgrade(upgradable).expect_err("a reader is inside");
    let upgradable =
        RwLockUpgradableReadGuard::try_upgrade_for(upgradable, Duration::from_millis(1))
            .expect_err("it stays");
    drop(lock.try_read().expect("the upgrade is given up"));
    drop(read);
    let mut write =
        RwLockUpgradableReadGuard::try_upgrade(upgradable).expect("nobody else is inside");
    *write = 2;
    let upgradable = RwLockWriteGuard::downgrade_to_upgradable(write);
    assert!(lock.try_read().is_some() && lock.try_upgradable_read().is_none());
    let read = RwLockUpgradableReadGuard::downgrade(upgradable);
    assert!(lock.try_upgradable_read().is_some() && lock.try_write().is_none());
    assert_eq!(*read, 2);
    RwLockReadGuard::unlock_fair(read);
    let read = RwLockWriteGuard::downgrade(lock.write());
    assert!(lock.try_write().is_none());
    drop(read);
    assert!(!lock.is_locked());
}

#[test]
fn an_upgrade_waits_for_the_readers_inside_and_goes_before_the_queue() {
    let lock = RwLock::new(Vec::new());
    let upgradable = lock.upgradable_read();
    let read = lock.read();
    thread::scope(|scope| {
        scope.spawn(|| lock.write().push("writer"));
        until_waiting(&lock, 1);
        scope.spawn(|| RwLockUpgradableReadGuard::upgrade(upgradable).push("upgrade"));
        until_waiting(&lock, 2);
        assert!(lock.try_read().is_none(), "it would keep the upgrade out");
        drop(read);
    });
    assert_eq!(*lock.read(), ["upgrade", "writer"]);
}

/// A reader enters past an upgradable one that waits for another, and not past a writer.
#[test]
fn a_reader_waits_for_writers_alone() {
    let lock = RwLock::new(());
    let upgradable = lock.upgradable_read();
    thread::scope(|scope| {
        scope.spawn(|| drop(lock.upgradable_read()));
        until_waiting(&lock, 1);
        assert!(lock.try_read().is_some());
        scope.spawn(|| drop(lock.write()));
        until_waiting(&lock, 2);
        assert!(lock.try_read().is_none());
        drop(upgradable);
    });
    assert!(!lock.is_locked());
}

/// Bounds as generic code has them.
fn through<R>(lock: &lock_api::RwLock<R, u32>) -> u32
where
    R: RawRwLockUpgradeFair
        + RawRwLockUpgradeDowngrade
        + RawRwLockUpgradeTimed<Duration = Duration, Instant = Instant>,
{
    let soon = Instant::now() + Duration::from_secs(3600);
    let mut upgradable = lock.try_upgradable_read_until(soon).expect("it is free");
    lock_api::RwLockUpgradableReadGuard::bump(&mut upgradable);
    let Ok(mut write) = lock_api::RwLockUpgradableReadGuard::try_upgrade_until(upgradable, soon)
    else {
        panic!("nobody else is inside")
    };
    *write += 1;
    lock_api::RwLockWriteGuard::bump(&mut write);
    lock_api::RwLockWriteGuard::unlock_fair(write);
    let upgradable = lock.try_upgradable_read_for(Duration::from_secs(3600));
    lock_api::RwLockUpgradableReadGuard::unlock_fair(upgradable.expect("it is free"));
    *lock.try_read_until(soon).expect("it is free")
}

#[test]
fn whether_it_is_locked_is_seen() {
    let lock = RwLock::new(());
    let is_locked = || (lock.is_locked(), lock.is_locked_exclusive());
    assert_eq!(is_locked(), (false, false));
    let read = lock.read();
    assert_eq!(is_locked(), (true, false));
    drop(read);
    let write = lock.write();
    assert_eq!(is_locked(), (true, true));
    drop(write);
    assert_eq!(is_locked(), (false, false));
}

#[test]
fn a_hold_ends_with_its_guard() {
    let lock = RawRwLock::default();
    let held = lock.hold(Mode::Write);
    assert!(lock.inside().writer);
    drop(held);
    assert_eq!(lock.inside(), Inside::default());
}

#[test]
fn it_has_the_traits() {
    let lock = RwLock::new(1);
    assert_eq!(through(&lock), 2);
    // SAFETY: only looks.
    assert_eq!(unsafe { lock.raw() }.inside(), Inside::default());
    assert!(size_of::<RawRwLock>() <= 80, "{}", size_of::<RawRwLock>());
}
