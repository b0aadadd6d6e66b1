//! The locks that are measured, behind one face. One more is a line of [`LOCKS`], and an `impl Lock` if `lock_api` has no part in it.

use interlock_rwlock::lock_api::{
    RawRwLock, RawRwLockFair, RwLock, RwLockReadGuard, RwLockWriteGuard,
};

use super::{uncontended, wakeups};
use crate::contended::{self, Op, Scenario, Share};

/// What is measured, in the order of every table.
pub static LOCKS: &[Known] = &[
    known::<RwLock<interlock_rwlock::RawRwLock, ()>>("interlock-rwlock", "", Kind::Ours),
    known::<RwLock<interlock_rwlock::RawBargingRwLock<8>, ()>>(
        "interlock-rwlock",
        "budget 8",
        Kind::Budget,
    ),
    known::<RwLock<parking_lot::RawRwLock, ()>>("parking_lot", "", Kind::Unfair),
    known::<Fair<parking_lot::RawRwLock>>("parking_lot", "fair", Kind::Fair),
    known::<std::sync::RwLock<()>>("std", "", Kind::Unfair),
    known::<async_lock::RwLock<()>>("async-lock", "blocking", Kind::Unfair),
    known::<tokio::sync::RwLock<()>>("tokio", "blocking", Kind::Fair),
    known::<saa::Lock>("saa", "", Kind::Fair),
    known::<qrwlock::RwLock<()>>("qrwlock", "", Kind::FairSpinning),
    known::<pflock::PFLock<()>>("pflock", "", Kind::FairSpinning),
];

/// What a lock promises to who waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The lock that the goals are for: nobody takes it past a queue.
    Ours,
    /// The same, but for a bounded number of arrivals past each waiter. It has goals of its own.
    Budget,
    /// It bounds how often a waiter is overtaken, as documented.
    Fair,
    /// The same, and whoever waits never sleeps.
    FairSpinning,
    /// Somebody may wait as long as others come.
    Unfair,
}

impl Kind {
    /// Whether it bounds how often a waiter is overtaken.
    pub fn is_fair(self) -> bool {
        self != Kind::Unfair
    }

    /// Whether it never lets a waiter sleep.
    pub fn spins(self) -> bool {
        self == Kind::FairSpinning
    }
}

/// A lock that is measured: what it is called, and what is done with it.
pub struct Known {
    krate: &'static str,
    how: &'static str,
    /// What it promises.
    pub kind: Kind,
    /// Lock and unlock so many times.
    pub call: fn(Op, u64),
    /// One round of a scenario: what the readers and the writers got.
    pub fight: fn(&Scenario) -> Vec<Share>,
    /// One round of writers that sleep.
    pub wake: fn(wakeups::Round) -> anyhow::Result<wakeups::Woken>,
}

/// One of [`LOCKS`].
pub type Which = &'static Known;

const fn known<L: Lock>(krate: &'static str, how: &'static str, kind: Kind) -> Known {
    Known {
        krate,
        how,
        kind,
        call: uncontended::repeat::<L>,
        fight: |scenario| {
            let lock = &L::free();
            contended::readers_and_writers(scenario, |op, body| lock.with(op, body))
        },
        wake: wakeups::round::<L>,
    }
}

impl Known {
    /// What the command line calls it.
    pub fn id(&self) -> String {
        match self.how {
            "" => self.krate.to_owned(),
            how => format!("{}-{how}", self.krate),
        }
    }

    /// The name in tables, with the version of others' crates.
    pub fn name(&self) -> String {
        let name = match self.kind {
            Kind::Ours | Kind::Budget => self.krate.to_owned(),
            _ if self.krate == "std" => self.krate.to_owned(),
            _ => pinned(self.krate),
        };
        let marks = [self.how, if self.kind.spins() { "spins" } else { "" }];
        let marks = marks.iter().filter(|mark| !mark.is_empty());
        marks.fold(name, |name, mark| format!("{name}, {mark}"))
    }
}

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        (self.krate, self.how) == (other.krate, other.how)
    }
}

/// The lock that the command line calls so.
///
/// # Errors
/// With the names that there are, if none is.
pub fn find(id: &str) -> Result<Which, String> {
    let found = LOCKS.iter().find(|known| known.id() == id);
    found.ok_or_else(|| {
        let ids: Vec<String> = LOCKS.iter().map(Known::id).collect();
        format!("no such lock; there are {}", ids.join(", "))
    })
}

/// The first lock of a kind.
///
/// # Panics
/// If there is none.
pub fn first(kind: Kind) -> Which {
    let found = LOCKS.iter().find(|known| known.kind == kind);
    found.expect("the list has one of each kind that is asked for")
}

/// The lock that ratios are to, which is the first unfair one: `parking_lot`'s.
pub fn base() -> Which {
    first(Kind::Unfair)
}

