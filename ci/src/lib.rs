//! The runner behind the `interlock` binary: it runs the models of `specs/` and judges them against the manifest.

pub mod blame;
pub mod cfg;
pub mod check;
pub mod counterexample;
pub mod doctor;
pub mod interrupt;
pub mod judge;
pub mod jvm;
pub mod manifest;
pub mod messages;
pub mod process;
pub mod progress;
pub mod report;
pub mod tlc;
pub mod toolchain;
pub mod trace;
pub mod verdict;
