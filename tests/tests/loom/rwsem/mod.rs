//! Every schedule of small programs on the lock, under loom. The log of each execution is a path of the machine in which
//! overtaking is bounded; the guarded value lies in loom's cell, which sees races; a lost wake-up is a deadlock.
//!
//! r, w: read, write; d: write, downgrade; t: try. One thread a group. *Bound*: how often a schedule may preempt a thread.
//! *Traces*: distinct sequences of the lock's steps. Iterations and traces are asserted. Each is recorded too, as by threads that
//! do not wait for each other: it is a behaviour, says the machine of all, and TLC of those of one model.
//!
//! | model        | bound | iterations | traces | seconds |
//! |--------------|-------|------------|--------|---------|
//! | r+r+w        | none  |     88 871 |     48 |     5.2 |
//! | r+w+w        | none  |     43 002 |     36 |     2.5 |
//! | w+w+w        | none  |     43 002 |     36 |     2.5 |
//! | r+r+w+w      | 3     |      9 478 |    527 |     1.1 |
//! | r+w+w+w      | 3     |     13 446 |    480 |     1.5 |
//! | rr+r+ww      | 3     |      2 294 |    304 |     0.2 |
//! | rw+w+r       | 3     |      1 175 |    117 |     0.1 |
//! | rw+w+w+r     | 3     |     27 459 |  1 675 |     2.3 |
//! | d+r+d        | 3     |        822 |     90 |     0.0 |
//! | d+r+r+w      | 3     |     18 349 |    938 |     2.0 |
//! | tr tw+w+tw+r | 3     |     11 669 |    425 |     0.9 |
//! | fast r+w     | none  |         65 |      4 |     0.0 |
//! | fast r+r+w   | 3     |        985 |     44 |     0.1 |
//! | fast r+w+w   | 3     |      1 779 |     36 |     0.2 |
//! | fast d+r+w   | 3     |      2 643 |     59 |     0.4 |
//! | full r+w+w   | 2     |        100 |     20 |     0.0 |
//! | full r+r+w   | 2     |         86 |     22 |     0.0 |
//!
//! With a budget of one, which is not recorded:
//!
//! | model        | bound | iterations | traces | seconds |
//! |--------------|-------|------------|--------|---------|
//! | r+w          | none  |         66 |      4 |     0.0 |
//! | r+r+w        | 3     |        469 |     56 |     0.0 |
//! | r+w+w        | 3     |        675 |     48 |     0.1 |
//! | w+w+w        | 3     |        613 |     48 |     0.0 |
//! | r+r+w+w      | 3     |     13 917 |    795 |     1.6 |
//! | d+r+r+w      | 3     |     44 032 |  1 204 |     4.2 |
//! | ww+w+r       | 3     |      2 783 |    162 |     0.2 |
//! | fast r+w     | 3     |         63 |      4 |     0.0 |
//! | fast w+w+w   | 2     |      6 937 |     48 |     0.5 |
//! | fast tw+r+w  | 2     |      8 927 |     32 |     0.7 |
//!
//! `lock_api`'s own calls, with the fast path, at most 3 preemptions; b: with a `bump`, f: with a fair unlock:
//!
//! | model           | iterations |
//! |-----------------|------------|
//! | r+w             |         63 |
//! | tr+tw+d         |        963 |
//! | budget, d+r+tw  |      1 643 |
//! | br+bw           |      3 460 |
//! | bw+f            |        538 |
//!
//! *fast*: with the fast path, and each spin one look. *full*: a word that one waiter fills, so that others yield and come again.
//!
//! The seconds are those of an idle machine with two processors, one test at a time.

mod budget;
mod face;
mod faults;
mod model;
mod schedules;
pub mod sys;
