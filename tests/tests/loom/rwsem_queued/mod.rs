//! Every schedule of small programs on the lock with a queue of names, under loom: what the lock guards is one of loom's cells, and a lost
//! wake-up is a deadlock. A wait that may end does so as soon as it looks, so that the schedule says when. Iterations are asserted,
//! and that a give-up and a grant each come first sometimes.

mod faults;
mod model;
mod schedules;
mod sys;
