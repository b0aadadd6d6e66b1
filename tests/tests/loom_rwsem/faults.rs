//! Faults in the lock's orders, its waiting and its rules: each must be found.

use interlock::rwsem::machine::Kind;
use interlock::rwsem::protocol::{BatchQueue, Protocol};
use interlock::rwsem::word::{Counts, Grant, Word};

use crate::model::{Op::*, Programs, finds};
use crate::sys::*;

const ONE_READER_TWO_WRITERS: Programs = &[&[Read], &[Write], &[Write]];
const TWO_READERS_ONE_WRITER: Programs = &[&[Read], &[Read], &[Write]];
const TWO_READERS_TWO_WRITERS: Programs = &[&[Read], &[Read], &[Write], &[Write]];

const RACE: &[&str] = &["Causality violation"];
const LOST_WAKE_UP: &[&str] = &["deadlock"];
const NOT_IN_THE_MACHINE: &[&str] = &[
    "not enabled in the machine",
    "after, event",
    "before, event",
];

#[test]
fn relaxed_in_place_of_acquire() {
    finds::<LoomSys<RELAXED_ENTER>, BatchQueue>(
        "Relaxed Enter",
        ONE_READER_TWO_WRITERS,
        Some(3),
        RACE,
    );
    finds::<LoomSys<RELAXED_WAKE>, BatchQueue>(
        "Relaxed Wake",
        TWO_READERS_ONE_WRITER,
        Some(3),
        RACE,
    );
    finds::<LoomSys<RELAXED_GRANT>, BatchQueue>(
        "Relaxed grant",
        ONE_READER_TWO_WRITERS,
        Some(3),
        RACE,
    );
}

#[test]
fn relaxed_in_place_of_release() {
    finds::<LoomSys<RELAXED_RELEASE>, BatchQueue>(
        "Relaxed Release",
        ONE_READER_TWO_WRITERS,
        Some(3),
        RACE,
    );
    finds::<LoomSys<RELAXED_DOWNGRADE>, BatchQueue>(
        "Relaxed Downgrade",
        &[&[Downgrade], &[Read]],
        Some(3),
        RACE,
    );
    finds::<LoomSys<RELAXED_PUBLISH>, BatchQueue>(
        "Relaxed publication",
        ONE_READER_TWO_WRITERS,
        Some(3),
        RACE,
    );
}

#[test]
fn a_wake_up_before_the_grant_is_published() {
    finds::<LoomSys<WAKE_FIRST>, BatchQueue>(
        "wake first",
        ONE_READER_TWO_WRITERS,
        Some(3),
        LOST_WAKE_UP,
    );
}

#[test]
fn a_missed_check_before_sleeping() {
    finds::<LoomSys<NO_RECHECK>, BatchQueue>(
        "no re-check",
        ONE_READER_TWO_WRITERS,
        Some(3),
        LOST_WAKE_UP,
    );
}

/// Every reader that leaves hands the lock over, not only the last one.
struct DoubleHandOff;

impl Protocol for DoubleHandOff {
    fn must_wake(word: Word) -> bool {
        !word.is_write_held() && word.has_waiters()
    }
}

#[test]
fn a_double_hand_off() {
    let symptoms = [RACE, NOT_IN_THE_MACHINE].concat();
    finds::<LoomSys<NONE>, DoubleHandOff>(
        "double hand-off",
        TWO_READERS_ONE_WRITER,
        Some(3),
        &symptoms,
    );
}

/// A writer joins the running batch of writers although readers wait: rule 5 ignored.
struct LateWriter;

impl Protocol for LateWriter {
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

#[test]
fn a_late_writer_in_the_running_batch() {
    finds::<LoomSys<NONE>, LateWriter>(
        "late writer",
        ONE_READER_TWO_WRITERS,
        Some(3),
        NOT_IN_THE_MACHINE,
    );
}

/// A reader enters whenever no writer is inside, although writers wait.
struct ReaderOvertakes;

impl Protocol for ReaderOvertakes {
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

#[test]
fn a_reader_that_overtakes_a_waiting_writer() {
    finds::<LoomSys<NONE>, ReaderOvertakes>(
        "overtaking",
        TWO_READERS_ONE_WRITER,
        Some(3),
        NOT_IN_THE_MACHINE,
    );
    finds::<LoomSys<NONE>, ReaderOvertakes>(
        "overtaking",
        TWO_READERS_TWO_WRITERS,
        Some(3),
        NOT_IN_THE_MACHINE,
    );
}
