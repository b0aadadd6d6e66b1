//! Rules that a lock must not follow: what the checks must find.

use interlock_rwlock::Kind;
use interlock_rwlock::rules::Rules;
use interlock_rwlock::word::{Counts, Grant, Word};

/// Every reader that leaves hands the lock over, not only the last one.
pub struct DoubleHandOff;

impl Rules for DoubleHandOff {
    fn must_wake(word: Word) -> bool {
        !word.is_write_held() && word.has_waiters()
    }
}

/// A writer joins the running batch of writers although readers wait: rule 5 ignored.
pub struct LateWriter;

impl Rules for LateWriter {
    fn queue(word: Word, kind: Kind) -> Option<(Word, Grant)> {
        let (after, grant) = word.queue(kind)?;
        let counts = after.counts();
        if kind == Kind::Writer && word.is_write_held() && counts.behind > 0 {
            let joined = Counts {
                ahead: counts.ahead + 1,
                behind: counts.behind - 1,
                ..counts
            };
            return Some((after.with_counts(joined), grant));
        }
        Some((after, grant))
    }
}

/// A reader enters whenever no writer is inside, although writers wait.
pub struct ReaderOvertakes;

impl Rules for ReaderOvertakes {
    fn enter(word: Word, kind: Kind) -> Option<Word> {
        let counts = word.counts();
        if kind == Kind::Reader && counts.active > 0 {
            return Some(word.with_counts(Counts {
                active: counts.active + 1,
                ..counts
            }));
        }
        word.enter(kind)
    }
}
