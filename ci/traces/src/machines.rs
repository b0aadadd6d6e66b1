//! The reference's machines by the names of their specifications: states and actions as TLC prints them.

pub mod counterpart;
pub mod dio;
pub mod file_atomicity;
pub mod handles;
pub mod jbd2;
pub mod kernel_dio;
pub mod latency;
pub mod log_tail;
mod named;
mod numbers;
pub mod observed_lists;
pub mod observed_plug;
pub mod range;
pub mod range_bias;
pub mod range_list;
pub mod reserve_wait;
pub mod rwsem;
pub mod rwsem_budget;
pub mod traced;
mod values;
pub mod wb_lists;
pub mod wb_plug;
