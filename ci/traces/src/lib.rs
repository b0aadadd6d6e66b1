//! Recorded behaviours, of the reference and of Linux kernels, judged by the specifications.

pub mod edits_page;
pub mod import;
pub mod kernel;
pub mod machines;
pub mod recording;
pub mod schema;
pub mod validate;
