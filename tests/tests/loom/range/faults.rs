//! loom sees each fault of the system.

use conformance::symptom::assert_found;
use interlock::range::policy::Policy;
use rusty_fork::rusty_fork_test;

use super::model::{Op, run};
use super::sys::{NO_LOOK, NO_WAIT, NOT_OPENED};

const RACE: &str = "Causality violation";
const LOST_WAKE_UP: &str = "deadlock";

fn finds<const FAULT: u8>(name: &str, symptom: &str) {
    assert_found(name, &[symptom], || {
        let ops = [Op::Write(0..2), Op::Write(1..3)];
        run::<FAULT>(name, Policy::TREE_FIFO, &ops, None);
    });
}

rusty_fork_test! {
    #[test]
    fn a_gate_that_is_not_opened() {
        finds::<NOT_OPENED>("a gate that is not opened", LOST_WAKE_UP);
    }

    #[test]
    fn a_wait_without_a_look() {
        finds::<NO_LOOK>("a wait without a look", LOST_WAKE_UP);
    }

    #[test]
    fn no_wait() {
        finds::<NO_WAIT>("no wait", RACE);
    }
}
