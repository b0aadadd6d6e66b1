//! Reader/writer semaphores: `specs/rwsem/Rwsem.tla`.

pub mod lock;
pub mod probe;
pub mod protocol;
pub mod sys;
pub mod word;

/// What a task wants the lock for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// To read: any number of readers share the lock.
    Reader,
    /// To write: a writer is alone inside.
    Writer,
}
