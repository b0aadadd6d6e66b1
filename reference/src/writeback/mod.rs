//! The lists of inodes of writeback: `specs/writeback/WbLists.tla`.

pub mod lists;
pub mod policy;
mod steps;
