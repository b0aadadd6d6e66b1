//! The runner behind the `interlock` binary: it runs the models of `specs/` and judges them against the manifest.

pub mod blame;
pub mod cfg;
pub mod check;
pub mod counterexample;
pub mod doctor;
pub mod edges;
pub mod interrupt;
pub mod itf;
pub mod judge;
pub mod jvm;
mod lanes;
pub mod lint;
pub mod manifest;
pub mod messages;
pub mod process;
pub mod progress;
pub mod report;
pub mod svg;
pub mod table;
pub mod timeline;
pub mod tla;
pub mod tlc;
pub mod toolchain;
pub mod trace;
pub mod value;
mod value_parser;
pub mod verdict;
