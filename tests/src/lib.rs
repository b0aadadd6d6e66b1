//! What the tests of the reference against the specifications share.

pub mod corpus;
pub mod difference;
pub mod replay;
pub mod rwsem;
