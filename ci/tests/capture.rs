//! `interlock capture` where nothing can be captured: one line, exit code 2. What it does with root is `make kernel-trace`.

mod runner;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::{contains, starts_with};
use runner::{interlock, program, temp};

#[test]
fn what_is_not_known_is_told() {
    for (args, tells) in [
        (&["capture", "jbd"][..], "a similar value exists: 'jbd2'"),
        (
            &["capture", "--reproduce", "002"],
            "seed 002 is not reproduced (there are: 000, 001, 004, torn)",
        ),
        (
            &["capture", "--reproduce", "004", "--each", "1"],
            "how long each kind is tried is of `torn` alone",
        ),
        (
            &["capture", "--each", "1"],
            "required arguments were not provided",
        ),
    ] {
        let told = interlock().args(args).assert().code(2).stdout("");
        told.stderr(contains(tells));
    }
}

/// With root, the namespace cannot be made; without, nothing is tried.
#[test]
fn without_root_or_a_namespace_there_is_one_line() {
    let bin = temp();
    program(
        &bin.path().join("unshare"),
        "#!/bin/sh\necho 'unshare: not permitted' >&2\nexit 1\n",
    );
    let line = "interlock: a capture mounts file systems and reads tracefs: it needs root";
    let lines = |text: &str| text.lines().count() == 1;
    let root = starts_with(
        "interlock: no mount namespace can be made: unshare fails: unshare: not permitted",
    );
    interlock()
        .arg("capture")
        .env("PATH", bin.path())
        .assert()
        .code(2)
        .stdout("")
        .stderr(root.or(starts_with(line)).and(predicate::function(lines)));
}
