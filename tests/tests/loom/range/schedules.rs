//! The models, each with its figures.

use interlock::range::policy::Policy;
use rusty_fork::rusty_fork_test;

use super::model::{Op, run};
use super::sys::NONE;
use crate::explored::Figures;

fn holds(
    name: &str,
    policy: Policy,
    ops: &[Op],
    preemptions: Option<usize>,
    figures: (usize, usize),
) {
    let (iterations, paths) = figures;
    let found = run::<NONE>(name, policy, ops, preemptions);
    assert_eq!(found, Figures { iterations, paths }, "{name}");
}

rusty_fork_test! {
    #[test]
    fn a_wide_range_and_two_in_it() {
        let ops = [Op::Write(0..2), Op::Write(0..1), Op::Write(1..2)];
        holds("W+a+b", Policy::TREE_FIFO, &ops, Some(3), (474, 6));
        holds("W+a+b, passing", Policy::PASS_ONE, &ops, Some(3), (477, 6));
    }

    #[test]
    fn readers_and_a_writer() {
        let ops = [Op::Read(0..2), Op::Read(1..3), Op::Write(1..2)];
        holds("r+r+w", Policy::TREE_FIFO, &ops, Some(3), (373, 6));
    }

    #[test]
    fn a_range_that_is_parted() {
        let ops = [Op::Split(0..3, 1), Op::Write(0..1), Op::Read(1..3)];
        holds("split+w+r", Policy::TREE_FIFO, &ops, Some(3), (1_169, 6));
        let ops = [Op::Shrink(0..3, 1..2), Op::Write(0..1), Op::Read(1..3)];
        holds("shrink+w+r", Policy::TREE_FIFO, &ops, Some(3), (732, 6));
    }

    #[test]
    fn a_writer_that_goes_on_as_a_reader() {
        let ops = [Op::Downgrade(0..2), Op::Read(1..3), Op::TryWrite(2..3)];
        holds("downgrade+r+try", Policy::TREE_FIFO, &ops, Some(3), (476, 8));
    }
}
