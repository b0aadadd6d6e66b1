//! What is wrong with a log.

use std::error::Error;
use std::fmt;

use crate::errno::Errno;

/// Why a log could not be read, written or made. Nothing has been written, unless the device has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogError {
    /// The device has failed.
    Device(Errno),
    /// Log block 0 is no superblock; why not.
    NoJournal(String),
    /// The log has a feature that this crate does not read or write.
    Unsupported {
        /// The kernel's name of it, such as `JBD2_FEATURE_INCOMPAT_FAST_COMMIT`, or what is unknown.
        feature: String,
    },
    /// A block is not what it must be.
    Corrupt {
        /// The log block; 0 is the superblock.
        block: u32,
        /// What is wrong with it.
        reason: String,
    },
    /// There are fewer blocks than there must be.
    TooSmall {
        /// How many there are.
        blocks: u32,
        /// How many there must be.
        needed: u32,
    },
}

impl LogError {
    pub(super) fn corrupt(block: u32, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        LogError::Corrupt { block, reason }
    }

    pub(super) fn unsupported(feature: impl Into<String>) -> Self {
        let feature = feature.into();
        LogError::Unsupported { feature }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LogError::Device(errno) => write!(f, "the log's device: {errno}"),
            LogError::NoJournal(reason) => write!(f, "there is no journal: {reason}"),
            LogError::Unsupported { feature } => {
                write!(f, "the log has a feature that is not supported: {feature}")
            }
            LogError::Corrupt { block: 0, reason } => {
                write!(f, "the log's superblock is corrupt: {reason}")
            }
            LogError::Corrupt { block, reason } => {
                write!(f, "log block {block} is corrupt: {reason}")
            }
            LogError::TooSmall { blocks, needed } => {
                write!(f, "the log has {blocks} blocks, and needs {needed}")
            }
        }
    }
}

impl Error for LogError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            LogError::Device(errno) => Some(errno),
            _ => None,
        }
    }
}

impl From<Errno> for LogError {
    fn from(errno: Errno) -> Self {
        LogError::Device(errno)
    }
}
