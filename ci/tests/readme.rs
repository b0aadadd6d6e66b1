//! The README is short, and what it says of kernels is what they did.

mod runner;

use std::fs;

use interlock_rack::record::Record;
use runner::root;

/// The README's words, however its lines are broken.
fn readme() -> String {
    let text = fs::read_to_string(root().join("README.md")).expect("it is here");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The releases of the rack: those that lost the bytes of all of these plans, and those that lost none.
fn lost(plans: &[&str]) -> (Vec<String>, Vec<String>) {
    let record = Record::load(&root()).expect("it is kept");
    let (mut all, mut none) = (Vec::new(), Vec::new());
    for kernel in record.kernels.into_values() {
        let lost = plans.iter().filter(|plan| kernel.plans[**plan].lost());
        match lost.count() {
            0 => none.push(kernel.release),
            count if count == plans.len() => all.push(kernel.release),
            _ => {}
        }
    }
    (all, none)
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
