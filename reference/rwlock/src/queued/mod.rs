//! A lock whose waits may end, and whose readers may be upgradable; and which a future can wait for.
//!
//! The lock at the root of this crate keeps its queue as counts and tickets, in one word. A waiter that leaves such a queue leaves a
//! hole in it, into which a wake-up is lost; so what needs waiters that leave is this other type: its queue names them, behind a mutex.
//!
//! ```
//! use std::time::Duration;
//!
//! use interlock_rwlock::queued::{RwLock, RwLockUpgradableReadGuard};
//!
//! static NAMES: RwLock<Vec<&str>> = RwLock::new(Vec::new());
//!
//! /// Adds a name that is not there, if the lock can be had within a second.
//! fn add(name: &'static str) -> Option<bool> {
//!     let names = NAMES.try_upgradable_read_for(Duration::from_secs(1))?;
//!     if names.contains(&name) {
//!         return Some(false);
//!     }
//!     // Nobody writes in between: what was read is still so.
//!     RwLockUpgradableReadGuard::upgrade(names).push(name);
//!     Some(true)
//! }
//!
//! assert_eq!(add("a"), Some(true));
//! assert_eq!(add("a"), Some(false));
//! ```
//!
//! # What is guaranteed
//!
//! An upgradable reader has the lock beside readers, one such reader at a time, and may go on to write. Nobody enters past those that
//! wait and cannot be inside beside it. Once a task waits, if every holder leaves the lock, and whoever else gives up:
//!
//! - a reader, and an upgradable reader, is overtaken by nobody that it cannot be inside beside;
//! - a writer is overtaken by no other writer and no upgradable reader, and by each reader once at most;
//! - a reader never waits for upgradable readers alone, unless one of them waits to write;
//! - an upgrade waits for the readers that are inside, and for nobody that waits: they wait for it.
//!
//! Whoever gives up, by a timeout or because a future is dropped, leaves the queue, and lets in whom it has kept out. An upgrade that is
//! given up leaves an upgradable reader, as it was before. A wait that ends as the lock is granted has the lock.
//!
//! This is `specs/rwsem/QueuedRwsem.tla`, whose state graph [`state::State`] has: `specs/rwsem/QueuedRwsem.tla#ReaderProgress`,
//! `specs/rwsem/QueuedRwsem.tla#WriterProgress` and `specs/rwsem/QueuedRwsem.tla#UpgraderProgress` say that each gets in,
//! `specs/rwsem/QueuedRwsem.tla#OneUpgrader` and `specs/rwsem/QueuedRwsem.tla#NoReaderWaitsForReaders` what is said above of upgradable readers.
//!
//! # What it costs
//!
//! A mutex a call, and a place on the heap for each wait. Whoever gives up looks for its place in the queue. Where no wait
//! ends and nobody upgrades, [`crate::RwLock`] is the cheaper one.
//!
//! # What calls mean
//!
//! As of [`crate::RwLock`]: `try_` forms fail where the task would have had to wait, there is no poisoning, and there are no recursive
//! reads. A timeout that is too far away for the clock is none.

pub mod future;
mod gate;
pub mod lock;
#[cfg(feature = "std")]
mod raw;
pub mod rules;
pub mod state;
pub mod sys;

pub use state::Mode;

#[cfg(feature = "std")]
mod published {
    use super::lock::RawQueuedRwLock;
    use super::sys::StdSys;

    /// The lock without a value, for `lock_api`'s types.
    pub type RawRwLock = RawQueuedRwLock<StdSys>;
    /// A reader/writer lock around a value, with waits that may end and readers that may upgrade. The [module](super) says more.
    ///
    /// It keeps `specs/rwsem/QueuedRwsem.tla#MutualExclusion` and `specs/rwsem/QueuedRwsem.tla#NoIdleLockWithWaiters`.
    pub type RwLock<T> = lock_api::RwLock<RawRwLock, T>;
    /// The lock is held for reading until this is dropped.
    pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, RawRwLock, T>;
    /// The lock is held upgradable until this is dropped, or upgraded.
    pub type RwLockUpgradableReadGuard<'a, T> =
        lock_api::RwLockUpgradableReadGuard<'a, RawRwLock, T>;
    /// The lock is held for writing until this is dropped.
    pub type RwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, RawRwLock, T>;
}

#[cfg(feature = "std")]
pub use published::*;
