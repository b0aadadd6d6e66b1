//! The credits of a journal, and the wait for reserved ones: `specs/jbd2/Jbd2Credits.tla` and `ReserveWait.tla`.

mod decisions;
pub mod machine;
pub mod policy;
pub mod reserve_wait;
mod steps;
