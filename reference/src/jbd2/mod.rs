//! The credits of a journal, the wait for reserved ones, and the log: `specs/jbd2/Jbd2Credits.tla` and `ReserveWait.tla`, and the
//! format that the kernel and e2fsprogs read and write.

pub mod admission;
mod commits;
mod decisions;
pub mod journal;
pub mod log;
pub mod machine;
pub mod numbers;
pub mod policy;
pub mod probe;
#[cfg(feature = "trace")]
pub mod recorder;
pub mod refused;
pub mod reserve_wait;
pub mod rules;
pub mod space;
mod starts;
mod steps;
pub mod ticket;
mod waiting;
