//! The models, each with its bound and its figures: see the table in the head of the test.

use conformance::traces;
use conformance::wb_flusher_log::Wants;
use interlock::writeback::rules::{PerInode, Today};
use interlock_traces::machines::wb_plug::Invariant;

use rusty_fork::rusty_fork_test;

use super::model::{Model, Sight, holds, holds_as_traces};

/// All but the number of requests, which a plug for each inode does not bound.
const SAFE: &[Invariant] = &[
    Invariant::NoSleepUnderLock,
    Invariant::PreemptedPlugIsEmpty,
    Invariant::NobodyWaitsForUnissued,
    Invariant::NoIoUnderLock,
];

/// Nobody is throttled, nobody wants the processor; one thread syncs.
pub const PLAIN: Model = Model {
    wants: Wants::Never,
    sleeps: false,
    dirty: 2,
    two_sync: false,
    invariants: &Invariant::ALL,
};

/// Whoever dirties the second inode is throttled.
pub const THROTTLED: Model = Model { dirty: 1, ..PLAIN };

/// The flusher is preempted behind every inode.
pub const PREEMPTED: Model = Model {
    wants: Wants::Always,
    ..THROTTLED
};

rusty_fork_test! {
    #[test]
    fn neighbours_are_one_request() {
        holds_as_traces::<Today>("plain", PLAIN, 1, &[Sight::Merged], [2_143, 14, 14]);
    }

    #[test]
    fn two_threads_sync() {
        let model = Model {
            two_sync: true,
            ..PLAIN
        };
        holds::<Today>("two sync", model, 1, &[Sight::Merged], [90_472, 4]);
    }

    #[test]
    fn a_thread_is_throttled() {
        let sights = [Sight::Merged, Sight::WaitsForPlug, Sight::UnderLock];
        holds_as_traces::<Today>("throttled", THROTTLED, 1, &sights, [29_147, 39, 39]);
    }

    #[test]
    fn the_flusher_is_preempted() {
        let sights = [Sight::Broken, Sight::WaitsForPlug];
        let logs = holds_as_traces::<Today>("preempted", PREEMPTED, 1, &sights, [58_005, 97, 97]);
        traces::accepted_by_tlc("loom-writeback", "writeback", &logs);
    }

    #[test]
    fn the_flusher_sleeps() {
        let model = Model {
            sleeps: true,
            ..THROTTLED
        };
        holds_as_traces::<Today>("asleep", model, 1, &[Sight::Full], [56_325, 57, 57]);
    }

    #[test]
    fn each_inode_is_a_request() {
        let model = Model {
            invariants: SAFE,
            ..THROTTLED
        };
        holds_as_traces::<PerInode>("per inode", model, 1, &[Sight::Full], [57_187, 78, 78]);
    }

    #[test]
    #[ignore = "nightly: a minute"]
    fn neighbours_are_one_request_with_two_preemptions() {
        holds::<Today>("plain", PLAIN, 2, &[Sight::Merged], [200_460, 14]);
    }
}
