//! Every schedule of small sets of requests on one file, under loom. The log of each execution is a path of the machine; the
//! device holds, byte by byte, what the machine's disk does at its end, and no acknowledged byte is lost. A lost wake-up is a
//! deadlock.
//!
//! A block of two sectors: a writes the first, b the second, C both. ': asynchronous. One thread a request, one of them also
//! the main one, and two that perform I/Os. *Bound*: how often a schedule may preempt a thread. *Paths*: distinct logs.
//! Iterations and paths are asserted. Each path is recorded too, as by threads that do not wait for each other: the traces are
//! behaviours, says the machine of all, and TLC of those of one model.
//!
//! | model                         | bound | iterations | paths |
//! |-------------------------------|-------|------------|-------|
//! | Final65, a+b, written         | 2     |    148 743 |   202 |
//! | Final65, a+b, unwritten       | 2     |    118 571 |    61 |
//! | Final65, a+b, written         | 1     |      1 717 |    28 |
//! | Final65, a+b, hole            | 1     |      1 453 |    16 |
//! | Final65, a'+b', unwritten     | 1     |      1 485 |    19 |
//! | Final65, a'+C', unwritten     | 1     |      1 487 |    19 |
//! | Final65Eof, a'+C', EOF        | 1     |      1 449 |    14 |
//! | Zeroing73, a+b, unwritten     | 1     |      1 453 |    16 |
//! | XfsOptimistic, a+b, unwritten | 1     |      1 456 |    19 |
//! | Final65, a'+C', unwritten     | 2     |    161 902 |   102 |

/// This file, whose table has the figures.
const HEAD: &str = include_str!("mod.rs");

mod faults;
mod model;
mod schedules;
pub mod sys;
