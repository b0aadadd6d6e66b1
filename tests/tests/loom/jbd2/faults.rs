//! Faults in the rules: each must be found.

use interlock::jbd2::machine::{Credits, Load};
use interlock::jbd2::numbers::Numbers;
use interlock::jbd2::policy::Policy;
use interlock::jbd2::rules::{Event, Queue, Release, Rules};

use rusty_fork::rusty_fork_test;

use super::model::{Model, finds};
use super::schedules::{reserved, room, space};

fn all(release: &Release<'_>) -> Vec<usize> {
    (0..release.waiting()).collect()
}

/// A release wakes nobody.
struct WakesNobody;

impl Rules for WakesNobody {
    const POLICY: Policy = Policy::UPSTREAM;

    fn wakes(_: &Release<'_>) -> Vec<usize> {
        Vec::new()
    }
}

/// A release wakes the first only.
struct WakesOne;

impl Rules for WakesOne {
    const POLICY: Policy = Policy::UPSTREAM;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        (0..release.waiting().min(1)).collect()
    }
}

/// Credits are handed to who came last.
struct LastFirst;

impl Rules for LastFirst {
    const POLICY: Policy = Policy::HAND_OVER;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        (release.waiting() - release.fitting()..release.waiting()).collect()
    }
}

/// A commit does not wake those who wait for it.
struct CommitWakesNobody;

impl Rules for CommitWakesNobody {
    const POLICY: Policy = Policy::UPSTREAM;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        all(release)
    }

    fn woken_by(event: Event) -> &'static [Queue] {
        match event {
            Event::Flushed | Event::Ended => &[],
            Event::Asked | Event::Stopped | Event::Over => event.wakes(),
        }
    }
}

/// A start that fails the second test leaves its credits behind.
struct LeaksCredits;

impl Rules for LeaksCredits {
    const POLICY: Policy = Policy::UPSTREAM;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        all(release)
    }

    fn undo(_: &mut Numbers, _: Credits, _: Credits) {}
}

/// A commit is waited for with j_checkpoint_mutex, which it needs itself (up to 5.1).
struct HoldsMutex;

impl Rules for HoldsMutex {
    const POLICY: Policy = Policy::CKPT_HOLDS_MUTEX;

    fn wakes(release: &Release<'_>) -> Vec<usize> {
        all(release)
    }
}

const HANG: &str = "deadlock";

rusty_fork_test! {
    #[test]
    fn a_release_that_wakes_nobody() {
        finds::<WakesNobody>("wakes nobody", &reserved(2), 2, HANG);
    }

    /// The first is a plain handle that waits until less is reserved: it gives nothing back that would wake the next.
    #[test]
    fn a_release_that_wakes_one() {
        let reserved = reserved(2);
        let model = Model {
            load: Load {
                plain: 1,
                cost: 12,
                ..reserved.load
            },
            ..reserved
        };
        finds::<WakesOne>("wakes one", &model, 2, HANG);
    }

    #[test]
    fn credits_for_the_last_to_come() {
        finds::<LastFirst>("last first", &reserved(3), 2, "queue differs");
    }

    #[test]
    fn a_commit_that_wakes_nobody() {
        finds::<CommitWakesNobody>("commit wakes nobody", &room(), 2, HANG);
    }

    #[test]
    fn credits_left_behind_by_a_failed_test() {
        finds::<LeaksCredits>("leaks credits", &room(), 2, "running differs");
    }

    #[test]
    fn a_commit_that_needs_a_mutex_of_its_waiter() {
        finds::<HoldsMutex>("holds the mutex", &space(), 2, HANG);
    }
}
