//! The runner behind the `interlock` binary: it runs the models of `specs/` and judges them against the manifest.

pub mod cfg;
pub mod lint;
pub mod manifest;
pub mod messages;
pub mod table;
pub mod tla;
