//! Every schedule of a few tasks on a small journal, under loom. The log of each execution is a path of the machine, with its
//! numbers after every step, and keeps I1 to I7; at its end nobody has a handle or waits for one. A lost wake-up is a deadlock.
//!
//! One thread a plain task, one a page and its worker, and one that commits; one of them is also the main one. *Bound*: how often
//! a schedule may preempt a thread. *Paths*: distinct logs. Iterations and paths are asserted, and that some path shows the wait
//! that the model is for. The paths of room, space, reserved with two pages and locked are also traces that are validated: by the
//! machine, and by TLC those of space and of the first of reserved.
//!
//! | model                                                | rules      | bound | iterations |  paths | seconds |
//! |------------------------------------------------------|------------|-------|------------|--------|---------|
//! | room: two starts, one has to wait for a commit       | WakeAll    | 4     |      8 329 |    117 |     1.1 |
//! | space: and for space, checkpoints, another's commit  | WakeAll    | 4     |     10 818 |     96 |     2.3 |
//! | the same with three starts, two wait for the mutex   | WakeAll    | 2     |     14 362 |  1 842 |     2.2 |
//! | behind: two starts in a commit, one behind it        | WakeAll    | 3     |     19 355 |  2 688 |     2.6 |
//! | reserved: two pages, credits for one                 | WakeAll    | 5     |        668 |    212 |     0.1 |
//! | the same                                             | HandOver   | 5     |        623 |    194 |     0.1 |
//! | reserved: three pages, credits for one               | WakeAll    | 4     |     79 049 | 12 512 |     7.6 |
//! | the same                                             | HandOver   | 4     |     30 062 |  8 972 |     2.3 |
//! | locked: a reserved handle joins LOCKED, fsync waits  | WakeAll    | 4     |     41 359 |    582 |     2.9 |
//! | the same                                             | HandOver   | 4     |     41 359 |    582 |     2.8 |
//!
//! The seconds are those of a machine with two busy processors, one test at a time.

mod faults;
mod model;
mod schedules;
