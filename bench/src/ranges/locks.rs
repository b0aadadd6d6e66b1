//! The range locks that are measured, behind one face. One more is a variant, its line in `with_range_lock`, and its `impl Locking`.

use std::ops::Range;
use std::sync::{self, PoisonError, TryLockError};
use std::thread;

use clap::ValueEnum;
use interlock::range::list::{ListGuard, RangeList};
use interlock::range::lock::{RangeGuard, RangeLock};
use range_lock::{VecRangeLock, VecRangeLockGuard};
use range_mutex::{RangeMutex, RangeMutexGuard};

use crate::locks::list::pinned;

/// Cells of the file whose ranges are locked.
pub const CELLS: u64 = 1 << 16;

/// Which lock. The order is that of every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// `RangeLock::new`, the reference's, first come, first served.
    Fifo,
    /// `RangeLock::passing`, where each waiter is passed once.
    Passing,
    /// `RangeLock::biased`, whose readers count themselves while nobody writes.
    Biased,
    /// `RangeList::new`, the list of Kogan, Dice and Issa.
    List,
    /// `range_mutex::RangeMutex`.
    RangeMutex,
    /// `range_lock::VecRangeLock`, which can only try: who fails yields and tries again.
    RangeLock,
    /// `parking_lot::RwLock` of the whole file.
    ParkingLot,
    /// `std::sync::RwLock` of the whole file.
    Std,
}

impl Which {
    /// The name in tables, with the version of others' crates.
    pub fn name(self) -> String {
        match self {
            Which::Fifo => "RangeLock".to_owned(),
            Which::Passing => "RangeLock, passing 1".to_owned(),
            Which::Biased => "RangeLock, biased".to_owned(),
            Which::List => "RangeList".to_owned(),
            Which::RangeMutex => pinned("range-mutex"),
            Which::RangeLock => format!("{}, try and yield", pinned("range-lock")),
            Which::ParkingLot => format!("{}, whole file", pinned("parking_lot")),
            Which::Std => "std, whole file".to_owned(),
        }
    }

    /// Whether it is the range lock of the reference, which has the list to compare it with.
    pub fn is_ours(self) -> bool {
        matches!(self, Which::Fifo | Which::Passing | Which::Biased)
    }

    /// Whether it knows ranges; the others lock the whole file.
    pub fn has_ranges(self) -> bool {
        !matches!(self, Which::ParkingLot | Which::Std)
    }

    /// Whether several may read a cell; the others read as they write.
    pub fn has_readers(self) -> bool {
        !matches!(self, Which::RangeMutex | Which::RangeLock)
    }
}

/// A lock of ranges of a file of [`CELLS`] cells.
pub trait Locking: Sync {
    /// Holds a range for reading.
    type Read<'a>
    where
        Self: 'a;
    /// Holds a range for writing.
    type Write<'a>
    where
        Self: 'a;

    /// A lock of which nothing is held.
    fn create() -> Self;

    /// Locks a range for reading, and waits for it if need be.
    fn read(&self, range: Range<u64>) -> Self::Read<'_>;

    /// Locks a range for writing, and waits for it if need be.
    fn write(&self, range: Range<u64>) -> Self::Write<'_>;
}

/// A design of the reference's lock, by the lock that it makes.
macro_rules! reference {
    ($design:ident, $new:expr, $what:literal) => {
        #[doc = $what]
        pub struct $design(RangeLock);

        impl Locking for $design {
            type Read<'a> = RangeGuard<'a>;
            type Write<'a> = RangeGuard<'a>;

            fn create() -> Self {
                $design($new)
            }

            fn read(&self, range: Range<u64>) -> RangeGuard<'_> {
                self.0.read(range)
            }

            fn write(&self, range: Range<u64>) -> RangeGuard<'_> {
                self.0.write(range)
            }
        }
    };
}

