//! Range locks: `specs/range/RangeTree.tla`, `RangeBias.tla`; and what a file is torn without: `FileAtomicity.tla`.

pub mod atomicity;
pub mod bias;
pub mod bias_machine;
mod gate;
pub mod lock;
pub mod machine;
pub mod policy;
pub mod probe;
mod ranges;
#[cfg(feature = "trace")]
pub mod recorder;
pub mod sys;
pub mod tree;
