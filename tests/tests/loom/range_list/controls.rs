//! loom finds each control of the specification by what it does: exclusion is a race, a deadlock is one, and a live-lock begins when
//! two retreat from each other.

use conformance::symptom::assert_found;
use interlock::range::list_policy::{Ends, Policy};
use rusty_fork::rusty_fork_test;

use super::model::{Op, run};
use super::sys::{NONE, SWAPS_MARKED};

const RACE: &str = "Causality violation";
const DEADLOCK: &str = "deadlock";
const BOTH_RETREAT: &str = "they retreat from each other";
const NOT_LISTED: &str = "a node that is not marked is not in the list";

fn finds<const FAULT: u8>(name: &str, policy: Policy, threads: &[&[Op]], symptoms: &[&str]) {
    assert_found(name, symptoms, || {
        run::<FAULT>(name, policy, threads, Some(3));
    });
}

/// A long reader comes before a short one while a writer comes behind that.
fn behind() -> [[Op; 1]; 3] {
    [[Op::Read(0..3)], [Op::Read(1..2)], [Op::Write(2..3)]]
}

rusty_fork_test! {
    #[test]
    fn no_reader_validate() {
        let [r, x, w] = behind();
        finds::<NONE>("NoReaderValidate", Policy::NO_READER_VALIDATE, &[&r, &x, &w], &[RACE]);
    }

    #[test]
    fn no_writer_validate() {
        let [r, x, w] = behind();
        finds::<NONE>("NoWriterValidate", Policy::NO_WRITER_VALIDATE, &[&r, &x, &w], &[RACE]);
    }

    #[test]
    fn both_wait() {
        let [r, x, w] = behind();
        finds::<NONE>("BothWait", Policy::BOTH_WAIT, &[&r, &x, &w], &[DEADLOCK]);
    }

    #[test]
    fn both_retreat() {
        let [r, x, w] = behind();
        finds::<NONE>("BothRetreat", Policy::BOTH_RETREAT, &[&r, &x, &w], &[BOTH_RETREAT]);
    }

    #[test]
    fn sleep_no_recheck() {
        let pair: [&[Op]; 2] = [&[Op::Read(0..1)], &[Op::Write(0..1)]];
        finds::<NONE>("SleepNoRecheck", Policy::SLEEP_NO_RECHECK, &pair, &[DEADLOCK]);
    }

    /// Two that touch conflict: who holds both waits for itself.
    #[test]
    fn ends_strictly() {
        let policy = Policy { ends: Ends::Strictly, ..Policy::LIST_RW };
        let ops: [&[Op]; 2] = [&[Op::Read(2..3)], &[Op::Both(0..1, 1..2)]];
        finds::<NONE>("EndsStrictly", policy, &ops, &[DEADLOCK]);
    }

    #[test]
    fn ends_laxly() {
        let policy = Policy { ends: Ends::Laxly, ..Policy::LIST_RW };
        finds::<NONE>("EndsLaxly", policy, &[&[Op::Write(0..2)], &[Op::Write(1..2)]], &[RACE]);
    }

    /// A node that is inserted behind a marked one is not in the list, where others find it.
    #[test]
    fn swaps_marked() {
        let [r, x, w] = behind();
        finds::<SWAPS_MARKED>("SwapsMarked", Policy::LIST_RW, &[&r, &x, &w], &[RACE, NOT_LISTED]);
    }
}
