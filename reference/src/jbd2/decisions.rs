//! What a handle's start, extension and stop ask of the journal: the operators of `Jbd2Credits.tla` in which the variants differ,
//! as functions of numbers.

use super::machine::{Credits, Sizes, TState};
use super::policy::{Conversion, Extend, Policy, Space, Wake};

/// What a handle asks for: its credits with what it reserves for later, and the reservation alone (`Total`, `Reserves`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask {
    pub total: Credits,
    pub reserves: Credits,
    /// The reservation was handed over already.
    pub is_promised: bool,
}

/// A test of add_transaction_credits that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Test {
    /// 1: the transaction is RUNNING.
    Running,
    /// 2: it has room for the credits.
    Room,
    /// 3: the log has space.
    Space,
    /// 4: all reservations together take half of a transaction at most.
    Half,
}

/// The journal as add_transaction_credits sees it.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub policy: &'a Policy,
    pub sizes: &'a Sizes,
    /// t_state of the running transaction, or of the new one.
    pub running: TState,
    /// Its t_outstanding_credits.
    pub out: Credits,
    /// Those of the transaction that is being committed.
    pub committing: Credits,
    /// j_free.
    pub free: Credits,
    /// j_reserved_credits.
    pub reserved: Credits,
    /// What is handed over of them and not yet charged.
    pub promised: Credits,
}

impl Look<'_> {
    /// `UserMax`: jbd2_max_user_trans_buffers.
    pub fn user_max(&self) -> Credits {
        if self.policy.usermax {
            self.sizes.max - self.sizes.overhead
        } else {
            self.sizes.max
        }
    }

    /// `SpaceLeft`: jbd2_log_space_left.
    fn space_left(&self) -> Credits {
        self.free - self.sizes.slack - self.committing
    }

    /// The log has the space that a handle of so many credits asks for.
    pub fn has_space(&self, total: Credits) -> bool {
        self.space_left()
            >= match self.policy.space {
                Space::Max => self.sizes.max,
                Space::Needed => total,
            }
    }

    /// `Half`: what all reservations together may take.
    pub fn half(&self) -> Credits {
        self.user_max().div_euclid(2)
    }

    /// `MayReserve`.
    fn may_reserve(&self, ask: Ask) -> bool {
        ask.is_promised || self.reserved + self.promised + ask.reserves <= self.half()
    }

    /// `Fitting`: how many of those who wait, from the first on, the credits serve.
    pub fn fitting(&self, asks: impl Iterator<Item = Credits>) -> usize {
        let sums = asks.scan(self.reserved + self.promised, |sum, asks| {
            *sum += asks;
            Some(*sum)
        });
        sums.take_while(|sum| *sum <= self.half()).count()
    }

    /// `Fails`: the first test that fails.
    pub fn fails(&self, ask: Ask) -> Option<Test> {
        let tests = [
            (Test::Running, self.running != TState::Running),
            (Test::Room, self.out + ask.total > self.sizes.max),
            (Test::Space, !self.has_space(ask.total)),
            (Test::Half, ask.reserves > 0 && !self.may_reserve(ask)),
        ];
        let made = tests.into_iter().zip(self.policy.tests);
        let mut failed = made.filter_map(|((test, fails), made)| (made && fails).then_some(test));
        failed.next()
    }

    /// wait_event of test 4 returns: a reservation of so many credits fits.
    pub fn reservation_fits(&self, reserves: Credits) -> bool {
        self.policy.wake == Wake::Unseen || self.reserved + reserves <= self.half()
    }

    /// wait_event of test 2 returns: so many credits fit in a new transaction.
    pub fn room_fits(&self, total: Credits) -> bool {
        self.policy.wake == Wake::Unseen || self.reserved + total <= self.user_max()
    }

    /// Who reserves tests what it adds first; else it adds, and takes back what is too much.
    pub fn is_exact(&self) -> bool {
        self.policy.wake == Wake::HandOver
    }

    /// So much is reserved that the credits would not fit in a new transaction either.
    pub fn too_much_reserved(&self, ask: Ask) -> bool {
        self.reserved + ask.total > self.user_max()
    }

    /// A reserved handle joins the transaction.
    pub fn reserved_joins(&self) -> bool {
        match self.running {
            TState::Running => true,
            TState::Locked => self.policy.conversion != Conversion::NotLocked,
            TState::Switch => self.policy.conversion == Conversion::EvenSwitch,
            TState::None | TState::Flush | TState::Tail => false,
        }
    }

    /// jbd2_journal_extend gives a handle so many credits more.
    pub fn may_extend(&self, extra: Credits) -> bool {
        let has_room = self.running == TState::Running && self.out + extra <= self.sizes.max;
        self.policy.extend == Extend::Untested || has_room
    }
}

/// What stop_this_handle gives back of a handle's credits, of which it has spent some.
pub(super) fn given_back(policy: &Policy, has: Credits, spends: Credits) -> Credits {
    if policy.stop { has - spends } else { has }
}
