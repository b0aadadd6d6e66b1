//! The choices of locks, each at each size of the table.

use conformance::file_atomicity::cases;
use interlock::range::atomicity::rules::Specified;
use rusty_fork::rusty_fork_test;

use super::model::run;

/// Two threads run in every schedule; more, in those with at most so many preemptions.
const PREEMPTIONS: usize = 3;

fn is_as_claimed(design: &str) {
    let cases = cases(design).expect("the manifest is good");
    assert!(!cases.is_empty(), "no row is about {design}");
    for case in cases {
        let bound = (case.counterpart.tasks.len() > 2).then_some(PREEMPTIONS);
        let (figures, shown) = run::<Specified>(&case, bound);
        assert!(figures.paths > 1, "{}: one schedule", case.name);
        assert_eq!(shown.strays, None, "{}", case.name);
        for (invariant, holds) in &case.verdicts {
            assert_eq!(
                !shown.broken.contains(invariant),
                *holds,
                "{}: {invariant:?}",
                case.name
            );
        }
    }
}

rusty_fork_test! {
    #[test]
    fn no_lock() {
        is_as_claimed("NoLock");
    }

    #[test]
    fn ext4() {
        is_as_claimed("Ext4");
    }

    #[test]
    fn btrfs() {
        is_as_claimed("Btrfs");
    }

    #[test]
    fn folio_locks() {
        is_as_claimed("FolioLocks");
    }

    #[test]
    fn folio_batch() {
        is_as_claimed("FolioBatch");
    }

    #[test]
    fn xfs() {
        is_as_claimed("Xfs");
    }

    #[test]
    fn two_state() {
        is_as_claimed("TwoState");
    }

    #[test]
    fn range_lock() {
        is_as_claimed("RangeLock");
    }

    #[test]
    fn segment_bits() {
        is_as_claimed("SegmentBits-File");
    }
}

/// No design of the table is left out above.
#[test]
fn every_design_is_run() {
    let rows = conformance::file_atomicity::rows().expect("the manifest is good");
    let mut designs: Vec<_> = rows.into_iter().map(|row| row.model.design).collect();
    designs.sort_unstable();
    designs.dedup();
    assert_eq!(
        designs,
        [
            "Btrfs",
            "Ext4",
            "FolioBatch",
            "FolioLocks",
            "NoLock",
            "RangeLock",
            "SegmentBits-File",
            "TwoState",
            "Xfs"
        ]
    );
}
