//! The rules that a lock follows, as a type, so that tests can put a faulty one in.

use crate::kind::Kind;
use crate::word::{Grant, Word};

/// What happened to a task that arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// It has the lock.
    Entered,
    /// It waits for this grant.
    Queued(Grant),
    /// A field of the word is full: nothing has changed.
    Full,
}

/// The pure part of the lock: what each action makes of the word. The defaults are those of [`Word`].
///
/// What `Release` makes of the word is not among them: it is a subtraction.
pub trait Protocol {
    /// See [`Word::enter`].
    #[inline]
    fn enter(word: Word, kind: Kind) -> Option<Word> {
        word.enter(kind)
    }

    /// See [`Word::queue`].
    fn queue(word: Word, kind: Kind) -> Option<(Word, Grant)> {
        word.queue(kind)
    }

    /// An arrival: [`Protocol::enter`], or else [`Protocol::queue`].
    fn arrive(word: Word, kind: Kind) -> (Word, Arrival) {
        if let Some(after) = Self::enter(word, kind) {
            return (after, Arrival::Entered);
        }
        match Self::queue(word, kind) {
            Some((after, grant)) => (after, Arrival::Queued(grant)),
            None => (word, Arrival::Full),
        }
    }

    /// Must the task that has released the lock, which made the word this, go on to `Wake`? See [`Word::must_wake`].
    #[inline]
    fn must_wake(word: Word) -> bool {
        word.must_wake()
    }

    /// See [`Word::wake`].
    fn wake(word: Word) -> (Word, Option<Grant>) {
        word.wake()
    }

    /// See [`Word::downgrade`].
    fn downgrade(word: Word) -> (Word, Option<Grant>) {
        word.downgrade()
    }
}

/// The policy `BatchQueue` of `specs/rwsem/RwsemPolicies.tla`.
pub struct BatchQueue;

impl Protocol for BatchQueue {}
