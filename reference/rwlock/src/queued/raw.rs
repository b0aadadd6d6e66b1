//! The published lock as one of `lock_api`'s.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use lock_api::GuardSend;

use super::RawRwLock;
use super::state::{Mode, State};

/// What a call of `lock_api` returns, which got the lock or did not.
fn got(it: bool) -> Option<GuardSend> {
    it.then_some(GuardSend::new())
}

/// The same for one that held the lock before, and still does.
fn kept(upgraded: bool) -> Result<GuardSend, GuardSend> {
    match upgraded {
        true => Ok(GuardSend::new()),
        false => Err(GuardSend::new()),
    }
}

impl RawRwLock {
    /// A wait that no clock can end does not end.
    fn acquire_for(&self, mode: Mode, timeout: Duration) -> Option<GuardSend> {
        got(self.acquire(mode, Instant::now().checked_add(timeout)))
    }
}

// SAFETY: a writer is alone inside, and readers exclude writers, by `State`, whose steps are taken under a mutex. That gives Acquire and Release
// to all who enter without a wait, or find under it that they were granted the lock; who waits comes through a gate, which is opened with
// Release after the step that let it in, and read with Acquire.
unsafe impl lock_api::RawRwLock for RawRwLock {
    const INIT: Self = RawRwLock {
        state: Mutex::new(State::new()),
    };

    type SharedGuard = GuardSend;
    type ExclusiveGuard = GuardSend;

    fn lock_shared(&self) -> GuardSend {
        self.acquire(Mode::Read, None);
        GuardSend::new()
    }

    fn try_lock_shared(&self) -> Option<GuardSend> {
        got(self.try_acquire(Mode::Read))
    }

    unsafe fn unlock_shared(&self, _: GuardSend) {
        // SAFETY: the guard is that of a shared acquisition.
        unsafe { self.release(Mode::Read) }
    }

    fn lock_exclusive(&self) -> GuardSend {
        self.acquire(Mode::Write, None);
        GuardSend::new()
    }

    fn try_lock_exclusive(&self) -> Option<GuardSend> {
        got(self.try_acquire(Mode::Write))
    }

    unsafe fn unlock_exclusive(&self, _: GuardSend) {
        // SAFETY: the guard is that of an exclusive acquisition.
        unsafe { self.release(Mode::Write) }
    }

    fn is_locked(&self) -> bool {
        self.inside() != Default::default()
    }

    fn is_locked_exclusive(&self) -> bool {
        self.inside().writer
    }
}

// SAFETY: each unlock lets in those that wait: a fair one is the same.
unsafe impl lock_api::RawRwLockFair for RawRwLock {
    unsafe fn unlock_shared_fair(&self, _: GuardSend) {
        // SAFETY: the guard is that of a shared acquisition.
        unsafe { self.release(Mode::Read) }
    }

    unsafe fn unlock_exclusive_fair(&self, _: GuardSend) {
        // SAFETY: the guard is that of an exclusive acquisition.
        unsafe { self.release(Mode::Write) }
    }
}

// SAFETY: `State::downgrade` lets in nobody who excludes what is kept, and is taken under the mutex.
unsafe impl lock_api::RawRwLockDowngrade for RawRwLock {
    unsafe fn downgrade(&self, _: GuardSend) -> GuardSend {
        // SAFETY: the guard is that of an exclusive acquisition.
        unsafe { RawRwLock::downgrade(self, Mode::Write, Mode::Read) };
        GuardSend::new()
    }
}

// SAFETY: as of `RawRwLock`; who has given up is not in the queue.
unsafe impl lock_api::RawRwLockTimed for RawRwLock {
    type Duration = Duration;
    type Instant = Instant;

    fn try_lock_shared_for(&self, timeout: Duration) -> Option<GuardSend> {
        self.acquire_for(Mode::Read, timeout)
    }

