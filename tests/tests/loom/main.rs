//! Every schedule of small programs on the reference's locks, under loom: a folder a protocol.
//!
//! Each test is a process: loom maps and unmaps a stack a thread and schedule, for which threads of one process wait for each other
//! longer than they run.

mod atomicity;
mod dio;
mod explored;
mod jbd2;
mod range;
mod range_list;
mod rwsem;
mod rwsem_queued;
mod writeback;
