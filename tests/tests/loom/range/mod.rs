//! Every schedule of small programs on the lock of ranges, under loom: each cell is one of loom's, which sees whoever has it beside
//! a writer; a lost wake-up is a deadlock. Iterations and the orders in which the ranges were held are asserted.

mod bias;
mod faults;
mod model;
mod schedules;
pub mod sys;
