//! Range locks: `specs/range/RangeTree.tla`, `RangeBias.tla`.

pub mod bias;
pub mod bias_machine;
mod gate;
mod intervals;
pub mod lock;
pub mod machine;
pub mod policy;
pub mod probe;
mod ranges;
#[cfg(feature = "trace")]
pub mod recorder;
pub mod sys;
pub mod tree;
