//! What the pages say that the cures of direct writes and of sync do in kernels.

use std::collections::BTreeSet;

use interlock_rack::cures::record::{Built, Record};

use crate::{SOURCES, built, listed, root, says};

/// The sources whose kernels check themselves.
const CHECKED: [&str; 2] = ["6.12-checked", "7.3-checked"];

#[test]
fn the_cures_of_direct_writes() {
    let record = Record::load(&root()).expect("it is kept");
    let (mut releases, mut plans, mut runs) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    // Others are asked less often.
    for version in SOURCES {
        let built = &record.sources[version];
        let (shipped, cured) = (&built["none"], &built["ext4"]);
        releases.push(&shipped.release[..]);
        for (plan, asked) in &cured.plans {
            let of_ext4 = plan.starts_with("Final612-");
            let lost = asked.aimed.lost() || asked.unaimed.is_some_and(|unaimed| unaimed.lost > 0);
            assert!(!(of_ext4 && lost), "{plan}");
            if of_ext4 && shipped.plans[plan].aimed.lost() {
                plans.insert(plan);
                runs.extend(asked.unaimed.map(|unaimed| unaimed.runs));
            }
        }
    }
    says(
        "docs/findings/eof-loss.md",
        &format!(
            "With this patch and [the other one](stale-page.md#what-would-cure-it) {} lose nothing: of each of the {} plans of ext4 that \
             they lose as shipped nothing was lost in {} runs without an aim",
            listed(&releases),
            plans.len(),
            listed(
                &runs
                    .iter()
                    .map(u32::to_string)
                    .collect::<Vec<_>>()
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
            ),
        ),
    );
}

#[test]
fn kernels_that_check_themselves_complain_of_nothing() {
    // Of one that has reason to, both are heard.
    let speaks = built("6.12-checked", "checked-speaks");
    for found in ["possible circular locking", "KASAN"] {
        assert!(speaks.complaints.iter().any(|line| line.contains(found)));
    }
    let sources = Record::load(&root()).expect("it is kept").sources;
    for version in CHECKED {
        for (cure, did) in &sources[version] {
            let is_silent = did.complaints.is_empty() && did.not_run.is_empty();
            assert!(is_silent || cure == "checked-speaks", "{version}+{cure}");
        }
    }
    assert!(!sources["6.12-checked"]["iomap-eof"].plans.is_empty());
    for (page, cure) in [
        ("docs/findings/eof-loss.md", "ext4"),
        ("docs/findings/xfs-truncate.md", "xfs"),
        ("docs/findings/xfs-append.md", "xfs"),
    ] {
        let releases = CHECKED.map(|version| {
            let (shipped, cured) = (&sources[version]["none"], &sources[version][cure]);
            let mut plans = cured.plans.keys();
            assert!(!cured.plans.is_empty(), "{version}+{cure}");
            assert!(
                plans.all(|plan| shipped.plans.contains_key(plan)),
                "{version}+{cure}"
            );
            &cured.release[..]
        });
        says(
            page,
            &format!(
                "Built with lockdep and KASAN as well, {} complain of nothing in the plans",
                listed(&releases)
            ),
        );
    }
}

#[test]
fn the_cure_of_xfs_after_a_truncate() {
    let releases = ["6.12", "7.3"].map(|version| {
        let [shipped, cured] = ["none", "iomap-eof"].map(|cure| built(version, cure));
        let lost = |built: &Built| {
            let asked = &built.plans["XfsOptimistic-ACT-written-data"];
            asked.aimed.lost() || asked.unaimed.is_some_and(|unaimed| unaimed.lost > 0)
        };
        assert!(lost(&shipped) && !lost(&cured), "{version}");
        cured.release
    });
    says(
        "docs/findings/xfs-truncate.md",
        &format!("has what {} do with it: A waits.", releases.join(" and ")),
    );
}

#[test]
fn the_cure_of_xfs_beside_an_append() {
    let lost = |version: &str, cure: &str| {
        let asked = &built(version, cure).plans["XfsOptimistic-CT-eof-data"];
        let unaimed = asked.unaimed.expect("it is played without an aim too");
        assert_eq!(asked.aimed.lost(), unaimed.lost > 0, "{version}+{cure}");
        assert_eq!(unaimed.runs, 200);
        unaimed.lost
    };
    let of = |cure: &str| ["6.12", "7.3"].map(|version| lost(version, cure));
    assert_eq!((of("xfs-size"), of("xfs")), ([0, 0], [0, 0]));
    let [before, now] = of("none");
    let [before_without, now_without] = of("iomap-eof");
    for sentence in [
        format!("A is lost in {before} of 200 runs on 6.12.117 and in {now} of 200 on 7.3.4"),
        format!(
            "Built into 6.12.117 and 7.3.4 it keeps all bytes: of 200 runs without an aim none lost any, with it alone and with [the \
             other patch for XFS](xfs-truncate.md#what-would-cure-it) as well; with that one alone {before_without} and {now_without} \
             lost some"
        ),
    ] {
        says("docs/findings/xfs-append.md", &sentence);
    }
}

/// What variants of a program found in a kernel, but those that found this.
fn found(version: &str, cure: &str, program: &str, nothing: &str) -> Vec<String> {
    let programs = built(version, cure).programs.into_iter();
    let found = programs
        .filter(|(name, found)| name.split(' ').next() == Some(program) && *found != nothing);
    found
        .map(|(name, found)| format!("{name}: {found}"))
        .collect()
}

#[test]
fn the_cure_of_what_mmap_has_left() {
    let seen = |version, cure| {
        let nothing = "0 seen, 3 not seen, 0 not tried";
        found(version, cure, "left-behind", nothing)
    };
    for version in ["6.12", "7.3", "6.12-checked"] {
        assert_eq!(
            seen(version, "none"),
            ["left-behind next: 3 seen, 0 not seen, 0 not tried"]
        );
        assert_eq!(seen(version, "ext4-append"), [""; 0]);
        let cured = built(version, "ext4-append");
        assert_eq!((cured.programs.len(), cured.complaints), (6, Vec::new()));
    }
    let releases = SOURCES.map(|version| built(version, "ext4-append").release);
    says(
        "docs/findings/left-behind.md",
        &format!(
            "as shipped, {} and {} show the byte in `next`, in each of three runs, and in no other variant; with it in none. Built with \
             lockdep and KASAN as well, {} does the same, and complains of nothing.",
            releases[0], releases[1], releases[0],
        ),
    );
}

#[test]
fn the_cure_of_a_sync_that_misses() {
    let missed = |version, cure| {
        let nothing = "0 missed, 3 kept, 0 not tried";
        found(version, cure, "sync-miss", nothing)
    };
    let always = |variant| format!("sync-miss {variant}: 3 missed, 0 kept, 0 not tried");
    assert_eq!(missed("6.12", "none"), ["page-syncfs"].map(always));
    assert_eq!(
        missed("7.3", "none"),
        ["page-syncfs", "time-sync", "time-syncfs"].map(always)
    );
    for version in SOURCES {
        assert_eq!(missed(version, "sync"), [""; 0]);
        assert_eq!(built(version, "sync").programs.len(), 4);
    }
    let releases = SOURCES.map(|version| built(version, "sync").release);
    says(
        "docs/findings/sync-miss.md",
        &format!(
            "As shipped, {} and {} miss `page-syncfs` in each of three runs, and {} `time-syncfs` and `time-sync` as well; with it neither \
             misses anything.",
            releases[0], releases[1], releases[1],
        ),
    );
}
