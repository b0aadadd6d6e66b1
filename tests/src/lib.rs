//! What the tests of the reference against the specifications share.

pub mod cast;
pub mod corpus;
pub mod crash;
pub mod difference;
pub mod dio_log;
pub mod fault_device;
pub mod faulty_journal_rules;
pub mod faulty_rules;
pub mod file_atomicity;
pub mod foreign;
pub mod formula;
pub mod in_time;
pub mod jbd2_crashes;
pub mod jbd2_history;
pub mod jbd2_invariants;
pub mod jbd2_log;
pub mod latency_histories;
pub mod overtaking;
pub mod own_beds;
pub mod queued_faults;
pub mod random;
pub mod range_faults;
pub mod range_log;
pub mod range_stress;
pub mod replay;
pub mod rwsem_log;
pub mod rwsem_queued;
pub mod strings;
pub mod symptom;
pub mod tours;
pub mod traces;
pub mod wb_flusher_log;
pub mod wb_flusher_rules;

/// The README's programs, which `cargo test` runs.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
