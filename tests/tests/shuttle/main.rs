//! Random schedules of the reference's locks, files, journals and flushers under shuttle, a module a protocol: more threads and longer
//! programs than loom explores. shuttle assumes sequential consistency: the orders are loom's matter.

mod dio;
mod dio_panics;
mod flusher;
mod journal;
mod queued;
mod range;
mod rwsem;
mod sys;
