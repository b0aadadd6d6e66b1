//! Reader/writer semaphores: `specs/rwsem/Rwsem.tla`.

mod decisions;
pub mod lock;
pub mod machine;
pub mod policy;
pub mod probe;
pub mod protocol;
#[cfg(feature = "trace")]
pub mod recorder;
pub mod sys;
pub mod word;
