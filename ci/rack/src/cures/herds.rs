//! What threads did in short journals: the table, and what is slower than as shipped.

use interlock_checker::markdown;

use super::page::{NOTHING, heading, list};
use super::record::{Built, Cuts, Herd};
use crate::cure::NONE;
use crate::figures::{between, median};
use crate::workload::herd::{Barriers, Counted, Measured, Shape, Side};

/// A write takes no longer than this many times what it does as shipped.
const SLOWER: f64 = 1.0 / 0.98;

/// Where most threads are, no longer than this many times what it does with dioread_lock.
const RESERVED: f64 = 1.5;

/// What of a run is of one way to mount.
pub type Of = fn(&Measured) -> Side;

/// How a file system is mounted.
pub const MODES: [(&str, Of); 2] = [
    ("dioread_nolock", |run| run.nolock),
    ("dioread_lock", |run| run.lock),
];

/// How long a write takes, in ms: the median of these runs.
///
/// # Panics
/// If there are none.
pub fn takes(runs: &[Measured], side: Of) -> f64 {
    let means: Vec<f64> = runs.iter().map(|run| side(run).mean).collect();
    median(&means)
}

/// What takes longer than it may, a line each: of guests whose clock counts their instructions.
pub fn slower(did: &Built, shipped: Option<&Built>) -> Vec<String> {
    let mut lines = Vec::new();
    let run = Shape::ALL.iter().filter_map(|shape| did.herd(*shape));
    for Herd { shape, runs } in run {
        let Some(before) = shipped.and_then(|shipped| shipped.herd(*shape)) else {
            lines.push(format!("{shape}: as shipped they were not run"));
            continue;
        };
        for (mode, side) in MODES {
            let times = takes(runs, side) / takes(&before.runs, side);
            if times > SLOWER {
                lines.push(format!(
                    "{shape}, {mode}: a write takes {times:.3} times as long as shipped"
                ));
            }
        }
        if *shape == Shape::MOST {
            let [nolock, lock] = MODES.map(|(_, side)| takes(runs, side));
            let times = nolock / lock;
            if times > RESERVED {
                lines.push(format!(
                    "{shape}: a write takes {times:.2} times as long as with dioread_lock"
                ));
            }
        }
    }
    lines
}

