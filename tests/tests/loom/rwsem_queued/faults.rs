//! loom sees each fault of the system and of the rules.

use conformance::queued_faults::*;
use conformance::symptom::assert_found;
use interlock_rwlock::queued::Mode::{self, Read, Write};
use interlock_rwlock::queued::rules::{Queued, Rules};
use rusty_fork::rusty_fork_test;

use super::model::{Op, run};
use super::sys::*;

const RACE: &str = "Causality violation";
const LOST_WAKE_UP: &str = "deadlock";

fn finds<const FAULT: u8, R: Rules>(
    name: &str,
    beside: Option<Mode>,
    programs: &[&[Op]],
    symptom: &str,
) where
    LoomSys<FAULT, R>: Send + Sync,
{
    assert_found(name, &[symptom], || {
        run::<FAULT, R>(name, beside, programs, &[], Some(3));
    });
}

const WRITERS: &[&[Op]] = &[&[Op::Take(Write)], &[Op::Take(Write)]];
const FUTURE: &[&[Op]] = &[&[Op::Take(Write)], &[Op::Dropped(Write)]];

rusty_fork_test! {
    #[test]
    fn a_relaxed_gate() {
        finds::<RELAXED_OPEN, Queued>("Relaxed opening", None, WRITERS, RACE);
        finds::<RELAXED_COME, Queued>("Relaxed coming through", None, WRITERS, RACE);
        finds::<RELAXED_OPEN, Queued>("Relaxed opening, a future", None, FUTURE, RACE);
        finds::<RELAXED_COME, Queued>("Relaxed coming through, a future", None, FUTURE, RACE);
    }

    #[test]
    fn a_sleeper_that_is_not_woken() {
        finds::<NOT_WOKEN, Queued>("not woken", None, WRITERS, LOST_WAKE_UP);
    }

    #[test]
    fn a_give_up_that_lets_nobody_in() {
        let ops: &[&[Op]] = &[&[Op::Timed(Write)], &[Op::Take(Read)]];
        finds::<NONE, GivesUpInSilence>("in silence", Some(Read), ops, LOST_WAKE_UP);
    }

    #[test]
    fn a_give_up_that_lets_the_first_in() {
        let ops: &[&[Op]] = &[&[Op::Timed(Write)], &[Op::Take(Write)]];
        finds::<NONE, LetsFirstIn>("first", None, &[ops[0], ops[1], &[Op::Take(Read)]], RACE);
    }

    #[test]
    fn an_upgrade_that_stands_in_line() {
        let ops: &[&[Op]] = &[&[Op::Upgrade], &[Op::Take(Write)], &[Op::Take(Read)]];
        finds::<NONE, UpgradesInLine>("in line", None, ops, LOST_WAKE_UP);
    }
}
