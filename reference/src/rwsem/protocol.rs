//! The rules that a lock follows, as a type, so that tests can put a faulty one in.

use super::machine::Kind;
use super::word::{Grant, Word};

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

/// The policy `BatchQueue` of `specs/rwsem/Policies.tla`.
pub struct BatchQueue;

impl Protocol for BatchQueue {}
