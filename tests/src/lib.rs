//! What the tests of the reference against the specifications share.

pub mod rwsem_log;
