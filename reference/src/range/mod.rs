//! Range locks: `specs/range/RangeTree.tla`, `RangeBias.tla`, and `RangeList.tla` to compare them with; and what a file is torn
//! without: `FileAtomicity.tla`.

pub mod atomicity;
pub mod bias;
pub mod bias_machine;
mod gate;
mod intervals;
pub mod list;
pub mod list_machine;
mod list_patience;
pub mod list_policy;
pub mod list_sys;
pub mod lock;
pub mod machine;
pub mod policy;
pub mod probe;
mod ranges;
#[cfg(feature = "trace")]
pub mod recorder;
pub mod sys;
pub mod tree;
