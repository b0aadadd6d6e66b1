//! The README is short, and what it says of kernels is what they did.

mod runner;

use std::fs;

use runner::root;
use serde_json::Value;

/// The README's words, however its lines are broken.
fn readme() -> String {
    let text = fs::read_to_string(root().join("README.md")).expect("it is here");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The releases of the rack, oldest first: those that lost the bytes of all of these plans, and those that lost none.
fn lost(plans: &[&str]) -> (Vec<String>, Vec<String>) {
    let text = fs::read_to_string(root().join("docs/kernels.json")).expect("it is kept");
    let kept: Value = serde_json::from_str(&text).expect("JSON");
    let kernels = kept["kernels"].as_object().expect("by release").values();
    let mut kernels: Vec<&Value> = kernels.collect();
    kernels.sort_by_key(|kernel| version(&kernel["release"]));
    let did = |kernel: &Value, plan: &str| {
        let did = kernel["plans"][plan]["did"].as_str();
        did.expect("what a kernel did") == "reproduced"
    };
    let (mut all, mut none) = (Vec::new(), Vec::new());
    for kernel in kernels {
        let release = kernel["release"].as_str().expect("a release").to_owned();
        if plans.iter().all(|plan| did(kernel, plan)) {
            all.push(release);
        } else if plans.iter().all(|plan| !did(kernel, plan)) {
            none.push(release);
        }
    }
    (all, none)
}

fn version(release: &Value) -> Vec<u32> {
    let release = release.as_str().expect("a release");
    release
        .split('.')
        .map(|part| part.parse().expect("a number"))
        .collect()
}

/// `6.12.117, 6.17.13 and 6.18.15`.
fn listed(releases: &[String]) -> String {
    let (last, rest) = releases.split_last().expect("there are some");
    match rest {
        [] => last.clone(),
        rest => format!("{} and {last}", rest.join(", ")),
    }
}

#[test]
fn it_names_the_kernels_that_lost_bytes() {
    let readme = readme();
    let (all, none) = lost(&[
        "Final612-XD-eof-KeepsOthers",
        "Final612-TR-eof-KeepsA",
        "Final612-TR3-mid-KeepsA",
    ]);
    let ext4 = format!(
        "over a direct write: lost on {}, not on {}.",
        listed(&all),
        listed(&none)
    );
    let (all, none) = lost(&["XfsOptimistic-ACT-written-data"]);
    let truncate = format!(
        "written behind it: lost on {}, not on {}.",
        listed(&all),
        listed(&none)
    );
    let (all, none) = lost(&["Since67-KUA-NoLostWrite"]);
    assert_eq!((all.len(), none.len()), (8, 0), "all eight kernels");
    let cloned = "undoes another one: lost on all eight kernels that were tried.";
    for sentence in [ext4.as_str(), &truncate, cloned] {
        assert!(readme.contains(sentence), "it does not say: {sentence}");
    }
}

#[test]
fn it_is_short() {
    let text = fs::read_to_string(root().join("README.md")).expect("it is here");
    let lines = text.lines().count();
    assert!(lines <= 150, "it has {lines} lines");
}
