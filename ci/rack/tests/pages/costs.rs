//! What the findings say that their patches cost is what was measured.

use interlock_rack::plan::Fs;
use interlock_rack::workload::costs::{By, Cost, Shape};

use crate::{SOURCES, built, says};

/// What direct writes cost with a cure of this file system, or as shipped.
fn costs(version: &str, cure: &str, fs: Fs) -> Vec<Cost> {
    built(version, cure).costs[&fs].clone()
}

/// The median of the rounds.
fn median(costs: &[Cost], shape: Shape, by: By) -> f64 {
    Cost::of(costs, shape, by)
        .expect("it was measured")
        .median()
}

/// How many times what it is as shipped.
fn times(version: &str, cure: &str, fs: Fs, shape: Shape, by: By) -> f64 {
    let [shipped, cured] = ["none", cure].map(|cure| median(&costs(version, cure, fs), shape, by));
    cured / shipped
}

/// Of both sources: `1.40 and 1.23`.
fn both(of: impl Fn(&str) -> f64) -> String {
    SOURCES
        .map(|version| format!("{:.2}", of(version)))
        .join(" and ")
}

/// The least and the most of all that is meant: `0.95 to 1.07`.
fn between(cure: &str, fs: Fs, is_meant: impl Fn(Shape, By) -> bool) -> String {
    let all = Shape::TOLD
        .into_iter()
        .flat_map(|shape| By::ALL.map(|by| (shape, by)));
    let all: Vec<f64> = all
        .filter(|(shape, by)| is_meant(*shape, *by))
        .flat_map(|(shape, by)| SOURCES.map(|version| times(version, cure, fs, shape, by)))
        .collect();
    let [least, most] = [f64::min, f64::max].map(|of| all.iter().copied().reduce(of));
    format!(
        "{:.2} to {:.2}",
        least.expect("there are some"),
        most.expect("there are some")
    )
}

#[test]
fn what_the_cure_of_ext4_costs() {
    let ext4 = |shape, by| both(|version| times(version, "ext4", Fs::Ext4, shape, by));
    let of_a_block = |cure: &str, fs| {
        both(|version| median(&costs(version, cure, fs), Shape::PartAtEof, By::Many))
    };
    says(
        "docs/findings/eof-loss.md",
        &format!(
            "512 bytes that end at EOF take {} times as long with 32 in flight by io_uring, {} times one at a time, and {} times by \
             pwrite; if one of 16 writes is such a one, {} times with 32 in flight. XFS has this cost as shipped: there they take {} times \
             as long as a block in the middle, in ext4 with the patches {} times. What ends elsewhere, or is a whole block, takes {} times \
             as long.",
            ext4(Shape::PartAtEof, By::Many),
            ext4(Shape::PartAtEof, By::Ring),
            ext4(Shape::PartAtEof, By::Call),
            ext4(Shape::Mixed, By::Many),
            of_a_block("none", Fs::Xfs),
            of_a_block("ext4", Fs::Ext4),
            between("ext4", Fs::Ext4, |shape, _| matches!(
                shape,
                Shape::Part | Shape::BlockAtEof | Shape::Append
            )),
        ),
    );
    says(
        "docs/findings/stale-page.md",
        &format!(
            "If the file grows by 512 bytes before each 16th of direct writes, 32 in flight by io_uring, they take {} times as long with the \
             patches as without.",
            ext4(Shape::BesideGrow, By::Many),
        ),
    );
}

#[test]
fn what_the_cure_of_xfs_costs() {
    says(
        "docs/findings/xfs-truncate.md",
        &format!(
            "With it and [the other patch](xfs-append.md#what-would-cure-it) direct writes of one file take {} times as long",
            between("xfs", Fs::Xfs, |_, _| true)
        ),
    );
}
