//! What the page of the herd says of its cure is what was measured.

use interlock_rack::cures::herds::{MODES, slower, takes};
use interlock_rack::cures::record::{Built, HERD};
use interlock_rack::figures::between;
use interlock_rack::workload::cuts;
use interlock_rack::workload::herd::{Counted, Measured, Shape};

use crate::{SOURCES, built, says};

const PAGE: &str = "docs/findings/jbd2-herd.md";

/// What the threads of this shape did each time.
fn runs(did: &Built, shape: Shape) -> &[Measured] {
    &did.herd(shape).expect("they were run").runs
}

/// What the cure of the herd does to most threads, by a source's kernels that count.
fn woken(version: &str, guest: &str) -> String {
    let [shipped, cured] = ["counted", "jbd2-counted"].map(|cure| {
        let did = built(version, cure);
        let runs = runs(&did, Shape::MOST);
        let counted = |of: fn(&Counted) -> f64| {
            let counted = runs
                .iter()
                .map(|run| of(&run.nolock.counted.expect("it counts")));
            between(&counted.collect::<Vec<_>>(), 2)
        };
        let longer = runs.iter().map(|run| run.nolock.mean / run.lock.mean);
        [
            counted(|counted| counted.wake_ups),
            counted(|counted| counted.attempts),
            between(&longer.collect::<Vec<_>>(), 1),
        ]
    });
    format!(
        "- {}{guest}: one of {} threads in a journal of {} MiB is woken {} times a write as shipped, and {} times with it; credits are asked \
         for {} times, and {} times, until they are reserved; a write takes {} times as long as with `dioread_lock`, and {} times.",
        built(version, "counted").release,
        Shape::MOST.threads,
        Shape::MOST.journal,
        shipped[0],
        cured[0],
        shipped[1],
        cured[1],
        shipped[2],
        cured[2],
    )
}

/// A source's kernel with the cure, and its losses of power: it complains of nothing, and nothing is lost but what has to be.
fn unharmed(version: &str) -> (Built, cuts::Measured) {
    let did = built(version, "jbd2");
    assert!(
        did.complaints.is_empty() && did.not_run.is_empty(),
        "{version}"
    );
    assert!(did.barriers.expect("they were run").count > 100);
    let cuts = did.cuts.clone().expect("power was lost");
    assert_eq!((cuts.all.lost, cuts.all.unclean), (0, 0));
    assert!(cuts.late.lost > 0);
    (did, cuts.all)
}

#[test]
fn the_cure_of_the_herd() {
    for (version, guest, lost) in [
        ("6.12", "", 200),
        ("7.3", "", 200),
        ("7.3-four", ", four processors", 50),
    ] {
        says(PAGE, &woken(version, guest));
        let (did, cuts) = unharmed(version);
        assert_eq!(cuts.cuts, lost);
        says(
            PAGE,
            &format!(
                "- {}{guest}: {lost} times; of {} writes that had been acknowledged none is missing after the replay.",
                did.release, cuts.looked,
            ),
        );
    }
    let (checked, cuts) = unharmed("7.3-checked");
    says(
        PAGE,
        &format!(
            "{} so built complains of nothing beside 256 threads, {} barriers and {} losses of power; of {} acknowledged writes none is missing.",
            checked.release,
            checked.barriers.expect("they were run").count,
            cuts.cuts,
            cuts.looked,
        ),
    );
    for version in SOURCES {
        let mistaken = built(version, "jbd2-granted-is-reserved");
        assert!(!mistaken.complaints.is_empty());
        let mistaken = built(version, "jbd2-barrier-waits");
        assert!(mistaken.not_run[HERD].contains("the guest hangs"));
    }
    says(
        PAGE,
        "Built with either of the two mistakes both kernels fail: commit's assertion fires, and a barrier hangs.",
    );
}

#[test]
fn the_cure_of_the_herd_makes_nothing_slower() {
    for version in SOURCES {
        let [shipped, cured] =
            ["none", "jbd2"].map(|cure| built(&format!("{version}-paced"), cure));
        assert_eq!(
            slower(&cured, Some(&shipped)),
            Vec::<String>::new(),
            "{version}"
        );
        let [nolock, lock] = MODES.map(|(_, side)| side);
        let most = [&shipped, &cured].map(|did| runs(did, Shape::MOST));
        let than_locked = most.map(|most| takes(most, nolock) / takes(most, lock));
        let than_shipped = |shape: Shape, side| {
            let [before, with] = [&shipped, &cured].map(|did| takes(runs(did, shape), side));
            with / before
        };
        let all = Shape::ALL
            .iter()
            .flat_map(|shape| MODES.map(|(_, side)| (*shape, side)))
            .map(|(shape, side)| than_shipped(shape, side));
        says(
            PAGE,
            &format!(
                "- {}: beside 256 threads in 4 MiB a write takes {:.2} times as long as shipped, and {:.2} times as long as with \
                 `dioread_lock`, where it was {:.2}; in all shapes and with both, {} times as long as shipped.",
                shipped.release,
                than_shipped(Shape::MOST, nolock),
                than_locked[1],
                than_locked[0],
                between(&all.collect::<Vec<_>>(), 2),
            ),
        );
    }
}