    fn try_lock_shared_until(&self, timeout: Instant) -> Option<GuardSend> {
        got(self.acquire(Mode::Read, Some(timeout)))
    }

    fn try_lock_exclusive_for(&self, timeout: Duration) -> Option<GuardSend> {
        self.acquire_for(Mode::Write, timeout)
    }

    fn try_lock_exclusive_until(&self, timeout: Instant) -> Option<GuardSend> {
        got(self.acquire(Mode::Write, Some(timeout)))
    }
}

// SAFETY: one is upgradable at most, and writes only when no other is inside, by `State`.
unsafe impl lock_api::RawRwLockUpgrade for RawRwLock {
    type UpgradableGuard = GuardSend;

    fn lock_upgradable(&self) -> GuardSend {
        self.acquire(Mode::Upgradable, None);
        GuardSend::new()
    }

    fn try_lock_upgradable(&self) -> Option<GuardSend> {
        got(self.try_acquire(Mode::Upgradable))
    }

    unsafe fn unlock_upgradable(&self, _: GuardSend) {
        // SAFETY: the guard is that of an upgradable acquisition.
        unsafe { self.release(Mode::Upgradable) }
    }

    unsafe fn upgrade(&self, _: GuardSend) -> GuardSend {
        // SAFETY: the guard is that of an upgradable acquisition.
        unsafe { RawRwLock::upgrade(self, None) };
        GuardSend::new()
    }

    unsafe fn try_upgrade(&self, _: GuardSend) -> Result<GuardSend, GuardSend> {
        // SAFETY: the guard is that of an upgradable acquisition.
        kept(unsafe { RawRwLock::try_upgrade(self) })
    }
}

// SAFETY: as of `RawRwLockFair`.
unsafe impl lock_api::RawRwLockUpgradeFair for RawRwLock {
    unsafe fn unlock_upgradable_fair(&self, _: GuardSend) {
        // SAFETY: the guard is that of an upgradable acquisition.
        unsafe { self.release(Mode::Upgradable) }
    }
}

// SAFETY: as of `RawRwLockDowngrade`.
unsafe impl lock_api::RawRwLockUpgradeDowngrade for RawRwLock {
    unsafe fn downgrade_upgradable(&self, _: GuardSend) -> GuardSend {
        // SAFETY: the guard is that of an upgradable acquisition.
        unsafe { RawRwLock::downgrade(self, Mode::Upgradable, Mode::Read) };
        GuardSend::new()
    }

    unsafe fn downgrade_to_upgradable(&self, _: GuardSend) -> GuardSend {
        // SAFETY: the guard is that of an exclusive acquisition.
        unsafe { RawRwLock::downgrade(self, Mode::Write, Mode::Upgradable) };
        GuardSend::new()
    }
}

// SAFETY: as of `RawRwLockTimed` and `RawRwLockUpgrade`; an upgrade that is given up leaves what was held.
unsafe impl lock_api::RawRwLockUpgradeTimed for RawRwLock {
    fn try_lock_upgradable_for(&self, timeout: Duration) -> Option<GuardSend> {
        self.acquire_for(Mode::Upgradable, timeout)
    }

    fn try_lock_upgradable_until(&self, timeout: Instant) -> Option<GuardSend> {
        got(self.acquire(Mode::Upgradable, Some(timeout)))
    }

    unsafe fn try_upgrade_for(
        &self,
        _: GuardSend,
        timeout: Duration,
    ) -> Result<GuardSend, GuardSend> {
        let deadline = Instant::now().checked_add(timeout);
        // SAFETY: the guard is that of an upgradable acquisition.
        kept(unsafe { RawRwLock::upgrade(self, deadline) })
    }

    unsafe fn try_upgrade_until(
        &self,
        _: GuardSend,
        timeout: Instant,
    ) -> Result<GuardSend, GuardSend> {
        // SAFETY: the guard is that of an upgradable acquisition.
        kept(unsafe { RawRwLock::upgrade(self, Some(timeout)) })
    }
}
