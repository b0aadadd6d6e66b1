//! `interlock check --distributed`: TLC's server and workers, on loopback.

mod runner;

use std::fs;
use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use predicates::str::contains;
use runner::{check, entry, processes, report, temp, told, wait};
use rustix::process::{Pid, Signal, kill_process};

/// A check in a folder whose path has a space.
fn distributed(name: &str, out: &std::path::Path, model: &str) -> Command {
    let out = out.join("a folder");
    let mut check = check(name, &out);
    check.args([model, "--distributed"]);
    check
}

#[test]
fn distinct_states_are_those_of_one_process() {
    let out = temp();
    let mut check = distributed("good.toml", out.path(), "holds");
    check
        .assert()
        .code(0)
        .stdout(contains("\n1 as expected, 0 not"));
    let dir = out.path().join("a folder");
    assert_eq!(entry(&report(&dir), "holds")["distinct"], 12);
    // So small a model may be done before the second worker comes.
    let said = ["worker-1.txt", "worker-2.txt"]
        .map(|worker| fs::read_to_string(dir.join("run/holds").join(worker)).unwrap());
    let worked = |said: &String| said.contains("work completed");
    assert!(said.iter().any(worked), "{said:?}");
    assert!(!dir.join("run/holds/scratch").exists());
    assert_eq!(processes(&dir.join("run")), Vec::<String>::new());
}

#[test]
fn what_is_not_as_expected_is_told() {
    let out = temp();
    for (model, sentence) in [
        ("wrong-distinct", "distinct is 12, but the lock says 13"),
        (
            "unexpected-violation",
            "TLC found a behaviour that violates an invariant or ends in a deadlock",
        ),
        (
            "deadlocks",
            "TLC found a behaviour that violates an invariant or ends in a deadlock",
        ),
    ] {
        distributed("bad.toml", out.path(), model).assert().code(1);
        let (status, sentences) = told(&report(&out.path().join("a folder")), model);
        assert_eq!(status, "unexpected", "{model}: {sentences}");
        assert!(sentences.contains(sentence), "{model}: {sentences}");
    }
}

#[test]
fn what_this_mode_cannot_decide_is_refused() {
    let out = temp();
    distributed("good.toml", out.path(), "live")
        .assert()
        .code(2)
        .stderr(contains(
            "live has the property Released, which TLC's distributed mode passes over",
        ));
    distributed("good.toml", out.path(), "small")
        .assert()
        .code(2)
        .stderr(contains("small is to be violated"));
    distributed("good.toml", out.path(), "holds")
        .args(["--worker-host", "node7"])
        .assert()
        .code(2)
        .stderr(contains("--address"));
    assert!(!out.path().join("a folder/run").exists());
}

#[test]
fn an_interrupt_ends_server_and_workers() {
    let out = temp();
    let mut runner = distributed("endless.toml", out.path(), "endless")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let run = out.path().join("a folder/run");
    wait("a server and two workers", || processes(&run).len() == 3);
    kill_process(Pid::from_child(&runner), Signal::INT).unwrap();
    assert_eq!(runner.wait().unwrap().code(), Some(130));
    assert_eq!(processes(&run), Vec::<String>::new());
}
