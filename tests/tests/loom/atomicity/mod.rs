//! Every schedule of operations on a file, under loom, with each choice of locks at each size of the table: the bytes are torn or
//! mixed in some schedule where specs/range/models.toml says so, and in none where it says not.

mod faults;
mod model;
mod schedules;
mod sys;
