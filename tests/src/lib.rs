//! What the tests of the reference against the specifications share.

pub mod corpus;
pub mod difference;
pub mod dio;
pub mod dio_log;
pub mod faulty_rules;
pub mod model;
pub mod replay;
pub mod rwsem;
pub mod rwsem_log;
