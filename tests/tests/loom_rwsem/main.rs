//! Every schedule of small programs on the lock, under loom. Each execution's log is a path of the machine.

mod faults;
mod model;
mod schedules;
mod sys;
