//! Every schedule of a flusher, a device and two threads that dirty an inode each and sync, under loom. The log of
//! each execution is a path of the machine, and keeps its invariants; a sync finds its inode on the device. A lost wake-up is a
//! deadlock.
//!
//! The passes of the logs are also traces that are validated, but for those of two syncs: by the machine, and by TLC those of
//! preempted.
//!
//! *Bound*: how often a schedule may preempt a thread. *Paths*: distinct logs. Both figures are asserted, and that some path shows
//! what the model is for.
//!
//! | model                                           | rules    | bound | iterations | paths | seconds |
//! |-------------------------------------------------|----------|-------|------------|-------|---------|
//! | plain: neighbours are one request, one syncs    | Today    | 1     |      2 143 |    14 |     0.3 |
//! | the same, nightly                               | Today    | 2     |    200 460 |    14 |    45   |
//! | two sync                                        | Today    | 1     |     90 472 |     4 |     9.6 |
//! | throttled: a thread waits for a page            | Today    | 1     |     29 147 |    39 |     3.2 |
//! | preempted: the same, behind every inode         | Today    | 1     |     58 005 |    97 |     5.7 |
//! | asleep: the same, before every I/O              | Today    | 1     |     56 325 |    57 |     7.1 |
//! | per inode: throttled, with a plug for each      | PerInode | 1     |     57 187 |    78 |     5.5 |
//!
//! The seconds are those of a machine with two busy processors, one test at a time.

mod faults;
mod model;
mod schedules;
