//! What a kernel did, beside what its design and the table of cures say.

use std::collections::BTreeMap;

use super::page;
use super::record::{Asked, Built, COSTS, Cuts, HERD, Herd, SPOKEN};
use crate::cure::{Cure, NONE};
use crate::workload::herd::{Measured, Shape};

/// Whether threads are a herd: where credits are reserved they sleep more than twice as often as where none are.
fn is_herd(runs: &[Measured]) -> bool {
    let sleeps = |of: fn(&Measured) -> f64| runs.iter().map(of).sum::<f64>();
    sleeps(|run| run.nolock.sleeps) > 2.0 * sleeps(|run| run.lock.sleeps)
}

/// What is not as the designs and the table of cures say, a line each.
pub fn differences(did: &Built, cure: &Cure) -> Vec<String> {
    let differ = did.plans.iter().filter(|(_, asked)| differs(asked));
    let mut lines: Vec<String> = differ
        .map(|(name, asked)| format!("{name}: {}", page::cell(asked)))
        .collect();
    if !cure.fails.is_empty() {
        let said: Vec<&String> = did.complaints.iter().chain(did.not_run.values()).collect();
        let silent = cure.fails.iter();
        let silent = silent.filter(|fails| !said.iter().any(|line| line.contains(&fails[..])));
        lines.extend(silent.map(|fails| format!("nobody says {fails:?}")));
        return lines;
    }
    lines.extend(did.complaints.iter().cloned());
    for what in [HERD, COSTS, SPOKEN] {
        lines.extend(did.not_run.get(what).map(|why| format!("{what}: {why}")));
    }
    if let Some(Cuts { all, late }) = &did.cuts {
        if all.lost > 0 || all.unclean > 0 || all.looked == 0 {
            lines.push(format!("losses of power: {all:?}"));
        }
        if late.lost == 0 {
            lines.push(format!(
                "the control of the losses of power finds nothing: {late:?}"
            ));
        }
    }
    if let (Some(wakes), Some(spoken)) = (&cure.wakes, &did.spoken) {
        let accepted: Vec<&str> = spoken.accepted().collect();
        if accepted != [wakes] {
            lines.push(format!(
                "it wakes as {accepted:?} do, and not as {wakes} alone"
            ));
        }
    }
    let finds = |found: &str| !found.starts_with("0 ");
    if cure.name == NONE {
        // Of a program one variant is enough: not each kernel does all.
        let mut programs: BTreeMap<&str, bool> = BTreeMap::new();
        for (program, found) in &did.programs {
            let (name, _) = program.split_once(' ').unwrap_or((program, ""));
            *programs.entry(name).or_default() |= finds(found);
        }
        let nothing = programs.iter().filter(|(_, finds)| !**finds);
        lines.extend(nothing.map(|(name, _)| format!("{name} finds nothing as it is shipped")));
    } else {
        // Something not tried is nothing kept.
        let differ = did.programs.iter();
        let differ = differ.filter(|(_, found)| finds(found) || !found.contains(", 0 not tried"));
        lines.extend(differ.map(|(name, found)| format!("{name}: {found}")));
        let not_run = |name: &&String| did.not_run.contains_key(*name);
        lines.extend(
            cure.programs
                .iter()
                .filter(not_run)
                .map(|name| format!("{name} was not run")),
        );
    }
    // As it is shipped it is one.
    let expected = cure.herd.unwrap_or(true);
    if let Some(Herd { shape, runs }) = did.herd(Shape::JUDGED)
        && is_herd(runs) != expected
    {
        let is = if expected {
            "are no herd"
        } else {
            "are a herd"
        };
        lines.push(format!("{shape} {is}"));
    }
    lines
}

