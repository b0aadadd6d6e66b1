//! The models, each with its figures.

use interlock_rwlock::queued::Mode::{self, Read, Upgradable, Write};
use interlock_rwlock::queued::rules::Queued;
use rusty_fork::rusty_fork_test;

use super::model::Sight::{self, GaveUp, Got, GotLate};
use super::model::{Op, run};
use super::sys::NONE;
use crate::explored::Figures;

fn holds(
    name: &str,
    beside: Option<Mode>,
    programs: &[&[Op]],
    sights: &[(usize, Sight)],
    figures: (usize, usize),
) {
    let (iterations, paths) = figures;
    let threads = programs.len() + usize::from(beside.is_some());
    let preemptions = (threads > 2).then_some(3);
    let found = run::<NONE, Queued>(name, beside, programs, sights, preemptions);
    assert_eq!(found, Figures { iterations, paths }, "{name}");
}

rusty_fork_test! {
    #[test]
    fn a_give_up_against_a_grant() {
        let ops: &[&[Op]] = &[&[Op::Take(Write)], &[Op::Timed(Write)]];
        holds("W+w", None, ops, &[(1, Got(Write)), (1, GaveUp)], (181, 3));
        let ops: &[&[Op]] = &[&[Op::Take(Write)], &[Op::Timed(Write)], &[Op::Take(Read)]];
        holds("W+w+R", None, ops, &[(1, Got(Write)), (1, GaveUp)], (1424, 10));
    }

    #[test]
    fn a_writer_that_gives_up_beside_a_reader() {
        let ops: &[&[Op]] = &[&[Op::Timed(Write)], &[Op::Take(Read)]];
        holds("w+R beside r", Some(Read), ops, &[(0, GaveUp)], (99, 2));
    }

    #[test]
    fn an_upgrade_beside_readers_and_a_queue() {
        let ops: &[&[Op]] = &[&[Op::Upgrade], &[Op::Take(Read)], &[Op::Take(Write)]];
        holds("U+R+W", None, ops, &[(0, Got(Write))], (3623, 6));
        let ops: &[&[Op]] = &[&[Op::Upgrade], &[Op::Upgrade]];
        holds("U+U", None, ops, &[], (801, 2));
    }

    #[test]
    fn an_upgrade_that_is_given_up() {
        let ops: &[&[Op]] = &[&[Op::TimedUpgrade], &[Op::Take(Read)]];
        let sights = [(0, Got(Write)), (0, Got(Upgradable))];
        holds("u+R", None, ops, &sights, (327, 3));
        holds("u+R beside r", Some(Read), ops, &[(0, Got(Upgradable))], (152, 2));
    }

    #[test]
    fn downgrades() {
        let ops: &[&[Op]] = &[&[Op::Downgrade], &[Op::Take(Read)], &[Op::Take(Upgradable)]];
        holds("D+R+U", None, ops, &[], (3480, 6));
    }

    #[test]
    fn futures() {
        let ops: &[&[Op]] = &[&[Op::Take(Write)], &[Op::Future(Write)]];
        holds("W+F", None, ops, &[(1, Got(Write)), (1, GotLate(Write))], (127, 3));
        let ops: &[&[Op]] = &[&[Op::Take(Write)], &[Op::Dropped(Write)], &[Op::Future(Read)]];
        let sights = [(1, Got(Write)), (1, GotLate(Write)), (1, GaveUp)];
        holds("W+f+F", None, ops, &sights, (904, 22));
    }
}
