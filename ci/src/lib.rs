//! The runner behind the `interlock` binary: it runs the models of `specs/` and judges them against the manifest.

pub mod cfg;
pub mod manifest;
pub mod messages;
