//! Faults in the designs and in the code: each must be found, the designs' by the bytes that they lose.

use interlock::dio::machine::Extent::{Unwritten, Written};
use interlock::dio::policy::Policy;
use interlock::dio::rules::{Rules, Specified};

use rusty_fork::rusty_fork_test;

use super::model::{A, B, C, Model, aio, finds};
use super::sys::{NO_NOTIFY, NONE};

/// A request's I/O leaves i_dio_count before its blocks are converted.
struct DioEndFirst;

impl Rules for DioEndFirst {
    fn conclude<R>(end_io: impl FnOnce() -> R, dio_end: impl FnOnce()) -> R {
        dio_end();
        end_io()
    }
}

const LOST: &str = "is lost";

rusty_fork_test! {
    #[test]
    fn no_drain() {
        let writes = [aio(A), aio(C)];
        let model = Model::new(Policy::EXCL_NO_DIO_WAIT, Unwritten, &writes);
        finds::<Specified, NONE>("no drain", &model, 2, LOST);
    }

    #[test]
    fn no_wait_for_its_own_io() {
        let writes = [aio(A), aio(C)];
        let model = Model::new(Policy::NO_FORCE_WAIT, Unwritten, &writes);
        finds::<Specified, NONE>("no wait", &model, 2, LOST);
    }

    #[test]
    fn no_second_look_after_an_upgrade() {
        let model = Model::new(Policy::NO_RECHECK_AFTER_UPGRADE, Unwritten, &[A, B]);
        finds::<Specified, NONE>("no recheck", &model, 2, LOST);
    }

    #[test]
    fn unwritten_blocks_taken_for_overwrites() {
        let model = Model::new(Policy::RFC_ON63, Unwritten, &[A, B]);
        finds::<Specified, NONE>("RfcOn63", &model, 2, LOST);
    }

    #[test]
    fn a_pad_behind_eof() {
        let at_eof = |policy| Model {
            length: 1,
            ..Model::new(policy, Written, &[aio(A), aio(C)])
        };
        finds::<Specified, NONE>("Final65 at EOF", &at_eof(Policy::FINAL65), 2, LOST);
    }

    #[test]
    fn dio_end_before_conversion() {
        let model = Model::new(Policy::FINAL65, Unwritten, &[A, B]);
        let symptom = "DioEnd(0) is not enabled";
        finds::<DioEndFirst, NONE>("dio_end first", &model, 2, symptom);
        // What it breaks: i_rwsem alone does for those who wait for their own I/O, here the drain has to.
        let model = Model {
            judges_log: false,
            ..Model::new(Policy::NO_FORCE_WAIT, Unwritten, &[aio(A), aio(B)])
        };
        finds::<DioEndFirst, NONE>("dio_end first, no wait", &model, 2, LOST);
    }

    #[test]
    fn a_lost_wake_up() {
        let model = Model::new(Policy::FINAL65, Unwritten, &[A, B]);
        finds::<Specified, NO_NOTIFY>("no notify", &model, 1, "deadlock");
    }
}
