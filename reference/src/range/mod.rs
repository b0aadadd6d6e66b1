//! Range locks: `specs/range/RangeTree.tla`.

pub mod lock;
pub mod machine;
pub mod policy;
pub mod sys;
pub mod tree;
