//! Waits for the lock that do not block the thread: a future that is polled until it has the lock.
//!
//! To drop the future is to give up. A grant that was made and not yet seen is passed on by the drop.

use alloc::sync::Arc;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use super::gate::Gate;
use super::lock::{RawQueuedRwLock, Waiting};
use super::rules::Rules as _;
use super::state::Mode;
use super::sys::{Guarded as _, Sys};

/// Takes the lock. Who has it must release it; whoever polls no more, and drops this, gives up.
#[must_use = "nobody arrives before it is polled"]
pub struct Acquire<'a, S: Sys> {
    lock: &'a RawQueuedRwLock<S>,
    mode: Mode,
    stage: Stage<S>,
}

enum Stage<S: Sys> {
    /// It has not arrived.
    New,
    /// It waits, or was granted the lock.
    Queued(Arc<Gate<S>>),
    /// It has told that it has the lock.
    Ready,
}

impl<S: Sys> RawQueuedRwLock<S> {
    /// A future that takes the lock. The task whose future is ready must [`release`](Self::release) it.
    pub fn acquire_async(&self, mode: Mode) -> Acquire<'_, S> {
        Acquire {
            lock: self,
            mode,
            stage: Stage::New,
        }
    }
}

impl<S: Sys> Acquire<'_, S> {
    /// Comes to the lock: the gate that it waits at, if it must.
    fn arrive(&self, context: &Context<'_>) -> Option<Arc<Gate<S>>> {
        if self.lock.try_acquire(self.mode) {
            return None;
        }
        let gate = Gate::new(None);
        let waiting = Waiting {
            gate: gate.clone(),
            waker: context.waker().clone(),
        };
        let arrive = |state: &mut _| S::Rules::arrive(state, self.mode, waiting);
        let entered = self.lock.state.with(arrive);
        entered.is_none().then_some(gate)
    }

    /// Has this waker told of the grant to come. `false`: the lock was granted already.
    fn look(&self, gate: &Arc<Gate<S>>, context: &Context<'_>) -> bool {
        if gate.is_open() {
            return false;
        }
        let waker = context.waker().clone();
        // Whose the old one was may do anything as it is dropped: not under the mutex.
        let old = self.lock.state.with(|state| {
            let waiting = state.waiter_mut(Waiting::at(gate))?;
            Some(core::mem::replace(&mut waiting.waker, waker))
        });
        old.is_some()
    }
}

impl<S: Sys> Future for Acquire<'_, S> {
    type Output = ();

    /// # Panics
    ///
    /// If it was ready before.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let waits = match &self.stage {
            Stage::New => self.arrive(context),
            Stage::Queued(gate) => self.look(gate, context).then(|| gate.clone()),
            Stage::Ready => panic!("it has told that it has the lock"),
        };
        match waits {
            None => {
                self.stage = Stage::Ready;
                Poll::Ready(())
            }
            Some(gate) => {
                self.stage = Stage::Queued(gate);
                Poll::Pending
            }
        }
    }
}

impl<S: Sys> Drop for Acquire<'_, S> {
    fn drop(&mut self) {
        if let Stage::Queued(gate) = &self.stage
            && !self.lock.give_up(gate)
        {
            // SAFETY: the lock was granted in this mode, and nobody was told.
            unsafe { self.lock.release(self.mode) }
        }
    }
}

#[cfg(feature = "std")]
mod published {
    use super::{Acquire, Context, Future, Mode, Pin, Poll};
    use crate::queued::sys::StdSys;
    use crate::queued::{RwLock, RwLockReadGuard, RwLockUpgradableReadGuard, RwLockWriteGuard};
    use lock_api::GuardSend;

    /// A future that takes a lock, and gives a guard of it.
    #[must_use = "nobody arrives before it is polled"]
    pub struct Locking<'a, T: ?Sized, G> {
        lock: &'a RwLock<T>,
        acquire: Acquire<'a, StdSys>,
        guard: fn(&'a RwLock<T>) -> G,
    }

    impl<'a, T: ?Sized, G> Locking<'a, T, G> {
        /// `guard` makes one of a lock that is held in this mode.
        fn new(lock: &'a RwLock<T>, mode: Mode, guard: fn(&'a RwLock<T>) -> G) -> Self {
            // SAFETY: it is released by the guard that this gives.
            let acquire = unsafe { lock.raw() }.acquire_async(mode);
            Locking {
                lock,
                acquire,
                guard,
            }
        }
    }

    impl<T: ?Sized, G> Future for Locking<'_, T, G> {
        type Output = G;

        /// # Panics
        ///
        /// If it was ready before.
        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<G> {
            let acquired = Pin::new(&mut self.acquire).poll(context);
            acquired.map(|()| (self.guard)(self.lock))
        }
    }

    /// Waits for a [`RwLock`] that do not block the thread.
    ///
    /// ```
    /// use interlock_rwlock::queued::RwLock;
    /// use interlock_rwlock::queued::future::AsyncRwLock as _;
    ///
    /// async fn deposit(account: &RwLock<u32>, amount: u32) -> u32 {
    ///     *account.write_async().await += amount;
    ///     *account.read_async().await
    /// }
    /// # let account = RwLock::new(1);
    /// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// # let deposited = std::pin::pin!(deposit(&account, 2)).poll(&mut context);
    /// # assert_eq!(deposited, std::task::Poll::Ready(3));
    /// ```
    pub trait AsyncRwLock<T: ?Sized> {
        /// Takes the lock for reading.
        fn read_async(&self) -> Locking<'_, T, RwLockReadGuard<'_, T>>;

        /// Takes the lock upgradable.
        fn upgradable_read_async(&self) -> Locking<'_, T, RwLockUpgradableReadGuard<'_, T>>;

        /// Takes the lock for writing.
        fn write_async(&self) -> Locking<'_, T, RwLockWriteGuard<'_, T>>;
    }

    impl<T: ?Sized> AsyncRwLock<T> for RwLock<T> {
        fn read_async(&self) -> Locking<'_, T, RwLockReadGuard<'_, T>> {
            Locking::new(self, Mode::Read, |lock| {
                // SAFETY: the future has taken it for reading.
                unsafe { lock.make_read_guard_unchecked(GuardSend::new()) }
            })
        }

        fn upgradable_read_async(&self) -> Locking<'_, T, RwLockUpgradableReadGuard<'_, T>> {
            Locking::new(self, Mode::Upgradable, |lock| {
                // SAFETY: the future has taken it upgradable.
                unsafe { lock.make_upgradable_guard_unchecked(GuardSend::new()) }
            })
        }

        fn write_async(&self) -> Locking<'_, T, RwLockWriteGuard<'_, T>> {
            Locking::new(self, Mode::Write, |lock| {
                // SAFETY: the future has taken it for writing.
                unsafe { lock.make_write_guard_unchecked(GuardSend::new()) }
            })
        }
    }
}

#[cfg(feature = "std")]
pub use published::{AsyncRwLock, Locking};
