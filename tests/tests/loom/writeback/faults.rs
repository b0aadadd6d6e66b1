//! Faults in the rules: each must be found.

use conformance::wb_flusher_rules::{
    FinishesUnderLock, KeepsPlug, NeverFinishes, SyncsPastPlug, WakesNobody,
};

use rusty_fork::rusty_fork_test;

use super::model::finds;
use super::schedules::{PLAIN, PREEMPTED};

const HANG: &str = "deadlock";
const LOST: &str = "is not on the device";

rusty_fork_test! {
    #[test]
    fn a_plug_that_outlives_a_preemption() {
        finds::<KeepsPlug>(
            "keeps the plug",
            PREEMPTED,
            2,
            "PreemptedPlugIsEmpty is broken",
        );
    }

    #[test]
    fn a_plug_that_is_finished_under_the_lock() {
        finds::<FinishesUnderLock>("under the lock", PLAIN, 2, "NoIoUnderLock is broken");
    }

    /// The pass ends, and its sync returns.
    #[test]
    fn a_plug_that_is_never_finished() {
        finds::<NeverFinishes>("never finished", PLAIN, 2, LOST);
    }

    #[test]
    fn a_completion_that_wakes_nobody() {
        finds::<WakesNobody>("wakes nobody", PLAIN, 2, HANG);
    }

    #[test]
    fn a_sync_past_the_plug() {
        finds::<SyncsPastPlug>("past the plug", PLAIN, 2, LOST);
    }
}
