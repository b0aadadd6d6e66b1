#![no_std]
#![doc = include_str!("../README.md")]
#![warn(clippy::undocumented_unsafe_blocks)]

#[cfg(not(target_has_atomic = "64"))]
compile_error!(
    "interlock-rwlock keeps its state in one atomic word of 64 bits, which this target does not have"
);

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod beds;
pub mod kind;
pub mod layout;
pub mod lock;
pub mod probe;
#[cfg(feature = "alloc")]
pub mod queued;
mod raw;
pub mod rules;
pub mod sys;
pub mod word;

pub use lock_api;

pub use kind::Kind;
#[cfg(feature = "std")]
mod published {
    use crate::layout::Budget;
    use crate::lock::RawBarrierRwLock;
    use crate::probe::NoProbe;
    use crate::rules::BatchQueue;
    use crate::sys::StdSys;

    /// The lock without a value, for `lock_api`'s types.
    pub type RawRwLock = RawBargingRwLock<0>;
    /// The lock without a value that `K` arrivals may take past each head of its queue; `K` is at most 15.
    pub type RawBargingRwLock<const K: u32> =
        RawBarrierRwLock<StdSys, NoProbe, BatchQueue, Budget<K>>;
    /// A reader/writer lock around a value that `K` arrivals may take past each head of its queue, with bounded waiting still. The
    /// [crate](crate) says what the bounds are; of `K` = 0 it is [`RwLock`].
    ///
    /// It keeps `specs/rwsem/RwsemBudget.tla#MutualExclusion`, `specs/rwsem/RwsemBudget.tla#ReaderProgress` and
    /// `specs/rwsem/RwsemBudget.tla#WriterProgress`.
    pub type BargingRwLock<T, const K: u32> = lock_api::RwLock<RawBargingRwLock<K>, T>;
    /// A reader/writer lock around a value, with bounded waiting for readers and for writers. The [crate](crate) says what that is.
    ///
    /// It keeps `specs/rwsem/Rwsem.tla#MutualExclusion`, `specs/rwsem/Rwsem.tla#ReaderProgress`, `specs/rwsem/Rwsem.tla#WriterProgress`
    /// and `specs/rwsem/Overtaking.tla#BoundedOvertaking`.
    pub type RwLock<T> = lock_api::RwLock<RawRwLock, T>;
    /// What [`RwLock::read`](lock_api::RwLock::read) gives: the lock is held for reading until it is dropped.
    pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, RawRwLock, T>;
    /// What [`RwLock::write`](lock_api::RwLock::write) gives: the lock is held for writing until it is dropped.
    pub type RwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, RawRwLock, T>;
    /// A [`RwLockReadGuard`] of a part of the value.
    pub type MappedRwLockReadGuard<'a, T> = lock_api::MappedRwLockReadGuard<'a, RawRwLock, T>;
    /// A [`RwLockWriteGuard`] of a part of the value.
    pub type MappedRwLockWriteGuard<'a, T> = lock_api::MappedRwLockWriteGuard<'a, RawRwLock, T>;
    /// A [`RwLockReadGuard`] that keeps the `Arc` of its lock.
    #[cfg(feature = "arc_lock")]
    pub type ArcRwLockReadGuard<T> = lock_api::ArcRwLockReadGuard<RawRwLock, T>;
    /// A [`RwLockWriteGuard`] that keeps the `Arc` of its lock.
    #[cfg(feature = "arc_lock")]
    pub type ArcRwLockWriteGuard<T> = lock_api::ArcRwLockWriteGuard<RawRwLock, T>;
}

#[cfg(feature = "std")]
pub use published::*;
