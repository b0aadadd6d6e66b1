//! loom sees each fault of the system.

use conformance::symptom::assert_found;
use interlock::range::policy::Policy;
use rusty_fork::rusty_fork_test;

use super::model::{Design, Op, run};
use super::sys::*;

const RACE: &str = "Causality violation";
const LOST_WAKE_UP: &str = "deadlock";

fn finds<const FAULT: u8>(name: &str, programs: &[&[Op]], symptom: &str) {
    let design = Design::Biased(Policy::TREE_FIFO);
    finds_in::<FAULT>(name, design, programs, symptom);
}

fn finds_in<const FAULT: u8>(name: &str, design: Design, programs: &[&[Op]], symptom: &str) {
    assert_found(name, &[symptom], || {
        run::<FAULT>(name, design, programs, Some(3));
    });
}

const WRITERS: &[&[Op]] = &[&[Op::Write(0..2)], &[Op::Write(1..3)]];
const READER_AND_WRITER: &[&[Op]] = &[&[Op::Read(0..2)], &[Op::Write(1..3)]];

rusty_fork_test! {
    #[test]
    fn a_gate_that_is_opened_before_it_is_said() {
        finds::<WAKE_FIRST>("wake first", WRITERS, LOST_WAKE_UP);
    }

    #[test]
    fn a_sleep_without_a_look() {
        finds::<NO_RECHECK>("no look before sleeping", WRITERS, LOST_WAKE_UP);
    }

    #[test]
    fn a_relaxed_gate() {
        finds::<RELAXED_PUBLISH>("Relaxed opening", WRITERS, RACE);
        finds::<RELAXED_SLEEP>("Relaxed coming through", WRITERS, RACE);
    }

    #[test]
    fn a_relaxed_word() {
        finds::<RELAXED_LEAVE>("Relaxed Leave", READER_AND_WRITER, RACE);
        finds::<RELAXED_CLOSE>("Relaxed Close", READER_AND_WRITER, RACE);
        // The last one passes on what another has read.
        let two_readers: &[&[Op]] = &[&[Op::Read(0..2)], &[Op::Read(1..3)], &[Op::Write(0..1)]];
        finds::<RELEASE_LEAVE>("Release Leave", two_readers, RACE);
        // The word is open again, and the reader has not seen the tree since.
        let again: &[&[Op]] = &[&[Op::Write(0..1), Op::Read(1..2)], &[Op::Read(0..1)]];
        finds::<RELAXED_ENTER>("Relaxed Enter", again, RACE);
        finds::<RELAXED_OPEN>("Relaxed Open", again, RACE);
    }

    #[test]
    fn a_waiter_that_gives_up_for_those_before_it() {
        // The one in the middle is let in beside the holder.
        let ops: &[&[Op]] = &[&[Op::Write(0..2)], &[Op::Write(0..1)], &[Op::TimedWrite(0..1)]];
        let design = Design::Tree(Policy::INTERRUPT_NO_SEQ);
        finds_in::<NONE>("InterruptNoSeq", design, ops, RACE);
    }

    #[test]
    fn a_grant_that_is_lost() {
        let ops: &[&[Op]] = &[&[Op::Write(0..2)], &[Op::TimedWrite(1..3)]];
        finds::<LOSES_GRANT>("a grant is lost", ops, "a range is left behind");
    }

    #[test]
    fn a_waiter_that_gives_up_and_wakes_nobody() {
        let ops: &[&[Op]] = &[&[Op::Read(0..1)], &[Op::TimedWrite(0..2)], &[Op::Read(1..2)]];
        let design = Design::Tree(Policy::TREE_FIFO);
        finds_in::<LEAVES_IN_SILENCE>("gives up in silence", design, ops, LOST_WAKE_UP);
    }

    #[test]
    fn a_word_that_stays_open() {
        finds::<STAYS_OPEN>("a word that stays open", READER_AND_WRITER, RACE);
    }

    #[test]
    fn a_reader_that_looks_before_it_counts() {
        let apart: &[&[Op]] = &[&[Op::Read(0..1)], &[Op::Write(1..2)]];
        finds::<LOOKS_FIRST>("a look before Enter", apart, "the last one ends a crowd");
    }
}
