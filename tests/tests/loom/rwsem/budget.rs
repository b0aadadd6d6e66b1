//! The lock with a budget of one: its models, each a path of the budget's machine, and faults of what the budget adds, each of which must
//! be found.

use interlock_rwlock::Kind;
use interlock_rwlock::layout::Budget;
use interlock_rwlock::rules::{BatchQueue, Rules};
use interlock_rwlock::word::{Action, Grant, WordOf};
use rusty_fork::rusty_fork_test;

use super::faults::{LOST_WAKE_UP, NOT_IN_THE_MACHINE, RACE};
use super::model::{Op::*, Programs, finds_with, holds_with};
use super::sys::*;

type One = Budget<1>;
type Word = WordOf<One>;
/// With the fast path, and each spin one look.
type Fast = LoomSys<NONE, true>;

const ONE_READER_TWO_WRITERS: Programs = &[&[Read], &[Write], &[Write]];
const TWO_READERS_ONE_WRITER: Programs = &[&[Read], &[Read], &[Write]];

/// Who looks in vain stays called.
struct StaysCalled;

impl Rules<One> for StaysCalled {
    fn miss(word: Word) -> Word {
        word
    }
}

/// Who leaves last sees to the waiters only if the budget is spent.
struct OnlyIfSpent;

impl Rules<One> for OnlyIfSpent {
    fn must_wake(word: Word) -> bool {
        word.must_wake() && word.is_closed()
    }
}

/// Who passes takes nothing from the budget.
struct PassesForNothing;

impl Rules<One> for PassesForNothing {
    fn enter(word: Word, kind: Kind) -> Option<Word> {
        let after = word.enter(kind)?;
        let passes = after.bits() - word.bits() - Word::unit(kind);
        Some(Word::from_bits(after.bits() - passes))
    }
}

/// An arrival passes between a release and its wake-up.
struct PassesTooSoon;

impl Rules<One> for PassesTooSoon {
    fn enter(word: Word, kind: Kind) -> Option<Word> {
        let passes = || Some(Word::from_bits(word.bits() + Word::unit(kind)));
        let open = word.must_wake() && !word.is_closed();
        word.enter(kind).or_else(|| open.then(passes).flatten())
    }
}

/// The first of a batch that looks takes the lock, and the others' number stays.
struct TakesAlone;

impl Rules<One> for TakesAlone {
    fn take(word: Word, grant: Grant) -> Option<Word> {
        let taken = word.take(grant)?;
        let (before, mut counts) = (word.counts(), taken.counts());
        if before.readers > 1 {
            counts.active = before.active + 1;
            counts.readers = before.readers - 1;
            return Some(word.miss().with_counts(counts));
        }
        Some(taken)
    }
}

/// Who takes the lock for its batch wakes nobody of it.
struct WakesNoBatch;

impl Rules<One> for WakesNoBatch {
    fn look(word: Word, grant: Grant) -> Option<(Word, Action, Option<Grant>)> {
        let (after, action, _) = BatchQueue::look(word, grant)?;
        Some((after, action, None))
    }
}

rusty_fork_test! {
    #[test]
    fn three_tasks_with_a_budget() {
        holds_with::<One, LoomSys, BatchQueue>("budget r+w", &[&[Read], &[Write]], None);
        holds_with::<One, LoomSys, BatchQueue>("budget r+r+w", &[&[Read], &[Read], &[Write]], Some(3));
        holds_with::<One, LoomSys, BatchQueue>("budget r+w+w", ONE_READER_TWO_WRITERS, Some(3));
        holds_with::<One, LoomSys, BatchQueue>("budget w+w+w", &[&[Write], &[Write], &[Write]], Some(3));
    }

    #[test]
    fn four_tasks_with_a_budget() {
        holds_with::<One, LoomSys, BatchQueue>("budget r+r+w+w", &[&[Read], &[Read], &[Write], &[Write]], Some(3));
        holds_with::<One, LoomSys, BatchQueue>("budget d+r+r+w", &[&[Downgrade], &[Read], &[Read], &[Write]], Some(3));
        holds_with::<One, LoomSys, BatchQueue>("budget ww+w+r", &[&[Write, Write], &[Write], &[Read]], Some(3));
    }

    #[test]
    fn the_fast_path_and_the_spins_with_a_budget() {
        holds_with::<One, Fast, BatchQueue>("budget, fast r+w", &[&[Read], &[Write]], Some(3));
        holds_with::<One, Fast, BatchQueue>("budget, fast w+w+w", &[&[Write], &[Write], &[Write]], Some(3));
        holds_with::<One, Fast, BatchQueue>("budget, fast tw+r+w", &[&[TryWrite], &[Read], &[Write]], Some(3));
    }

    #[test]
    fn faults_of_a_budget() {
        finds_with::<One, LoomSys, StaysCalled>("stays called", ONE_READER_TWO_WRITERS, Some(3), LOST_WAKE_UP);
        finds_with::<One, LoomSys, OnlyIfSpent>("calls nobody", ONE_READER_TWO_WRITERS, Some(3), LOST_WAKE_UP);
        finds_with::<One, LoomSys, PassesForNothing>("passes for nothing", ONE_READER_TWO_WRITERS, Some(3), NOT_IN_THE_MACHINE);
        finds_with::<One, LoomSys, PassesTooSoon>("passes too soon", ONE_READER_TWO_WRITERS, Some(3), NOT_IN_THE_MACHINE);
        finds_with::<One, LoomSys, TakesAlone>("takes alone", TWO_READERS_ONE_WRITER, Some(3), NOT_IN_THE_MACHINE);
        finds_with::<One, LoomSys, WakesNoBatch>("wakes no batch", TWO_READERS_ONE_WRITER, Some(3), LOST_WAKE_UP);
        finds_with::<One, LoomSys<RELAXED_TAKE>, BatchQueue>("Relaxed Take", ONE_READER_TWO_WRITERS, Some(3), RACE);
    }
}
