//! What was seen when a plan was played.

use serde::{Deserialize, Serialize};

use crate::content::Content;

/// All of it. Times are nanoseconds from the first step on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Played {
    /// How each step went, as far as it came.
    pub steps: Vec<Went>,
    /// Of each call.
    pub calls: Vec<Made>,
    /// What the disk did, in words, a line each.
    pub disk: Vec<String>,
    /// `i_size` at the end.
    pub size: u64,
    /// What each sector of 512 bytes below it holds at the end, read past the cache, after fsync.
    pub content: Vec<Content>,
    /// fsync's error at the end, if it had one.
    pub sync: Option<String>,
}

/// How a step went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Went {
    /// As the plan has it.
    Done,
    /// A call that is started: it was submitted, and is in flight.
    Flying,
    /// A call that is started: it has come neither to the disk nor back.
    Waits,
    /// As the plan has it, and the caller was told of this error.
    Said(String),
    /// It is not possible, for this reason: the plan ends here.
    Not(String),
}

/// A call that was made.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Made {
    /// When it was made.
    pub started: Option<u64>,
    /// When its caller was told of its end.
    pub ended: Option<u64>,
    /// What it was told: an error.
    pub error: Option<String>,
    /// What a read has read, by sectors of 512 bytes.
    pub read: Vec<Content>,
}

impl Made {
    /// When it was acknowledged, if it was.
    pub fn acknowledged(&self) -> Option<u64> {
        self.ended.filter(|_| self.error.is_none())
    }
}
