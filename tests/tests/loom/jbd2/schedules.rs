//! The models, each with its bound and its figures: see the table in the head of the test.

use conformance::traces;
use interlock::jbd2::machine::{Load, Sizes};
use interlock::jbd2::rules::{HandOver, WakeAll};

use rusty_fork::rusty_fork_test;

use super::model::{Model, NOBODY, Sight, holds, holds_as_traces};

/// Two handles do not fit in one transaction, and the log has space for more than two.
pub fn room() -> Model {
    Model {
        sizes: Sizes {
            log: 16,
            max: 4,
            overhead: 2,
            slack: 3,
        },
        load: Load {
            plain: 2,
            cost: 2,
            uses: 1,
            ..NOBODY
        },
        commits: true,
        asks: false,
        one_is_first: false,
    }
}

/// Nor does the log have space for a second transaction beside the first.
pub fn space() -> Model {
    let room = room();
    Model {
        sizes: Sizes {
            log: 10,
            ..room.sizes
        },
        load: Load {
            uses: 2,
            ..room.load
        },
        ..room
    }
}

/// So many writepages threads, and reserved credits for one of them; all their handles fit in one transaction.
pub fn reserved(pages: usize) -> Model {
    Model {
        sizes: Sizes {
            log: 32,
            max: 17,
            overhead: 2,
            slack: 3,
        },
        load: Load {
            pages,
            page_cost: 1,
            reserve: 4,
            ..NOBODY
        },
        commits: false,
        asks: false,
        one_is_first: false,
    }
}

/// A thread that has its handle's transaction committed, and a page whose worker may come in time for it.
fn locked() -> Model {
    let reserved = reserved(1);
    Model {
        load: Load {
            plain: 1,
            cost: 1,
            uses: 1,
            page_uses: 1,
            convert_uses: 1,
            ..reserved.load
        },
        commits: true,
        asks: true,
        ..reserved
    }
}

rusty_fork_test! {
    #[test]
    fn a_start_waits_for_a_commit() {
        let sights = [Sight::WaitsForCommit];
        holds_as_traces::<WakeAll>("room", &room(), 4, &sights, [8_329, 117]);
    }

    #[test]
    fn a_start_waits_for_space() {
        let sights = [Sight::Checkpoints, Sight::WaitsForSpace];
        let logs = holds_as_traces::<WakeAll>("space", &space(), 4, &sights, [10_818, 96]);
        traces::accepted_by_tlc("loom-jbd2-space", "jbd2", &logs);
    }

    #[test]
    fn starts_wait_for_space_in_line() {
        let space = space();
        let model = Model {
            load: Load {
                plain: 3,
                ..space.load
            },
            ..space
        };
        let sights = [Sight::Checkpoints, Sight::TwoWaitForSpace];
        holds::<WakeAll>("space, three", &model, 2, &sights, [14_362, 1_842]);
    }

    /// Who waits for j_checkpoint_mutex behind the commit thread, which takes it for a moment only, is woken by nobody else.
    #[test]
    fn a_start_waits_for_the_mutex_behind_the_commit() {
        let room = room();
        let model = Model {
            sizes: Sizes {
                log: 11,
                max: 5,
                overhead: 3,
                slack: 3,
            },
            load: Load {
                plain: 3,
                ..room.load
            },
            one_is_first: true,
            ..room
        };
        let sights = [Sight::TwoWaitForSpace];
        holds::<WakeAll>("behind", &model, 3, &sights, [19_355, 2_688]);
    }

    #[test]
    fn starts_wait_for_reserved_credits() {
        let sights = [Sight::WaitsForReserved];
        let logs =
            holds_as_traces::<WakeAll>("reserved, two, all", &reserved(2), 5, &sights, [668, 212]);
        traces::accepted_by_tlc("loom-jbd2-reserved", "jbd2", &logs);
        holds_as_traces::<HandOver>(
            "reserved, two, hand-over",
            &reserved(2),
            5,
            &sights,
            [623, 194],
        );
    }

    #[test]
    #[ignore = "nightly: a quarter of a minute"]
    fn two_starts_wait_for_reserved_credits() {
        let sights = [Sight::TwoWaitForReserved];
        holds::<WakeAll>(
            "reserved, three, all",
            &reserved(3),
            4,
            &sights,
            [79_049, 12_512],
        );
        holds::<HandOver>(
            "reserved, three, hand-over",
            &reserved(3),
            4,
            &sights,
            [30_062, 8_972],
        );
    }

    #[test]
    fn a_reserved_handle_joins_a_locked_transaction() {
        let sights = [Sight::JoinsLocked];
        holds_as_traces::<WakeAll>("locked, all", &locked(), 4, &sights, [41_359, 582]);
        holds::<HandOver>("locked, hand-over", &locked(), 4, &sights, [41_359, 582]);
    }
}
