//! Rules of a flusher that are none of Linux's of today: variants that were tried, and faults.

use interlock::writeback::plug_policy::Policy;
use interlock::writeback::rules::{Rules, Today, Unwritten};

/// The plug stays as it is before a preemption.
pub struct KeepsPlug;

impl Rules for KeepsPlug {
    const POLICY: Policy = Policy::PLUG_OUTSIDE;
}

/// The list lock is held while the plug is finished.
pub struct FinishesUnderLock;

impl Rules for FinishesUnderLock {
    const POLICY: Policy = Policy::FINISH_UNDER_LOCK;
}

/// The plug is never finished: what is in it is lost.
pub struct NeverFinishes;

impl Rules for NeverFinishes {
    const POLICY: Policy = Policy::NEVER_FINISHED;
}

/// A completion wakes nobody.
pub struct WakesNobody;

impl Rules for WakesNobody {
    const POLICY: Policy = Policy::FLUSH_BEFORE_RESCHED;

    fn completed(_: impl FnOnce()) {}
}

/// A sync does not wait for what is in the plug.
pub struct SyncsPastPlug;

impl Rules for SyncsPastPlug {
    const POLICY: Policy = Policy::FLUSH_BEFORE_RESCHED;

    fn is_written(unwritten: &Unwritten, write: u64) -> bool {
        let unplugged = Unwritten {
            plug: None,
            ..*unwritten
        };
        Today::is_written(&unplugged, write)
    }
}

/// The list lock is dropped to finish the plug, which is begun under it.
pub struct DropsLock;

impl Rules for DropsLock {
    const POLICY: Policy = Policy::DROP_RETAKE;
}

/// The plug stays as it is before a sleep.
pub struct SleepsWithPlug;

impl Rules for SleepsWithPlug {
    const POLICY: Policy = Policy::SLEEP_KEEPS_PLUG;
}
