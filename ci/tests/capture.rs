//! `interlock capture`: where nothing can be captured one line and exit code 2; with root, and tracefs, a trace that is accepted. All
//! that it captures is `make kernel-trace`.

mod runner;

use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use interlock_judges::TRACEFS;
use interlock_traces::kernel::family::Family;
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
    let line = match rustix::process::geteuid().is_root() {
        true => "interlock: no mount namespace can be made: unshare fails: unshare: not permitted",
        false => "interlock: a capture mounts file systems and reads tracefs: it needs root",
    };
    let lines = |text: &str| text.lines().count() == 1;
    interlock()
        .arg("capture")
        .env("PATH", bin.path())
        .assert()
        .code(2)
        .stdout("")
        .stderr(starts_with(line).and(predicate::function(lines)));
}

/// Whether this kernel can be asked: a table has its events, and it shows them, in a namespace of one's own.
fn tracefs() -> Result<(), String> {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease");
    let release = release.map_err(|why| format!("the kernel's release is not told: {why}"))?;
    Family::of(release.trim()).map_err(|why| why.to_string())?;
    let asks = "mount -t tracefs none /mnt && test -d /mnt/events/jbd2 && command -v mkfs.ext4";
    let mut unshare = Command::new("unshare");
    let asked = unshare.args(["--mount", "sh", "-c", asks]).output();
    let asked = asked.map_err(|why| format!("unshare does not start: {why}"))?;
    match asked.status.success() {
        true => Ok(()),
        false => Err(format!(
            "`{asks}` fails: {}",
            String::from_utf8_lossy(&asked.stderr).trim()
        )),
    }
}

#[test]
fn what_the_running_kernel_does_is_accepted() {
    if !TRACEFS.is_here(tracefs()) {
        return;
    }
    let out = temp();
    let mut record = interlock();
    record.args(["capture", "jbd2", "--record-only", "--out"]);
    record.arg(out.path()).assert().code(0).stderr("");
    let traces = std::fs::read_dir(out.path().join("capture")).expect("traces");
    let traces = traces.map(|trace| trace.expect("a trace").path());
    let mut judge = interlock();
    judge.args(["validate", "jbd2", "--machine-only", "--at-rest", "--out"]);
    judge
        .arg(out.path())
        .args(traces)
        .assert()
        .code(0)
        .stdout(contains("accepted by the machine").and(contains("refused").not()));
}
