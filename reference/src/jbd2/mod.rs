//! The credits of a journal, the wait for reserved ones, and the log: `specs/jbd2/Jbd2Credits.tla` and `ReserveWait.tla`, and the
//! format that the kernel and e2fsprogs read and write.

pub mod area;
mod block;
pub mod create;
mod decisions;
pub mod encode;
pub mod error;
pub mod machine;
pub mod policy;
pub mod recovery;
pub mod reserve_wait;
mod steps;
pub mod superblock;
mod tag;
