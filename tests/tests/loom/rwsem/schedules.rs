//! The models, each with its bound and its figures: see the table in the head of the test.

use conformance::traces;

use interlock_rwlock::Kind;
use interlock_rwlock::rules::{BatchQueue, Rules};
use interlock_rwlock::word::{Grant, Word};
use rusty_fork::rusty_fork_test;

use super::model::{Op::*, holds};
use super::sys::{LoomSys, NONE};

/// With the fast path, and each spin one look.
type Fast = LoomSys<NONE, true>;

/// `BatchQueue` in a word that is full when one waits.
struct OneWaits;

impl Rules for OneWaits {
    fn queue(word: Word, kind: Kind) -> Option<(Word, Grant)> {
        if word.has_waiters() {
            None
        } else {
            word.queue(kind)
        }
    }
}

rusty_fork_test! {
    #[test]
    fn three_tasks() {
        holds::<LoomSys, BatchQueue>("r+r+w", &[&[Read], &[Read], &[Write]], Some(4));
        holds::<LoomSys, BatchQueue>("r+w+w", &[&[Read], &[Write], &[Write]], Some(4));
        holds::<LoomSys, BatchQueue>("w+w+w", &[&[Write], &[Write], &[Write]], Some(4));
    }

    #[test]
    fn four_tasks() {
        holds::<LoomSys, BatchQueue>(
            "r+r+w+w",
            &[&[Read], &[Read], &[Write], &[Write]],
            Some(3));
        holds::<LoomSys, BatchQueue>(
            "r+w+w+w",
            &[&[Read], &[Write], &[Write], &[Write]],
            Some(3));
    }

    #[test]
    fn two_operations() {
        holds::<LoomSys, BatchQueue>(
            "rr+r+ww",
            &[&[Read, Read], &[Read], &[Write, Write]],
            Some(3));
        let recorded = holds::<LoomSys, BatchQueue>(
            "rw+w+r",
            &[&[Read, Write], &[Write], &[Read]],
            Some(3));
        traces::accepted_by_tlc("loom-rwsem", "rwsem", &recorded);
    }

    #[test]
    #[ignore = "nightly: a quarter of a minute"]
    fn two_operations_and_three_beside() {
        holds::<LoomSys, BatchQueue>(
            "rw+w+w+r",
            &[&[Read, Write], &[Write], &[Write], &[Read]],
            Some(3));
    }

    #[test]
    fn downgrade() {
        holds::<LoomSys, BatchQueue>(
            "d+r+d",
            &[&[Downgrade], &[Read], &[Downgrade]],
            Some(3));
        holds::<LoomSys, BatchQueue>(
            "d+r+r+w",
            &[&[Downgrade], &[Read], &[Read], &[Write]],
            Some(3));
    }

    #[test]
    fn try_under_contention() {
        holds::<LoomSys, BatchQueue>(
            "tr tw+w+tw+r",
            &[&[TryRead, TryWrite], &[Write], &[TryWrite], &[Read]],
            Some(3));
    }

    #[test]
    fn the_fast_path_and_the_spins() {
        holds::<Fast, BatchQueue>("fast r+w", &[&[Read], &[Write]], None);
        holds::<Fast, BatchQueue>("fast r+r+w", &[&[Read], &[Read], &[Write]], Some(3));
        holds::<Fast, BatchQueue>("fast r+w+w", &[&[Read], &[Write], &[Write]], Some(3));
        holds::<Fast, BatchQueue>("fast d+r+w", &[&[Downgrade], &[Read], &[Write]], Some(3));
    }

    #[test]
    fn a_word_that_is_full() {
        holds::<LoomSys, OneWaits>("full r+w+w", &[&[Read], &[Write], &[Write]], Some(2));
        holds::<LoomSys, OneWaits>("full r+r+w", &[&[Read], &[Read], &[Write]], Some(2));
    }
}
