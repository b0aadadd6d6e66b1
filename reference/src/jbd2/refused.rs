//! What a start gets in place of its handle.

use std::error::Error;
use std::fmt;

use super::machine::Credits;
use crate::errno::Errno;

/// Why a journal has given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The device has failed.
    Device(Errno),
    /// A handle waits for space, and nothing is left that could bring some.
    NoSpace,
    /// A commit has found the log full.
    LogFull,
    /// A thread has panicked that was about the journal's own work: the commit thread, or one that wrote a transaction home.
    Panicked,
    /// Whoever has aborted it says so.
    Called(&'static str),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Device(errno) => write!(f, "{errno}"),
            Reason::NoSpace => write!(f, "the log is too small for a transaction"),
            Reason::LogFull => write!(f, "a commit has found the log full"),
            Reason::Panicked => write!(f, "a thread has panicked in a commit or a checkpoint"),
            Reason::Called(why) => f.write_str(why),
        }
    }
}

/// Why there is no handle, or no commit to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refused {
    /// ENOSPC: handle and reservation together are larger than any transaction.
    TooLarge {
        /// The credits that were asked for, reserved ones included.
        asked: Credits,
        /// The most that there can be.
        largest: Credits,
    },
    /// ENOSPC: the reservation alone is larger than all together may be.
    ReservesTooMuch {
        /// The credits that were to be reserved.
        asked: Credits,
        /// The most that there can be.
        largest: Credits,
    },
    /// A handle with a reservation cannot restart.
    HasReservation,
    /// EROFS: the journal has given up.
    Aborted(Reason),
    /// The journal is closed.
    Closed,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::TooLarge { asked, largest } => {
                write!(
                    f,
                    "a handle of {asked} credits is too large: {largest} is the most"
                )
            }
            Refused::ReservesTooMuch { asked, largest } => {
                write!(
                    f,
                    "a reservation of {asked} credits is too large: {largest} is the most"
                )
            }
            Refused::HasReservation => {
                write!(
                    f,
                    "a handle with a reservation cannot restart; it is stopped"
                )
            }
            Refused::Aborted(reason) => write!(f, "the journal is aborted: {reason}"),
            Refused::Closed => write!(f, "the journal is closed"),
        }
    }
}

impl Error for Refused {}
