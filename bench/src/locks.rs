//! The locks that are measured, behind one face.

use std::sync::{PoisonError, RwLock};

use clap::ValueEnum;

/// Which lock. The order is that of every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Which {
    /// `interlock_rwlock::RwLock`, the reference's.
    Barrier,
    /// `parking_lot::RwLock`, guards dropped.
    ParkingLot,
    /// `parking_lot::RwLock`, guards handed to `unlock_fair`.
    ParkingLotFair,
    /// `std::sync::RwLock`.
    Std,
}

impl Which {
    /// The name in tables, with the version of what changes between versions.
    pub fn name(self) -> String {
        match self {
            Which::Barrier => "interlock-rwlock".to_owned(),
            Which::ParkingLot => pinned("parking_lot"),
            Which::ParkingLotFair => format!("{} fair", pinned("parking_lot")),
            Which::Std => "std".to_owned(),
        }
    }
}

/// A crate's name and version, which this crate's manifest pins.
///
/// # Panics
/// If it does not.
pub fn pinned(name: &str) -> String {
    let version = include_str!("../Cargo.toml").lines().find_map(|line| {
        let rest = line.strip_prefix(name)?.strip_prefix(" = \"=")?;
        rest.strip_suffix('"')
    });
    let version = version.expect("bench/Cargo.toml pins what is compared");
    format!("{name} {version}")
}

/// What a thread asks of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// To hold it shared.
    Read,
    /// To hold it exclusively.
    Write,
}

/// A reader-writer lock that runs a piece of code while it is held.
pub trait Lock: Default + Send + Sync {
    /// Runs `body` while the lock is held shared.
    fn read(&self, body: impl FnOnce());
    /// Runs `body` while the lock is held exclusively.
    fn write(&self, body: impl FnOnce());

    /// Runs `body` while the lock is held as asked.
    fn with(&self, op: Op, body: impl FnOnce()) {
        match op {
            Op::Read => self.read(body),
            Op::Write => self.write(body),
        }
    }
}

/// `interlock_rwlock::RwLock`, the reference's.
#[derive(Default)]
pub struct Barrier(interlock_rwlock::RwLock<()>);

impl Lock for Barrier {
    fn read(&self, body: impl FnOnce()) {
        let _guard = self.0.read();
        body();
    }

    fn write(&self, body: impl FnOnce()) {
        let _guard = self.0.write();
        body();
    }
}

/// `parking_lot::RwLock`, guards dropped.
#[derive(Default)]
pub struct ParkingLot(parking_lot::RwLock<()>);

impl Lock for ParkingLot {
    fn read(&self, body: impl FnOnce()) {
        let _guard = self.0.read();
        body();
    }

    fn write(&self, body: impl FnOnce()) {
        let _guard = self.0.write();
        body();
    }
}

/// `parking_lot::RwLock`, guards handed to `unlock_fair`.
#[derive(Default)]
pub struct ParkingLotFair(parking_lot::RwLock<()>);

impl Lock for ParkingLotFair {
    fn read(&self, body: impl FnOnce()) {
        let guard = self.0.read();
        body();
        parking_lot::RwLockReadGuard::unlock_fair(guard);
    }

    fn write(&self, body: impl FnOnce()) {
        let guard = self.0.write();
        body();
        parking_lot::RwLockWriteGuard::unlock_fair(guard);
    }
}

/// `std::sync::RwLock`.
#[derive(Default)]
pub struct Std(RwLock<()>);

impl Lock for Std {
    fn read(&self, body: impl FnOnce()) {
        let _guard = self.0.read().unwrap_or_else(PoisonError::into_inner);
        body();
    }

    fn write(&self, body: impl FnOnce()) {
        let _guard = self.0.write().unwrap_or_else(PoisonError::into_inner);
        body();
    }
}

/// Evaluates an expression with a name for the type of the lock: `with_lock!(which, L => L::default())`.
macro_rules! with_lock {
    ($which:expr, $lock:ident => $body:expr) => {
        match $which {
            $crate::locks::Which::Barrier => {
                type $lock = $crate::locks::Barrier;
                $body
            }
            $crate::locks::Which::ParkingLot => {
                type $lock = $crate::locks::ParkingLot;
                $body
            }
            $crate::locks::Which::ParkingLotFair => {
                type $lock = $crate::locks::ParkingLotFair;
                $body
            }
            $crate::locks::Which::Std => {
                type $lock = $crate::locks::Std;
                $body
            }
        }
    };
}
pub(crate) use with_lock;
