//! Reader/writer semaphores: `specs/rwsem/Rwsem.tla`. The lock of policy `BatchQueue` in threads is the crate `interlock-rwlock`.

pub mod budget_machine;
mod decisions;
pub mod machine;
pub mod policy;
#[cfg(feature = "trace")]
pub mod recorder;
