//! The models, each with its figures.

use interlock::range::policy::Policy;
use rusty_fork::rusty_fork_test;

use super::model::{Design, Op, run};
use super::sys::NONE;
use crate::explored::Figures;

const FIFO: Design = Design::Tree(Policy::TREE_FIFO);
const BIASED: Design = Design::Biased(Policy::TREE_FIFO);

fn holds(
    name: &str,
    design: Design,
    programs: &[&[Op]],
    preemptions: Option<usize>,
    figures: (usize, usize),
) {
    let (iterations, paths) = figures;
    let found = run::<NONE>(name, design, programs, preemptions);
    assert_eq!(found, Figures { iterations, paths }, "{name}");
}

rusty_fork_test! {
    #[test]
    fn a_wide_range_and_two_in_it() {
        let ops: [&[Op]; 3] = [&[Op::Write(0..2)], &[Op::Write(0..1)], &[Op::Write(1..2)]];
        holds("W+a+b", FIFO, &ops, Some(3), (835, 6));
        holds("W+a+b, passing", Design::Tree(Policy::PASS_ONE), &ops, Some(3), (831, 6));
    }

    #[test]
    fn readers_and_a_writer() {
        let ops: [&[Op]; 3] = [&[Op::Read(0..2)], &[Op::Read(1..3)], &[Op::Write(1..2)]];
        holds("r+r+w", FIFO, &ops, Some(3), (839, 6));
    }

    #[test]
    fn a_range_that_is_parted() {
        let ops: [&[Op]; 3] = [&[Op::Split(0..3, 1)], &[Op::Write(0..1)], &[Op::Read(1..3)]];
        holds("split+w+r", FIFO, &ops, Some(3), (2034, 6));
        let ops: [&[Op]; 3] = [&[Op::Shrink(0..3, 1..2)], &[Op::Write(0..1)], &[Op::Read(1..3)]];
        holds("shrink+w+r", FIFO, &ops, Some(3), (1222, 6));
    }

    #[test]
    fn a_writer_that_goes_on_as_a_reader() {
        let ops: [&[Op]; 3] = [&[Op::Downgrade(0..2)], &[Op::Read(1..3)], &[Op::TryWrite(2..3)]];
        holds("downgrade+r+try", FIFO, &ops, Some(3), (632, 8));
    }

    /// It gives up at once or at any later moment, or is granted its range before.
    #[test]
    fn a_waiter_that_gives_up() {
        let ops: [&[Op]; 2] = [&[Op::Write(0..2)], &[Op::TimedWrite(1..3)]];
        holds("w+timed w", FIFO, &ops, None, (57, 3));
        // Who comes behind it is let in by it, or waits for the holder too.
        let ops: [&[Op]; 3] = [&[Op::Read(0..1)], &[Op::TimedWrite(0..2)], &[Op::Read(1..2)]];
        holds("r+timed w+r", FIFO, &ops, Some(3), (787, 8));
        // Who comes before it waits for the holder still.
        let ops: [&[Op]; 3] = [&[Op::Write(0..2)], &[Op::Write(0..1)], &[Op::TimedRead(0..1)]];
        holds("w+w+timed r", FIFO, &ops, Some(3), (800, 8));
        holds("w+w+timed r, passing", Design::Tree(Policy::PASS_ONE), &ops, Some(3), (800, 8));
    }

    #[test]
    fn a_waiter_that_gives_up_beside_the_word() {
        let ops: [&[Op]; 3] = [&[Op::Read(0..2)], &[Op::TimedWrite(1..3)], &[Op::TimedRead(1..2)]];
        holds("r+timed w+timed r, biased", BIASED, &ops, Some(3), (581, 11));
    }

    #[test]
    fn readers_that_a_word_counts() {
        let ops: [&[Op]; 3] = [&[Op::Read(0..2)], &[Op::Read(1..3)], &[Op::Write(1..2)]];
        holds("r+r+w, biased", BIASED, &ops, Some(3), (651, 6));
        holds("r+r+w, biased, passing", Design::Biased(Policy::PASS_ONE), &ops, Some(3), (624, 6));
        let ops: [&[Op]; 3] = [&[Op::Read(0..2), Op::Read(1..2)], &[Op::Write(1..3)], &[Op::Write(0..1), Op::Read(0..1)]];
        holds("rr+w+wr, biased", BIASED, &ops, Some(3), (4_507, 28));
    }

    #[test]
    fn a_reader_that_is_counted_and_parts_its_range() {
        let ops: [&[Op]; 3] = [&[Op::SplitRead(0..2, 1)], &[Op::Write(0..1)], &[Op::Write(1..2)]];
        holds("split read+w+w, biased", BIASED, &ops, Some(3), (2351, 6));
    }

    #[test]
    fn who_does_not_wait_beside_the_word() {
        let ops: [&[Op]; 3] = [&[Op::TryRead(0..2), Op::Read(0..1)], &[Op::TryWrite(1..3)], &[Op::Downgrade(0..2)]];
        holds("try r r+try w+downgrade, biased", BIASED, &ops, Some(3), (1757, 20));
    }
}
