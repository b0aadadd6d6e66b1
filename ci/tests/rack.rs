//! `interlock replay`, `hunt` and `kernels`, as far as no guest is needed: plans, and what is told where there is no QEMU. What
//! kernels do is `make kernels`.

mod runner;

use std::fs;

use assert_cmd::assert::OutputAssertExt;
use predicates::str::contains;
use runner::{interlock, temp};

/// Where the kept plans are.
const PLANS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/rack/plans");

/// A plan as it is kept, without its comments.
fn kept(name: &str) -> String {
    let text = fs::read_to_string(format!("{PLANS}/{name}.plan")).expect("a plan");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_counterexample_is_the_plan_that_is_kept() {
    for model in [
        "Final612-XD-eof-KeepsOthers",
        "XfsOptimistic-ACT-written-data",
        // C's I/O ends late: before another's is completed, and behind where T has the lock.
        "AlwaysShared-AC-hole-data",
        "XfsOptimistic-CT-eof-data",
    ] {
        let out = temp();
        let run = interlock()
            .args(["replay", model, "--print", "--out"])
            .arg(out.path())
            .assert()
            .success();
        let printed = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
        assert_eq!(printed, kept(model));
    }
}

#[test]
fn io_uring_makes_the_asynchronous_calls_if_it_is_asked_for() {
    let plan = format!("{PLANS}/Final612-XD-eof-KeepsOthers.plan");
    let run = interlock()
        .args(["replay", &plan, "--print", "--by", "uring"])
        .assert()
        .success();
    run.stdout(contains("call a write 0 512 uring"));
}

#[test]
fn what_is_not_known_is_told() {
    let dir = temp();
    let bad = dir.path().join("bad.plan");
    fs::write(&bad, "fs ext4\nblock written\nsize 512\nstart a\n").expect("a file");
    let bad = bad.to_str().expect("text");
    let control = format!("{PLANS}/control-AB-eof.plan");
    for (args, tells) in [
        (
            &["replay", "Final612-XD"][..],
            "Final612-XD: neither a plan's file nor a model",
        ),
        (
            &["replay", "Final65-AB-written-data", "--print"],
            "there is no counterexample to play",
        ),
        (
            &["replay", "Handoff511-RWW-safety"],
            "counterexamples of MCUnalignedDio are played, this one is MCRwsem's",
        ),
        (&["replay", bad], "bad.plan: line 4: no call is named a"),
        (
            &["replay", &control, "--kernel", "2.6"],
            "there is no kernel 2.6 in the rack (there are: 4.19, 5.10,",
        ),
        (
            &["hunt", "--kernel", "2.6"],
            "there is no kernel 2.6 in the rack",
        ),
        (
            &["hunt", "--kernel", "5.10", "--fs", "xfs"],
            "no design of xfs stands for kernel 5.10",
        ),
        (&["hunt"], "--kernel <VERSION>"),
        (&["kernels", "2.6"], "there is no kernel 2.6 in the rack"),
    ] {
        interlock()
            .args(args)
            .assert()
            .code(2)
            .stderr(contains(tells));
    }
}

#[test]
fn without_qemu_or_packages_nothing_is_run_and_that_is_told() {
    let (bin, out) = (temp(), temp());
    let control = format!("{PLANS}/control-AB-eof.plan");
    for args in [
        &["replay", &control, "--kernel", "6.12", "--out"][..],
        &["kernels", "6.12", "--out"],
    ] {
        interlock()
            .args(args)
            .arg(out.path())
            .env("PATH", bin.path())
            .assert()
            .code(2)
            .stdout(contains("6.12: NOT RUN: "));
    }
}
