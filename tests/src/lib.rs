//! What the tests of the reference against the specifications share.

pub mod corpus;
pub mod crash;
pub mod difference;
pub mod dio;
pub mod dio_log;
pub mod faulty_rules;
pub mod jbd2;
pub mod jbd2_history;
pub mod jbd2_invariants;
pub mod jbd2_log;
pub mod latency;
pub mod model;
pub mod random;
pub mod replay;
pub mod reserve_wait;
pub mod rwsem;
pub mod rwsem_log;
pub mod tours;
pub mod wb_flusher_log;
pub mod wb_lists;
pub mod wb_plug;
