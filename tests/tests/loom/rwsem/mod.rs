//! Every schedule of small programs on the lock, under loom. The log of each execution is a path of the machine in which
//! overtaking is bounded; the guarded value lies in loom's cell, which sees races; a lost wake-up is a deadlock.
//!
//! r, w: read, write; d: write, downgrade; t: try. One thread a group. *Bound*: how often a schedule may preempt a thread.
//! *Traces*: distinct sequences of the lock's steps. Iterations and traces are asserted. Each is recorded too, as by threads that
//! do not wait for each other: it is a behaviour, says the machine of all, and TLC of those of one model.
//!
//! | model                    | bound | iterations | traces |
//! |--------------------------|-------|------------|--------|
//! | r+r+w                    | 4     |      3 905 |     48 |
//! | r+w+w                    | 4     |      4 021 |     36 |
//! | w+w+w                    | 4     |      3 307 |     36 |
//! | r+r+w+w                  | 3     |     20 504 |    527 |
//! | r+w+w+w                  | 3     |     21 793 |    480 |
//! | rr+r+ww                  | 3     |      4 845 |    306 |
//! | rw+w+r                   | 3     |      2 364 |    117 |
//! | rw+w+w+r                 | 3     |     82 643 |  1 675 |
//! | d+r+d                    | 3     |      1 698 |     90 |
//! | d+r+r+w                  | 3     |     58 612 |    938 |
//! | tr tw+w+tw+r             | 3     |     21 008 |    425 |
//! | fast r+w                 | none  |        472 |      4 |
//! | fast r+r+w               | 3     |      3 861 |     44 |
//! | fast r+w+w               | 3     |      6 770 |     36 |
//! | fast d+r+w               | 3     |     15 724 |     59 |
//! | full r+w+w               | 2     |        114 |     20 |
//! | full r+r+w               | 2     |         97 |     22 |
//! | budget r+w               | none  |         66 |      4 |
//! | budget r+r+w             | 3     |        469 |     56 |
//! | budget r+w+w             | 3     |        675 |     48 |
//! | budget w+w+w             | 3     |        613 |     48 |
//! | budget r+r+w+w           | 3     |     13 917 |    795 |
//! | budget d+r+r+w           | 3     |     44 032 |  1 204 |
//! | budget ww+w+r            | 3     |      2 783 |    162 |
//! | budget, fast r+w         | 3     |         63 |      4 |
//! | budget, fast w+w+w       | 3     |      6 937 |     48 |
//! | budget, fast tw+r+w      | 3     |      8 927 |     32 |
//! | lock_api r+w             | 3     |         63 |      1 |
//! | lock_api tr+tw+d         | 3     |        963 |      2 |
//! | lock_api, budget, d+r+tw | 3     |      1 643 |      2 |
//! | lock_api br+bw           | 3     |      3 460 |      1 |
//! | lock_api bw+f            | 3     |        538 |      1 |
//!
//! *fast*: with the fast path, and each spin one look. *full*: a word that one waiter fills, so that others yield and come again.
//! *budget*: of one, which is not recorded.
//! *lock_api*: its own calls, with the fast path, whose traces are what was written; b: with a `bump`, f: with a fair unlock.

/// This file, whose table has the figures.
const HEAD: &str = include_str!("mod.rs");

mod budget;
mod face;
mod faults;
mod model;
mod schedules;
pub mod sys;
