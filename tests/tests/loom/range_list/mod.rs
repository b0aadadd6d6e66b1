//! Every schedule of small programs on the list of ranges, under loom: each cell is one of loom's, which sees whoever has it beside a
//! writer; a lost wake-up is a deadlock; a node that is looked at when it may have been freed is told, and so are two that retreat from
//! each other. Iterations and the orders in which the ranges were held are asserted.

mod controls;
mod epoch;
mod faults;
mod model;
mod schedules;
mod sys;
