//! Direct I/O to blocks that a request covers in part: `specs/dio/UnalignedDio.tla`.

mod caller;
mod decisions;
pub mod file;
mod inode;
pub mod machine;
pub mod policy;
pub mod probe;
#[cfg(feature = "trace")]
pub mod recorder;
pub mod rules;
mod steps;
pub mod workers;
