//! Futures that wait for the lock: woken when they have it, and dropped at any time.
#![cfg(feature = "std")]

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use interlock_rwlock::queued::future::{AsyncRwLock, Locking};
use interlock_rwlock::queued::{RwLock, RwLockUpgradableReadGuard};

/// Counts how often it wakes, and panics if it is to.
#[derive(Default)]
struct Wakes {
    count: AtomicUsize,
    panics: bool,
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.count.fetch_add(1, Ordering::Relaxed);
        assert!(!self.panics, "a waker that panics");
    }
}

impl Wakes {
    fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }
}

fn poll<F: Future + Unpin>(future: &mut F, wakes: &Arc<Wakes>) -> Poll<F::Output> {
    let waker = Waker::from(wakes.clone());
    Pin::new(future).poll(&mut Context::from_waker(&waker))
}

/// Runs a future in this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// What a pool of threads needs of it.
fn is_send<T, G>(locking: Locking<'_, T, G>) -> impl Send
where
    T: Send + Sync,
{
    locking
}

#[test]
fn a_future_is_woken_when_it_has_the_lock() {
    let lock = RwLock::new(1);
    let wakes = Arc::new(Wakes::default());
    let write = lock.write();
    let mut reads = lock.read_async();
    assert!(poll(&mut reads, &wakes).is_pending() && poll(&mut reads, &wakes).is_pending());
    assert_eq!(wakes.count(), 0);
    drop(write);
    assert_eq!(wakes.count(), 1);
    let Poll::Ready(read) = poll(&mut reads, &wakes) else {
        panic!("it was woken")
    };
    assert_eq!(*read, 1);
    assert!(lock.try_write().is_none());
    drop((read, reads));
    assert!(lock.try_write().is_some());
    drop(is_send(lock.upgradable_read_async()));
}

#[test]
fn the_waker_is_that_of_the_last_poll() {
    let lock = RwLock::new(());
    let [first, last] = [(); 2].map(|()| Arc::new(Wakes::default()));
    let write = lock.write();
    let mut writes = lock.write_async();
    assert!(poll(&mut writes, &first).is_pending() && poll(&mut writes, &last).is_pending());
    drop(write);
    assert_eq!([first.count(), last.count()], [0, 1]);
    assert!(poll(&mut writes, &last).is_ready());
}

#[test]
fn a_future_that_is_dropped_gives_up() {
    let lock = RwLock::new(());
    let wakes = Arc::new(Wakes::default());
    let read = lock.read();
    let [mut writes, mut other] = [lock.write_async(), lock.write_async()];
    assert!(poll(&mut writes, &wakes).is_pending() && poll(&mut other, &wakes).is_pending());
    let mut reader = lock.read_async();
    assert!(poll(&mut reader, &wakes).is_pending());
    drop(other);
    assert_eq!(wakes.count(), 0);
    // The reader behind gets in beside the reader inside.
    drop(writes);
    assert_eq!(wakes.count(), 1);
    assert!(poll(&mut reader, &wakes).is_ready());
    drop(read);
    // One that has never arrived.
    drop(lock.write_async());
    assert!(!lock.is_locked());
}

#[test]
fn a_grant_that_nobody_has_seen_is_passed_on() {
    let lock = RwLock::new(());
    let wakes = Arc::new(Wakes::default());
    let write = lock.write();
    let [mut first, mut second] = [lock.write_async(), lock.write_async()];
    assert!(poll(&mut first, &wakes).is_pending() && poll(&mut second, &wakes).is_pending());
    drop(write);
    assert!(lock.is_locked_exclusive(), "it is the first one's");
    drop(first);
    assert!(poll(&mut second, &wakes).is_ready());
    drop(second);
    assert!(!lock.is_locked());
}

#[test]
fn a_waker_that_panics_keeps_nobody_from_the_lock() {
    let lock = RwLock::new(());
    let [good, bad] = [false, true].map(|panics| {
        Arc::new(Wakes {
            panics,
            ..Wakes::default()
        })
    });
    let write = lock.write();
    let mut readers = [lock.read_async(), lock.read_async(), lock.read_async()];
    for (reader, wakes) in readers.iter_mut().zip([&good, &bad, &good]) {
        assert!(poll(reader, wakes).is_pending());
    }
    let told = catch_unwind(AssertUnwindSafe(|| drop(write)));
    assert!(told.is_err());
    assert_eq!([good.count(), bad.count()], [2, 1]);
    assert!(
        readers
            .iter_mut()
            .all(|reader| poll(reader, &good).is_ready())
    );
    drop(readers);
    assert!(!lock.is_locked());
}

#[test]
fn futures_and_threads_share_a_lock() {
    let lock = RwLock::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..200).for_each(|_| *lock.write() += 1));
            scope.spawn(|| {
                block_on(async {
                    for _ in 0..200 {
                        *lock.write_async().await += 1;
                        assert!(*lock.read_async().await <= 1000);
                    }
                });
            });
        }
        scope.spawn(|| {
            block_on(async {
                for _ in 0..200 {
                    let read = lock.upgradable_read_async().await;
                    *RwLockUpgradableReadGuard::upgrade(read) += 1;
                }
            });
        });
    });
    assert_eq!(lock.into_inner(), 1000);
}
