//! TLA+ as text: its modules, what TLC prints of them, and drawings of what was read.

pub mod counterexample;
pub mod diagram;
pub mod edges;
pub mod itf;
pub mod messages;
pub mod module;
pub mod state_graph;
pub mod svg;
mod swimlanes;
pub mod timeline;
pub mod value;
pub mod value_parser;

pub use swimlanes::Layout;
