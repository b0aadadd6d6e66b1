//! The credits of a journal, and the wait for reserved ones: `specs/jbd2/Jbd2Credits.tla` and `ReserveWait.tla`.

pub mod admission;
mod commits;
mod decisions;
pub mod machine;
pub mod numbers;
pub mod policy;
pub mod probe;
pub mod refused;
pub mod reserve_wait;
pub mod space;
mod starts;
mod steps;
pub mod ticket;
pub mod waiting;
