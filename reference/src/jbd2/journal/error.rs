//! Why a journal does not do what it is asked to.

use std::error::Error;
use std::fmt;

use crate::errno::Errno;
use crate::jbd2::log::error::LogError;
use crate::jbd2::refused::Refused;

/// Why a call to a journal fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalError {
    /// The handle was not admitted: -ENOSPC, -EROFS.
    Refused(Refused),
    /// The log cannot be used.
    Log(LogError),
    /// The handle's restart was refused, and it has stopped.
    NoHandle,
    /// -ENOSPC: the handle has used up its credits; it must be extended or restarted.
    NoCredits,
    /// The log has not the feature REVOKE.
    NoRevokes,
    /// The log has not the feature 64BIT.
    LargeNumber {
        /// The block's number.
        block: u64,
    },
    /// A block's bytes are not as many as a block has.
    WrongSize {
        /// How many there are.
        bytes: usize,
        /// How many a block has.
        block_size: usize,
    },
    /// The log is too short for a journal.
    TooSmall {
        /// The log's blocks, the superblock's not counted.
        blocks: u32,
    },
    /// The device has failed under a read.
    Device(Errno),
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            JournalError::Refused(refused) => refused.fmt(f),
            JournalError::Log(error) => error.fmt(f),
            JournalError::NoHandle => {
                f.write_str("the handle has stopped: its restart was refused")
            }
            JournalError::NoCredits => {
                f.write_str("the handle has used up its credits (extend or restart it)")
            }
            JournalError::NoRevokes => {
                f.write_str("the log has not the feature REVOKE (make the journal with it)")
            }
            JournalError::LargeNumber { block } => write!(
                f,
                "block {block} has more than 32 bits, and the log has not the feature 64BIT"
            ),
            JournalError::WrongSize { bytes, block_size } => {
                write!(f, "a block has {block_size} bytes, not {bytes}")
            }
            JournalError::TooSmall { blocks } => write!(
                f,
                "a log of {blocks} blocks has no room for a transaction (make the journal larger)"
            ),
            JournalError::Device(errno) => errno.fmt(f),
        }
    }
}

impl Error for JournalError {}

impl From<Refused> for JournalError {
    fn from(refused: Refused) -> Self {
        JournalError::Refused(refused)
    }
}

impl From<LogError> for JournalError {
    fn from(error: LogError) -> Self {
        JournalError::Log(error)
    }
}
