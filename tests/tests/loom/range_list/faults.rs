//! loom sees each fault of the system, and of memory that is weaker than the specification's.

use conformance::symptom::assert_found;
use interlock::range::list_policy::Policy;
use rusty_fork::rusty_fork_test;

use super::model::{Op, run};
use super::sys::{FREED_AT_ONCE, NO_FENCE, NO_RECHECK, RELAXED_MARK, RELAXED_REPLACE, WAKE_FIRST};

const RACE: &str = "Causality violation";
const LOST_WAKE_UP: &str = "deadlock";
const FREED: &str = "a node is looked at that has been freed";

fn finds<const FAULT: u8>(name: &str, policy: Policy, threads: &[&[Op]], symptom: &str) {
    assert_found(name, &[symptom], || {
        run::<FAULT>(name, policy, threads, Some(3));
    });
}

fn two_writers() -> [[Op; 1]; 2] {
    [[Op::Write(0..2)], [Op::Write(1..3)]]
}

rusty_fork_test! {
    #[test]
    fn a_mark_that_does_not_release() {
        let [a, b] = two_writers();
        finds::<RELAXED_MARK>("a relaxed mark", Policy::LIST_RW, &[&a, &b], RACE);
    }

    #[test]
    fn an_insertion_that_does_not_release() {
        let ops: [&[Op]; 3] = [&[Op::Write(2..3)], &[Op::Read(1..2)], &[Op::Read(0..3)]];
        finds::<RELAXED_REPLACE>("a relaxed insertion", Policy::LIST_RW, &ops, RACE);
    }

    /// The long reader and the writer have inserted themselves, and neither sees the other.
    #[test]
    fn no_fence_before_one_validates() {
        let ops: [&[Op]; 3] = [&[Op::Read(0..3)], &[Op::Read(1..2)], &[Op::Write(2..3)]];
        finds::<NO_FENCE>("no fence", Policy::LIST_RW, &ops, RACE);
    }

    #[test]
    fn a_node_that_is_freed_at_once() {
        let ops: [&[Op]; 3] = [&[Op::Write(0..1)], &[Op::Write(1..2)], &[Op::Write(2..3)]];
        finds::<FREED_AT_ONCE>("freed at once", Policy::LIST_RW, &ops, FREED);
    }

    #[test]
    fn a_futex_that_is_waited_at_without_a_look() {
        let [a, b] = two_writers();
        finds::<NO_RECHECK>("a node's gate", Policy::LIST_RW, &[&a, &b], LOST_WAKE_UP);
        finds::<NO_RECHECK>("a sleeper's gate", Policy::FREE_BSD_15, &[&a, &b], LOST_WAKE_UP);
    }

    #[test]
    fn waiters_that_are_woken_too_soon() {
        let [a, b] = two_writers();
        finds::<WAKE_FIRST>("a node's gate", Policy::LIST_RW, &[&a, &b], LOST_WAKE_UP);
        finds::<WAKE_FIRST>("a sleeper's gate", Policy::FREE_BSD_15, &[&a, &b], LOST_WAKE_UP);
    }

    /// Who comes while another has lost its patience waits for it, though no range here conflicts.
    #[test]
    fn a_gate_of_the_auxiliary_lock_that_is_waited_at_without_a_look() {
        let ops: [&[Op]; 3] = [&[Op::Write(0..1)], &[Op::Write(1..2)], &[Op::Write(2..3)]];
        finds::<NO_RECHECK>("the auxiliary lock's gate", Policy::LIST_IMPATIENT, &ops, LOST_WAKE_UP);
    }
}
