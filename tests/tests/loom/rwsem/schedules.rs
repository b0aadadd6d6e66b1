//! The models, each with its bound and its figures: see the table in the head of the test.

use conformance::traces;

use rusty_fork::rusty_fork_test;

use super::model::{Op::*, holds};

rusty_fork_test! {
    #[test]
    fn three_tasks() {
        holds("r+r+w", &[&[Read], &[Read], &[Write]], None, 88_871, 48);
        holds("r+w+w", &[&[Read], &[Write], &[Write]], None, 43_002, 36);
        holds("w+w+w", &[&[Write], &[Write], &[Write]], None, 43_002, 36);
    }

    #[test]
    fn four_tasks() {
        holds(
            "r+r+w+w",
            &[&[Read], &[Read], &[Write], &[Write]],
            Some(3),
            9_478,
            527,
        );
        holds(
            "r+w+w+w",
            &[&[Read], &[Write], &[Write], &[Write]],
            Some(3),
            13_446,
            480,
        );
    }

    #[test]
    fn two_operations() {
        holds(
            "rr+r+ww",
            &[&[Read, Read], &[Read], &[Write, Write]],
            Some(3),
            2_294,
            304,
        );
        let recorded = holds(
            "rw+w+r",
            &[&[Read, Write], &[Write], &[Read]],
            Some(3),
            1_175,
            117,
        );
        traces::accepted_by_tlc("loom-rwsem", "rwsem", &recorded);
        holds(
            "rw+w+w+r",
            &[&[Read, Write], &[Write], &[Write], &[Read]],
            Some(3),
            27_459,
            1_675,
        );
    }

    #[test]
    fn downgrade() {
        holds(
            "d+r+d",
            &[&[Downgrade], &[Read], &[Downgrade]],
            Some(3),
            822,
            90,
        );
        holds(
            "d+r+r+w",
            &[&[Downgrade], &[Read], &[Read], &[Write]],
            Some(3),
            18_349,
            938,
        );
    }

    #[test]
    fn try_under_contention() {
        holds(
            "tr tw+w+tw+r",
            &[&[TryRead, TryWrite], &[Write], &[TryWrite], &[Read]],
            Some(3),
            11_669,
            425,
        );
    }
}