/// Whether the kernel does what its design does not. What a design loses may stay whole where nothing is held back.
fn differs(asked: &Asked) -> bool {
    let Asked { aimed, unaimed } = asked;
    let lost_unaimed = unaimed.is_some_and(|unaimed| unaimed.lost > 0);
    match aimed.loses {
        Some(true) => !aimed.lost(),
        Some(false) => aimed.lost() || lost_unaimed,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use interlock_checker::record::Cell;

    use super::*;
    use crate::cure;
    use crate::cures::record::{Spoken, Unaimed};
    use crate::workload::cuts;
    use crate::workload::herd::Side;

    #[test]
    fn a_herd_sleeps_more_than_twice_as_often() {
        for (sleeps, expected) in [([34.5, 3.9], true), ([7.9, 3.9], true), ([4.6, 3.8], false)] {
            let side = |sleeps| Side {
                sleeps,
                ..Side::default()
            };
            let [nolock, lock] = sleeps.map(side);
            let runs = [Measured { nolock, lock }];
            assert_eq!(is_herd(&runs), expected, "{sleeps:?}");
            let did = Built {
                herds: vec![Herd {
                    shape: Shape::JUDGED,
                    runs: runs.into(),
                }],
                ..Built::default()
            };
            for (cure, herd) in [("none", true), ("counted", true), ("jbd2", false)] {
                let cure = cure::all()
                    .expect("a table")
                    .cure(cure)
                    .expect("a cure")
                    .clone();
                assert_eq!(
                    differences(&did, &cure).is_empty(),
                    expected == herd,
                    "{}",
                    cure.name
                );
            }
        }
    }

    #[test]
    fn a_program_finds_something_without_the_cure_alone() {
        let table = cure::all().expect("a table");
        let [shipped, cured] = ["none", "sync"].map(|name| table.cure(name).expect("a cure"));
        for (found, of_shipped, of_cured) in [
            ("3 missed, 0 kept, 0 not tried", false, true),
            ("0 missed, 3 kept, 0 not tried", true, false),
            ("0 missed, 2 kept, 1 not tried", true, true),
        ] {
            let did = Built {
                programs: [("sync-miss page-syncfs".to_owned(), found.to_owned())].into(),
                ..Built::default()
            };
            assert_eq!(
                !differences(&did, shipped).is_empty(),
                of_shipped,
                "{found}"
            );
            assert_eq!(!differences(&did, cured).is_empty(), of_cured, "{found}");
        }
    }

    /// One that finds something does not speak for another.
    #[test]
    fn each_program_has_to_find_something_as_it_is_shipped() {
        let table = cure::all().expect("a table");
        let shipped = table.cure("none").expect("a cure");
        for (seen, differ) in [("3 seen, 0 not seen", false), ("0 seen, 3 not seen", true)] {
            let found = [
                ("sync-miss page-sync", "0 missed, 3 kept, 0 not tried"),
                ("sync-miss page-syncfs", "3 missed, 0 kept, 0 not tried"),
                ("left-behind next", seen),
            ];
            let did = Built {
                programs: found
                    .map(|(name, found)| (name.to_owned(), found.to_owned()))
                    .into(),
                ..Built::default()
            };
            assert_eq!(!differences(&did, shipped).is_empty(), differ, "{seen}");
        }
    }

    #[test]
    fn what_a_loss_of_power_takes_is_told_and_the_control_has_to_find_something() {
        let table = cure::all().expect("a table");
        let cure = table.cure("jbd2").expect("a cure");
        let of = |looked, lost, unclean, late| {
            let found = |lost, unclean| cuts::Measured {
                cuts: 9,
                looked,
                lost,
                unclean,
            };
            let did = Built {
                cuts: Some(Cuts {
                    all: found(lost, unclean),
                    late: found(late, 0),
                }),
                ..Built::default()
            };
            differences(&did, cure).len()
        };
        assert_eq!(of(5, 0, 0, 1), 0);
        for differ in [
            of(0, 0, 0, 1),
            of(5, 1, 0, 1),
            of(5, 0, 1, 1),
            of(5, 0, 0, 0),
        ] {
            assert_eq!(differ, 1);
        }
    }

    #[test]
    fn a_kernel_wakes_as_its_cure_says_and_in_no_other_way() {
        let table = cure::all().expect("a table");
        let cure = table.cure("jbd2-speaks").expect("a cure");
        for (ways, differ) in [
            ([("all", Some(7)), ("hand-off", None)], false),
            ([("all", None), ("hand-off", None)], true),
            ([("all", None), ("hand-off", Some(7))], true),
            ([("all", Some(7)), ("hand-off", Some(9))], true),
        ] {
            let did = Built {
                spoken: Some(Spoken {
                    events: 20,
                    ways: ways.map(|(way, fit)| (way.to_owned(), fit)).into(),
                }),
                ..Built::default()
            };
            assert_eq!(!differences(&did, cure).is_empty(), differ, "{ways:?}");
        }
    }

    #[test]
    fn a_mistake_has_to_be_seen() {
        let table = cure::all().expect("a table");
        let [cured, mistaken, speaks] = ["jbd2", "jbd2-granted-is-reserved", "checked-speaks"]
            .map(|name| table.cure(name).expect("a cure"));
        let silent = Built::default();
        let complains = Built {
            complaints: vec!["kernel BUG at fs/jbd2/commit.c:771!".to_owned()],
            ..Built::default()
        };
        let hangs = Built {
            not_run: [(HERD.to_owned(), "the guest hangs".to_owned())].into(),
            ..Built::default()
        };
        // One of two is not enough.
        let lockdep = Built {
            complaints: vec!["WARNING: possible circular locking dependency detected".to_owned()],
            ..Built::default()
        };
        for (did, cure, differ) in [
            (&lockdep, speaks, true),
            (&silent, cured, false),
            (&complains, cured, true),
            (&hangs, cured, true),
            (&silent, mistaken, true),
            (&complains, mistaken, false),
            (&hangs, mistaken, true),
        ] {
            assert_eq!(
                !differences(did, cure).is_empty(),
                differ,
                "{}: {did:?}",
                cure.name
            );
        }
    }

    #[test]
    fn what_differs_from_the_design_is_told() {
        let asked = |loses, did: &str, lost| Asked {
            aimed: Cell {
                design: "D".to_owned(),
                loses: Some(loses),
                did: did.to_owned(),
                says: String::new(),
            },
            unaimed: Some(Unaimed { runs: 9, lost }),
        };
        for (asked, cell, differ) in [
            (asked(true, "reproduced", 4), "**lost**, 4 of 9", false),
            (asked(true, "reproduced", 0), "**lost**, 0 of 9", false),
            (asked(false, "not possible", 0), "waited, 0 of 9", false),
            (asked(true, "differs", 4), "kept, 4 of 9, BUT D loses", true),
            (
                asked(false, "differs", 1),
                "kept, 1 of 9, BUT D keeps",
                true,
            ),
            (
                asked(false, "reproduced", 0),
                "**lost**, 0 of 9, BUT D keeps",
                true,
            ),
        ] {
            assert_eq!(page::cell(&asked), cell);
            assert_eq!(differs(&asked), differ, "{cell}");
        }
    }
}
