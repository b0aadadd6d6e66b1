//! The lock as one of `lock_api`'s, on any system that constants can be made of.

use lock_api::GuardSend;

use crate::kind::Kind;
use crate::layout::{Layout, NoBudget};
use crate::lock::RawBarrierRwLock;
use crate::probe::NoProbe;
use crate::rules::BatchQueue;
use crate::sys::ConstSys;

// SAFETY: a writer is alone inside and readers exclude writers, by `WordOf::enter`, `wake`, `take` and `downgrade`. Acquisition: each
// enters or takes with Acquire, or finds with Acquire that the word grants it the lock. Release: `release` and `downgrade` are Release, and
// all steps on the word are read-modify-writes, so that each release heads a sequence which the next acquisition reads from. The system's word
// is such a one, as `ConstSys` has it.
unsafe impl<S: ConstSys, L: Layout> lock_api::RawRwLock
    for RawBarrierRwLock<S, NoProbe, BatchQueue, L>
{
    const INIT: Self = Self::free(S::WORD, S::BEDS);

    type SharedGuard = GuardSend;
    type ExclusiveGuard = GuardSend;

    #[inline]
    fn lock_shared(&self) -> GuardSend {
        self.acquire(Kind::Reader);
        GuardSend::new()
    }

    #[inline]
    fn try_lock_shared(&self) -> Option<GuardSend> {
        self.try_acquire(Kind::Reader).then_some(GuardSend::new())
    }

    #[inline]
    unsafe fn unlock_shared(&self, _: GuardSend) {
        // SAFETY: the guard is that of a shared acquisition.
        unsafe { self.release(Kind::Reader) }
    }

    #[inline]
    fn lock_exclusive(&self) -> GuardSend {
        self.acquire(Kind::Writer);
        GuardSend::new()
    }

    #[inline]
    fn try_lock_exclusive(&self) -> Option<GuardSend> {
        self.try_acquire(Kind::Writer).then_some(GuardSend::new())
    }

    #[inline]
    unsafe fn unlock_exclusive(&self, _: GuardSend) {
        // SAFETY: the guard is that of an exclusive acquisition.
        unsafe { self.release(Kind::Writer) }
    }

    fn is_locked(&self) -> bool {
        self.snapshot().is_held()
    }

    fn is_locked_exclusive(&self) -> bool {
        self.snapshot().is_write_held()
    }
}

// SAFETY: `downgrade` lets no writer in between and is Release.
unsafe impl<S: ConstSys, L: Layout> lock_api::RawRwLockDowngrade
    for RawBarrierRwLock<S, NoProbe, BatchQueue, L>
{
    unsafe fn downgrade(&self, _: GuardSend) -> GuardSend {
        // SAFETY: the guard is that of an exclusive acquisition.
        unsafe { RawBarrierRwLock::<S, NoProbe, BatchQueue, L>::downgrade(self) };
        GuardSend::new()
    }
}

// SAFETY: each unlock hands the lock to the first who waits, if anybody does: a fair one is the same. With a budget it is not.
unsafe impl<S: ConstSys> lock_api::RawRwLockFair
    for RawBarrierRwLock<S, NoProbe, BatchQueue, NoBudget>
{
    unsafe fn unlock_shared_fair(&self, _: GuardSend) {
        // SAFETY: the guard is that of a shared acquisition.
        unsafe { self.release(Kind::Reader) }
    }

    unsafe fn unlock_exclusive_fair(&self, _: GuardSend) {
        // SAFETY: the guard is that of an exclusive acquisition.
        unsafe { self.release(Kind::Writer) }
    }
}
