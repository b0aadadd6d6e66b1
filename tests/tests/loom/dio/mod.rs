//! Every schedule of small sets of requests on one file, under loom. The log of each execution is a path of the machine; the
//! device holds, byte by byte, what the machine's disk does at its end, and no acknowledged byte is lost. A lost wake-up is a
//! deadlock.
//!
//! A block of two sectors: a writes the first, b the second, C both. ': asynchronous. One thread a request, one of them also
//! the main one, and two that perform I/Os. *Bound*: how often a schedule may preempt a thread. *Paths*: distinct logs.
//! Iterations and paths are asserted. Each path is recorded too, as by threads that do not wait for each other: the traces are
//! behaviours, says the machine of all, and TLC of those of one model.
//!
//! | model                         | bound | iterations | paths | seconds |
//! |-------------------------------|-------|------------|-------|---------|
//! | Final65, a'+C', unwritten     | 2     |    161 902 |   102 |    20.5 |
//! | Final65, a'+C', unwritten     | 1     |      1 483 |    19 |     0.1 |
//! | Final65, a'+b', unwritten     | 1     |      1 481 |    19 |     0.1 |
//! | Final65, a+b, hole            | 1     |      1 449 |    16 |     0.1 |
//! | Final65, a+b, unwritten       | 2     |    117 120 |    61 |    11.9 |
//! | Final65, a+b, written         | 2     |    148 743 |   202 |    14.3 |
//! | Final65Eof, a'+C', EOF        | 1     |      1 445 |    14 |     0.1 |
//! | XfsOptimistic, a+b, unwritten | 1     |      1 452 |    19 |     0.1 |
//! | Zeroing73, a+b, unwritten     | 1     |      1 449 |    16 |     0.1 |
//!
//! The seconds are those of a machine with two busy processors, one test at a time.

mod faults;
mod model;
mod schedules;
pub mod sys;
