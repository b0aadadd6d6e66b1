//! Faults in the rules: each must be found.

use interlock::writeback::flusher_rules::Rules;
use interlock::writeback::plug_policy::Policy;

use crate::model::finds;
use crate::schedules::{PLAIN, PREEMPTED};

/// The plug stays as it is before a preemption.
struct KeepsPlug;

impl Rules for KeepsPlug {
    const POLICY: Policy = Policy::PLUG_OUTSIDE;
}

/// The list lock is held while the plug is finished.
struct FinishesUnderLock;

impl Rules for FinishesUnderLock {
    const POLICY: Policy = Policy::FINISH_UNDER_LOCK;
}

/// The plug is never finished: what is in it is lost.
struct NeverFinishes;

impl Rules for NeverFinishes {
    const POLICY: Policy = Policy::NEVER_FINISHED;
}

/// A completion wakes nobody.
struct WakesNobody;

impl Rules for WakesNobody {
    const POLICY: Policy = Policy::FLUSH_BEFORE_RESCHED;
    const COMPLETION_WAKES: bool = false;
}

/// A sync does not wait for what is in the plug.
struct SyncsPastPlug;

impl Rules for SyncsPastPlug {
    const POLICY: Policy = Policy::FLUSH_BEFORE_RESCHED;
    const SYNC_SEES_PLUG: bool = false;
}

const HANG: &str = "deadlock";
const LOST: &str = "is not on the device";

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
