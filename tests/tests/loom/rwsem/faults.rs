//! Faults in the lock's orders, its waiting and its rules: each must be found.
//!
//! Every `Ordering` of the crate's `lock.rs`, and the weaker one that is found in its place:
//!
//! | where                 | step                      | order   | its fault            |
//! |-----------------------|---------------------------|---------|----------------------|
//! | `acquire`             | `Enter`, the fast path    | Acquire | `RELAXED_FAST_ENTER` |
//! | `spin_before_arrival` | `Enter`, a spinner        | Acquire | `RELAXED_SPIN_ENTER` |
//! | `acquire_slowly`      | `Enter`, on arrival       | Acquire | `RELAXED_ENTER`      |
//! | `try_acquire`         | `Enter`, a try            | Acquire | `RELAXED_ENTER`, where all try |
//! | `release`             | `Release`                 | Release | `RELAXED_RELEASE`    |
//! | `wake`                | `Wake`, `Rouse`           | Relaxed | none is weaker       |
//! | `downgrade`           | `Downgrade`               | Release | `RELAXED_DOWNGRADE`  |
//! | `wait_for`            | the grant is found        | Acquire | `RELAXED_GRANT`      |
//! | `looks`               | `Take`, `Miss`            | Acquire | `RELAXED_TAKE`, in `budget` |
//! | `beds::sleep`         | `SLEEPER` is set          | Acquire | `RELAXED_SLEEP`      |
//! | `beds::wake`          | it is cleared             | Release | `RELAXED_PUBLISH`    |

use conformance::faulty_rules::{DoubleHandOff, LateWriter, ReaderOvertakes};
use interlock_rwlock::rules::BatchQueue;

use rusty_fork::rusty_fork_test;

use super::model::{Op::*, Programs, finds};
use super::sys::*;

const ONE_READER_TWO_WRITERS: Programs = &[&[Read], &[Write], &[Write]];
const TWO_READERS_ONE_WRITER: Programs = &[&[Read], &[Read], &[Write]];
const TWO_READERS_TWO_WRITERS: Programs = &[&[Read], &[Read], &[Write], &[Write]];

pub(super) const RACE: &[&str] = &["Causality violation"];
pub(super) const LOST_WAKE_UP: &[&str] = &["deadlock"];
pub(super) const NOT_IN_THE_MACHINE: &[&str] = &[
    "not enabled in the machine",
    "after, event",
    "before, event",
];

rusty_fork_test! {
    #[test]
    fn relaxed_in_place_of_acquire() {
        finds::<LoomSys<RELAXED_ENTER>, BatchQueue>(
            "Relaxed Enter",
            ONE_READER_TWO_WRITERS,
            Some(3),
            RACE,
        );
        finds::<LoomSys<RELAXED_ENTER>, BatchQueue>(
            "Relaxed Enter of a try",
            &[&[TryWrite], &[TryWrite]],
            Some(3),
            RACE,
        );
        finds::<LoomSys<RELAXED_FAST_ENTER, true>, BatchQueue>(
            "Relaxed Enter, the fast path",
            &[&[Write], &[Write]],
            Some(3),
            RACE,
        );
        finds::<LoomSys<RELAXED_SPIN_ENTER, true>, BatchQueue>(
            "Relaxed Enter of a spinner",
            &[&[Write], &[Write]],
            Some(3),
            RACE,
        );
        finds::<LoomSys<RELAXED_GRANT, true>, BatchQueue>(
            "Relaxed grant to a spinner",
            &[&[Write], &[Write]],
            Some(3),
            RACE,
        );
        finds::<LoomSys<RELAXED_SLEEP, true>, BatchQueue>(
            "Relaxed before sleep",
            &[&[Write], &[Write]],
            Some(3),
            LOST_WAKE_UP,
        );
        finds::<LoomSys<RELAXED_GRANT>, BatchQueue>(
            "Relaxed grant",
            ONE_READER_TWO_WRITERS,
            Some(3),
            RACE,
        );
    }

    #[test]
    fn relaxed_in_place_of_release() {
        finds::<LoomSys<RELAXED_RELEASE>, BatchQueue>(
            "Relaxed Release",
            ONE_READER_TWO_WRITERS,
            Some(3),
            RACE,
        );
        finds::<LoomSys<RELAXED_DOWNGRADE>, BatchQueue>(
            "Relaxed Downgrade",
            &[&[Downgrade], &[Read]],
            Some(3),
            RACE,
        );
        finds::<LoomSys<RELAXED_PUBLISH, true>, BatchQueue>(
            "Relaxed look for sleepers",
            &[&[Write], &[Write]],
            Some(3),
            LOST_WAKE_UP,
        );
    }

    #[test]
    fn a_wake_up_before_the_grant_is_published() {
        finds::<LoomSys<WAKE_FIRST>, BatchQueue>(
            "wake first",
            ONE_READER_TWO_WRITERS,
            Some(3),
            LOST_WAKE_UP,
        );
    }

    #[test]
    fn a_missed_check_before_sleeping() {
        finds::<LoomSys<NO_RECHECK>, BatchQueue>(
            "no re-check",
            ONE_READER_TWO_WRITERS,
            Some(3),
            LOST_WAKE_UP,
        );
    }

    #[test]
    fn a_double_hand_off() {
        let symptoms = [RACE, NOT_IN_THE_MACHINE].concat();
        finds::<LoomSys<NONE>, DoubleHandOff>(
            "double hand-off",
            TWO_READERS_ONE_WRITER,
            Some(3),
            &symptoms,
        );
    }

    #[test]
    fn a_late_writer_in_the_running_batch() {
        finds::<LoomSys<NONE>, LateWriter>(
            "late writer",
            ONE_READER_TWO_WRITERS,
            Some(3),
            NOT_IN_THE_MACHINE,
        );
    }

    #[test]
    fn a_reader_that_overtakes_a_waiting_writer() {
        finds::<LoomSys<NONE>, ReaderOvertakes>(
            "overtaking",
            TWO_READERS_ONE_WRITER,
            Some(3),
            NOT_IN_THE_MACHINE,
        );
        finds::<LoomSys<NONE>, ReaderOvertakes>(
            "overtaking",
            TWO_READERS_TWO_WRITERS,
            Some(3),
            NOT_IN_THE_MACHINE,
        );
    }
}
