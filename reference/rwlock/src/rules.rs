//! The rules that a lock follows, as a type, so that tests can put a faulty one in.

use crate::kind::Kind;
use crate::layout::{Layout, NoBudget};
use crate::word::{Action, Grant, WordOf};

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

/// The pure part of the lock: what each action makes of the word. The defaults are those of [`WordOf`].
///
/// What `Release` makes of the word is not among them: it is a subtraction.
pub trait Rules<L: Layout = NoBudget> {
    /// See [`WordOf::enter`].
    #[inline]
    fn enter(word: WordOf<L>, kind: Kind) -> Option<WordOf<L>> {
        word.enter(kind)
    }

    /// See [`WordOf::queue`].
    fn queue(word: WordOf<L>, kind: Kind) -> Option<(WordOf<L>, Grant)> {
        word.queue(kind)
    }

    /// An arrival: [`Rules::enter`], or else [`Rules::queue`].
    fn arrive(word: WordOf<L>, kind: Kind) -> (WordOf<L>, Arrival) {
        if let Some(after) = Self::enter(word, kind) {
            return (after, Arrival::Entered);
        }
        match Self::queue(word, kind) {
            Some((after, grant)) => (after, Arrival::Queued(grant)),
            None => (word, Arrival::Full),
        }
    }

    /// Must the task that has released the lock, which made the word this, go on to `Wake`? See [`WordOf::must_wake`].
    #[inline]
    fn must_wake(word: WordOf<L>) -> bool {
        word.must_wake()
    }

    /// See [`WordOf::wake`].
    fn wake(word: WordOf<L>) -> (WordOf<L>, Option<Grant>) {
        word.wake()
    }

    /// See [`WordOf::rouse`].
    fn rouse(word: WordOf<L>) -> Option<(WordOf<L>, Grant)> {
        word.rouse()
    }

    /// What a task does that must see to the waiters: [`Rules::rouse`], or else [`Rules::wake`]. Whoever waits for the grant is to
    /// be woken.
    fn see_to(word: WordOf<L>) -> (WordOf<L>, Action, Option<Grant>) {
        match Self::rouse(word) {
            Some((after, head)) => (after, Action::Rouse, Some(head)),
            None => {
                let (after, granted) = Self::wake(word);
                (after, Action::Wake, granted)
            }
        }
    }

    /// See [`WordOf::take`].
    fn take(word: WordOf<L>, grant: Grant) -> Option<WordOf<L>> {
        word.take(grant)
    }

    /// See [`WordOf::miss`].
    fn miss(word: WordOf<L>) -> WordOf<L> {
        word.miss()
    }

    /// What a task does that waits for this grant and looks, if it is called: [`Rules::take`], or else [`Rules::miss`]. A reader
    /// that takes the lock does so for its batch, which is to be woken.
    fn look(word: WordOf<L>, grant: Grant) -> Option<(WordOf<L>, Action, Option<Grant>)> {
        match Self::take(word, grant) {
            Some(after) => {
                let wakes = matches!(grant, Grant::Readers(_)).then_some(grant);
                Some((after, Action::Take, wakes))
            }
            None if word.calls(grant) => Some((Self::miss(word), Action::Miss, None)),
            None => None,
        }
    }

    /// See [`WordOf::downgrade`].
    fn downgrade(word: WordOf<L>) -> (WordOf<L>, Option<Grant>) {
        word.downgrade()
    }
}

/// The policy `BatchQueue` of `specs/rwsem/RwsemPolicies.tla`, with the budget of the layout.
pub struct BatchQueue;

impl<L: Layout> Rules<L> for BatchQueue {}
