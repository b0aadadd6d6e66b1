//! What the findings say of how long a write takes is what was measured on a clock that counts instructions.

use interlock_rack::cures::herds::{MODES, slower, takes};
use interlock_rack::cures::page::between;
use interlock_rack::cures::record::{Built, Herd};
use interlock_rack::workload::herd::Shape;

use crate::{SOURCES, built, says};

fn of(did: &Built, shape: Shape) -> &Herd {
    let found = did.herds.iter().find(|herd| herd.shape == shape);
    found.expect("it was run")
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
        let most = [&shipped, &cured].map(|did| &of(did, Shape::MOST).runs[..]);
        let than_locked = most.map(|runs| takes(runs, nolock) / takes(runs, lock));
        let than_shipped = |shape: Shape, side| {
            let [before, with] = [&shipped, &cured].map(|did| takes(&of(did, shape).runs, side));
            with / before
        };
        let all = Shape::ALL
            .iter()
            .flat_map(|shape| MODES.map(|(_, side)| (*shape, side)))
            .map(|(shape, side)| than_shipped(shape, side));
        says(
            "docs/findings/jbd2-herd.md",
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
