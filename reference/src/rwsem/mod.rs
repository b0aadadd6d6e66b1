//! Reader/writer semaphores: `specs/rwsem/Rwsem.tla`.

mod decisions;
pub mod machine;
pub mod policy;
