//! A loop over many pages and the task that waits for its processor: `specs/latency`.

pub mod machine;
pub mod policy;
pub mod walk;
