//! The runner behind the `interlock` binary: it runs the models of `specs/` and judges them against the manifest.

pub mod counterexample;
pub mod edges;
pub mod itf;
mod lanes;
pub mod manifest;
pub mod messages;
pub mod svg;
pub mod timeline;
pub mod trace;
pub mod value;
mod value_parser;