reference!(Fifo, RangeLock::new(), "First come, first served.");
reference!(
    Passing,
    RangeLock::passing(1),
    "Each waiter is passed once."
);

reference!(Biased, RangeLock::biased(), "Readers count themselves.");

impl Locking for RangeList {
    type Read<'a> = ListGuard<'a>;
    type Write<'a> = ListGuard<'a>;

    fn create() -> Self {
        RangeList::new()
    }

    fn read(&self, range: Range<u64>) -> ListGuard<'_> {
        self.read(range)
    }

    fn write(&self, range: Range<u64>) -> ListGuard<'_> {
        self.write(range)
    }
}

fn indices(range: Range<u64>) -> Range<usize> {
    range.start as usize..range.end as usize
}

impl Locking for RangeMutex<u8, Vec<u8>> {
    type Read<'a> = RangeMutexGuard<'a, u8>;
    type Write<'a> = RangeMutexGuard<'a, u8>;

    fn create() -> Self {
        RangeMutex::new(vec![0; CELLS as usize])
    }

    fn read(&self, range: Range<u64>) -> RangeMutexGuard<'_, u8> {
        self.write(range)
    }

    fn write(&self, range: Range<u64>) -> RangeMutexGuard<'_, u8> {
        self.lock(indices(range))
    }
}

impl Locking for VecRangeLock<u8> {
    type Read<'a> = VecRangeLockGuard<'a, u8>;
    type Write<'a> = VecRangeLockGuard<'a, u8>;

    fn create() -> Self {
        VecRangeLock::new(vec![0; CELLS as usize])
    }

    fn read(&self, range: Range<u64>) -> VecRangeLockGuard<'_, u8> {
        self.write(range)
    }

    fn write(&self, range: Range<u64>) -> VecRangeLockGuard<'_, u8> {
        loop {
            match self.try_lock(indices(range.clone())) {
                Ok(guard) => return guard,
                Err(TryLockError::WouldBlock) => thread::yield_now(),
                Err(TryLockError::Poisoned(poison)) => return poison.into_inner(),
            }
        }
    }
}

impl Locking for parking_lot::RwLock<()> {
    type Read<'a> = parking_lot::RwLockReadGuard<'a, ()>;
    type Write<'a> = parking_lot::RwLockWriteGuard<'a, ()>;

    fn create() -> Self {
        Self::default()
    }

    fn read(&self, _: Range<u64>) -> Self::Read<'_> {
        self.read()
    }

    fn write(&self, _: Range<u64>) -> Self::Write<'_> {
        self.write()
    }
}

impl Locking for sync::RwLock<()> {
    type Read<'a> = sync::RwLockReadGuard<'a, ()>;
    type Write<'a> = sync::RwLockWriteGuard<'a, ()>;

    fn create() -> Self {
        Self::default()
    }

    fn read(&self, _: Range<u64>) -> Self::Read<'_> {
        self.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, _: Range<u64>) -> Self::Write<'_> {
        self.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Evaluates an expression with a name for the type of the lock: `with_range_lock!(which, L => L::create())`.
macro_rules! with_range_lock {
    ($which:expr, $lock:ident => $body:expr) => {
        with_range_lock!(@ $which, $lock, $body,
            Fifo: $crate::ranges::locks::Fifo,
            Passing: $crate::ranges::locks::Passing,
            Biased: $crate::ranges::locks::Biased,
            List: interlock::range::list::RangeList,
            RangeMutex: range_mutex::RangeMutex<u8, Vec<u8>>,
            RangeLock: range_lock::VecRangeLock<u8>,
            ParkingLot: parking_lot::RwLock<()>,
            Std: std::sync::RwLock<()>)
    };
    (@ $which:expr, $lock:ident, $body:expr, $($variant:ident: $type:ty),*) => {
        match $which {
            $($crate::ranges::locks::Which::$variant => {
                type $lock = $type;
                $body
            })*
        }
    };
}
pub(crate) use with_range_lock;