/// A crate's name and version, which this crate's manifest pins.
///
/// # Panics
/// If it does not.
pub fn pinned(name: &str) -> String {
    let version = include_str!("../../Cargo.toml").lines().find_map(|line| {
        let value = line.strip_prefix(name)?.strip_prefix(" = ")?;
        let (_, version) = value.split_once("\"=")?;
        version.split_once('"').map(|(version, _)| version)
    });
    let version = version.expect("bench/Cargo.toml pins what is compared");
    format!("{name} {version}")
}

/// A reader/writer lock that runs a piece of code while it is held.
pub trait Lock: Send + Sync {
    /// A lock that nobody holds.
    fn free() -> Self;
    /// Runs `body` while the lock is held shared.
    fn shared(&self, body: impl FnOnce());
    /// Runs `body` while the lock is held exclusively.
    fn exclusive(&self, body: impl FnOnce());

    /// Runs `body` while the lock is held as asked.
    fn with(&self, op: Op, body: impl FnOnce()) {
        match op {
            Op::Read => self.shared(body),
            Op::Write => self.exclusive(body),
        }
    }
}

/// Locks that have guards, which give them back when they are dropped.
macro_rules! guarded {
    ($type:ty $(where $raw:ident: $bound:path)?, $read:ident, $write:ident) => {
        impl $(<$raw: $bound + Send + Sync>)? Lock for $type {
            fn free() -> Self {
                Self::new(())
            }

            fn shared(&self, body: impl FnOnce()) {
                let _guard = self.$read();
                body();
            }

            fn exclusive(&self, body: impl FnOnce()) {
                let _guard = self.$write();
                body();
            }
        }
    };
}

guarded!(RwLock<R, ()> where R: RawRwLock, read, write);
guarded!(std::sync::RwLock<()>, read, write);
guarded!(async_lock::RwLock<()>, read_blocking, write_blocking);
guarded!(tokio::sync::RwLock<()>, blocking_read, blocking_write);
guarded!(qrwlock::RwLock<()>, read, write);
// Its guards are of an older lock_api.
guarded!(pflock::PFLock<()>, read, write);

/// A lock whose guards are handed to `unlock_fair`.
pub struct Fair<R>(RwLock<R, ()>);

impl<R: RawRwLockFair + Send + Sync> Lock for Fair<R> {
    fn free() -> Self {
        Fair(RwLock::new(()))
    }

    fn shared(&self, body: impl FnOnce()) {
        let guard = self.0.read();
        body();
        RwLockReadGuard::unlock_fair(guard);
    }

    fn exclusive(&self, body: impl FnOnce()) {
        let guard = self.0.write();
        body();
        RwLockWriteGuard::unlock_fair(guard);
    }
}

impl Lock for saa::Lock {
    fn free() -> Self {
        saa::Lock::default()
    }

    fn shared(&self, body: impl FnOnce()) {
        self.share_sync();
        body();
        self.release_share();
    }

    fn exclusive(&self, body: impl FnOnce()) {
        self.lock_sync();
        body();
        self.release_lock();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::contended::{Pass, Side};

    #[test]
    fn every_lock_has_a_name_of_its_own_and_is_found_by_it() {
        for (index, known) in LOCKS.iter().enumerate() {
            assert!(find(&known.id()).is_ok_and(|found| found == known));
            let others = LOCKS.iter().skip(index + 1);
            assert!(
                others
                    .map(Known::name)
                    .all(|name| !name.is_empty() && name != known.name())
            );
        }
        assert!(find("parking_lot-").is_err_and(|error| error.contains("parking_lot-fair")));
        assert_eq!(base().krate, "parking_lot");
    }

    #[test]
    fn each_lock_keeps_writers_apart() {
        let inside = AtomicU32::new(0);
        let hold = |op, body: &mut dyn FnMut()| {
            let unit = if op == Op::Write { 1 << 16 } else { 1 };
            let before = inside.fetch_add(unit, Ordering::Relaxed);
            assert!(before == 0 || (op == Op::Read && before < 1 << 16));
            body();
            inside.fetch_sub(unit, Ordering::Relaxed);
        };
        fn both<L: Lock>(scenario: &Scenario, hold: impl Fn(Op, &mut dyn FnMut()) + Sync) {
            let lock = L::free();
            contended::readers_and_writers(scenario, |op, body| {
                lock.with(op, || hold(op, &mut *body));
            });
        }
        let side = Side {
            threads: 2,
            hold: Pass::Busy(Duration::from_nanos(200)),
            gap: Pass::Busy(Duration::ZERO),
        };
        let scenario = Scenario {
            name: "",
            what: "",
            readers: side,
            writers: side,
            time: Duration::from_millis(5),
        };
        both::<RwLock<interlock_rwlock::RawRwLock, ()>>(&scenario, hold);
        both::<Fair<parking_lot::RawRwLock>>(&scenario, hold);
        both::<std::sync::RwLock<()>>(&scenario, hold);
        both::<async_lock::RwLock<()>>(&scenario, hold);
        both::<tokio::sync::RwLock<()>>(&scenario, hold);
        both::<saa::Lock>(&scenario, hold);
    }
}