/// The table, and what barriers and losses of power did; nothing, where no threads were run. `paced`: times are of a clock that counts
/// instructions.
pub fn text(cures: &[(&str, &Built)], paced: bool) -> String {
    let shipped = cures.iter().find(|(name, _)| *name == NONE);
    let digits = usize::from(paced);
    let rows: Vec<Vec<String>> = Shape::ALL
        .iter()
        .flat_map(|shape| cures.iter().map(move |(name, did)| (*shape, name, did)))
        .filter_map(|(shape, name, did)| {
            let before = shipped.filter(|_| paced && *name != NONE);
            let before = before.and_then(|(_, before)| before.herd(shape));
            Some(row(name, did.herd(shape)?, digits, before))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let headings = [
        "threads, journal",
        "",
        "sleeps a write",
        "with dioread_lock",
        "wake-ups a write",
        "attempts a grant",
        "a write, in ms",
        "with dioread_lock",
        "the longest",
        "with dioread_lock",
    ];
    let table = markdown::table(&headings, headings.len(), rows);
    let mut notes = Vec::new();
    for (name, did) in cures {
        if let Some(Barriers { count, longest }) = did.barriers {
            let heading = heading(name);
            notes.push(format!(
                "{heading}: {count} barriers, the longest of {longest:.0} ms"
            ));
        }
    }
    for (name, did) in cures {
        if let Some(Cuts { all, late }) = &did.cuts {
            notes.push(format!(
                "{}: power was lost {} times beside 64 threads; of {} writes that had been acknowledged {} were not there after the \
                 replay, and e2fsck found fault {} times (control, what was acknowledged half a second later: {} of {} were not there)",
                heading(name),
                all.cuts,
                all.looked,
                all.lost,
                all.unclean,
                late.lost,
                late.looked,
            ));
        }
    }
    let timed = if paced { PACED } else { TIMED };
    format!("{HEAD}{timed}{COUNTED}{table}{}", list(&notes))
}

/// A row, with times of so many digits; behind one how many times what it was `before`.
fn row(
    name: &str,
    Herd { shape, runs }: &Herd,
    digits: usize,
    before: Option<&Herd>,
) -> Vec<String> {
    let all = |digits: usize, of: &dyn Fn(&Measured) -> Option<f64>| {
        let all: Option<Vec<f64>> = runs.iter().map(of).collect();
        all.map_or_else(|| NOTHING.to_owned(), |all| between(&all, digits))
    };
    let counted = |of: fn(&Counted) -> f64| {
        all(2, &move |run: &Measured| {
            run.nolock.counted.as_ref().map(of)
        })
    };
    let [nolock, lock] = MODES.map(|(_, side)| {
        let times = all(digits, &|run| Some(side(run).mean));
        match before {
            Some(before) => format!(
                "{times}: {:.2}x",
                takes(runs, side) / takes(&before.runs, side)
            ),
            None => times,
        }
    });
    vec![
        format!("{}, {} MiB", shape.threads, shape.journal),
        heading(name).to_owned(),
        all(1, &|run| Some(run.nolock.sleeps)),
        all(1, &|run| Some(run.lock.sleeps)),
        counted(|counted| counted.wake_ups),
        counted(|counted| counted.attempts),
        nolock,
        lock,
        all(0, &|run| Some(run.nolock.longest)),
        all(0, &|run| Some(run.lock.longest)),
    ]
}

const HEAD: &str = "
Threads, each with a file of its own, write 16 KiB and call fsync, for 6 s or 60 times, in a journal that is short for them. With
dioread_nolock, the default, credits are reserved before write-back. How often one of 64 threads slept for each write is judged (a herd is
more than twice what it is with dioread_lock); ";

const TIMED: &str = "how long a write takes moves with the load, and is not.";

const PACED: &str = "and so is how long a write takes, since here each instruction takes a nanosecond, whatever
else the machine does. The median may be 1/0.98 times what it is as shipped at most (how many times it is stands behind the least and the
most), and that of 256 threads in 4 MiB half as long again as with dioread_lock.";

const COUNTED: &str = " Where the kernel counts
([ci/rack/patches](../ci/rack/patches)): how often a thread was woken that waits for credits, for each write; and how often credits were
asked for, for each time that they were reserved. Three runs, least to most. Barriers (EXT4_IOC_CHECKPOINT) are beside 256 threads.

";

#[cfg(test)]
mod tests {
    use super::*;

    /// Three runs of most threads; the times of the median's are given.
    fn built(nolock: f64, lock: f64) -> Built {
        let side = |mean| Side {
            mean,
            ..Side::default()
        };
        let runs = [1.0, 9.0, 0.5].map(|times| Measured {
            nolock: side(times * nolock),
            lock: side(times * lock),
        });
        Built {
            herds: vec![Herd {
                shape: Shape::MOST,
                runs: runs.into(),
            }],
            ..Built::default()
        }
    }

    #[test]
    fn a_write_that_takes_longer_than_it_may_is_told() {
        let shipped = built(300.0, 100.0);
        let none: [&str; 0] = [];
        assert_eq!(slower(&built(102.0, 102.0), Some(&shipped)), none);
        assert_eq!(
            slower(&built(120.0, 103.0), Some(&shipped)),
            ["256 threads, 4 MiB, dioread_lock: a write takes 1.030 times as long as shipped"]
        );
        assert_eq!(
            slower(&built(309.0, 100.0), Some(&shipped)),
            [
                "256 threads, 4 MiB, dioread_nolock: a write takes 1.030 times as long as shipped",
                "256 threads, 4 MiB: a write takes 3.09 times as long as with dioread_lock",
            ]
        );
        assert_eq!(
            slower(&built(200.0, 100.0), Some(&shipped)),
            ["256 threads, 4 MiB: a write takes 2.00 times as long as with dioread_lock"]
        );
        for nothing in [None, Some(&Built::default())] {
            assert_eq!(
                slower(&shipped, nothing),
                ["256 threads, 4 MiB: as shipped they were not run"]
            );
        }
    }

    #[test]
    fn times_are_told_beside_those_as_shipped_where_they_are_judged() {
        let (shipped, cured) = (built(300.0, 100.0), built(150.0, 101.0));
        let cures = [(NONE, &shipped), ("jbd2", &cured)];
        let told = text(&cures, true);
        assert!(
            told.contains("| 75.0 to 1350.0: 0.50x | 50.5 to 909.0: 1.01x |"),
            "{told}"
        );
        let told = text(&cures, false);
        assert!(told.contains("| 75 to 1350 | 50 to 909 |"), "{told}");
        assert_eq!(text(&[(NONE, &Built::default())], true), "");
    }
}
