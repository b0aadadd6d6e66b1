//! Locks under file systems: for each protocol a state machine, equal to its TLA+ specification, and the threads that run it.

pub mod device;
pub mod dio;
pub mod errno;
pub mod jbd2;
pub mod latency;
pub mod range;
pub mod rwsem;
pub mod sys;
#[cfg(feature = "trace")]
pub mod trace;
pub mod writeback;
