//! Handles, and reservations that are no handle's yet.

use super::machine::Credits;
use super::numbers::Tid;
use super::probe::Who;

/// A handle: the right to dirty so many blocks in its transaction, which does not commit before the handle is stopped.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a handle that is not stopped keeps its transaction from its commit"]
pub struct Ticket {
    pub(super) who: Who,
    pub(super) tid: Tid,
    pub(super) credits: Credits,
    pub(super) kind: Kind,
}

/// What a handle has to do with reservations.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// It has reserved so many credits for later.
    Reserves(Credits),
    /// It was reserved itself.
    Reserved,
}

impl Ticket {
    /// Who has it.
    pub fn who(&self) -> Who {
        self.who
    }

    /// Its transaction.
    pub fn tid(&self) -> Tid {
        self.tid
    }

    /// How many blocks it may dirty.
    pub fn credits(&self) -> Credits {
        self.credits
    }

    /// What it reserves for later, in credits; 0: nothing.
    pub fn reserves(&self) -> Credits {
        match self.kind {
            Kind::Reserves(credits) => credits,
            Kind::Plain | Kind::Reserved => 0,
        }
    }
}

/// Credits for a handle that starts later, whatever others do until then (h_rsv_handle).
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a reservation that is neither started nor freed is lost to all others"]
pub struct Reservation {
    pub(super) credits: Credits,
}

impl Reservation {
    /// How many blocks its handle may dirty.
    pub fn credits(&self) -> Credits {
        self.credits
    }
}
