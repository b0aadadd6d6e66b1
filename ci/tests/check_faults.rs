//! `interlock check` when java itself misbehaves: a verdict is never made up.

mod runner;

use std::ffi::OsString;
use std::process::Stdio;
use std::thread;

use assert_cmd::assert::OutputAssertExt;
use interlock_checker::jvm::{Jvm, Length};
use interlock_checker::toolchain::Toolchain;
use predicates::prelude::*;
use predicates::str::contains;
use runner::{Clone, processes, report, temp, told, tools, wait};

/// Checks the model `holds` with a java that does this, and returns what is said about it.
fn with_java(script: &str) -> (String, String) {
    let clone = Clone::new().pinned_jar().java(script);
    clone.check("good.toml", "holds").assert().code(1);
    told(&report(&clone.out()), "holds")
}

#[track_caller]
fn is_an_error(script: &str, sentence: &str) {
    let (status, sentences) = with_java(script);
    assert_eq!(status, "error", "{sentences}");
    assert!(sentences.contains(sentence), "{sentences}");
    assert!(
        sentences.contains("stdout.txt"),
        "names the file to read: {sentences}"
    );
}

#[test]
fn a_killed_jvm() {
    is_an_error("kill -9 $$", "the JVM was killed by signal 9");
}

#[test]
fn a_killed_jvm_after_the_verdict() {
    is_an_error(
        "\"$JAVA\" \"$@\"; kill -9 $$",
        "the JVM was killed by signal 9",
    );
}

#[test]
fn output_cut_off_in_a_message() {
    // Behind the head of a message, wherever that is: how long the lines are depends on the clone's path.
    is_an_error("\"$JAVA\" \"$@\" | sed '/STARTMSG 2185/q'", "cut off");
}

#[test]
fn output_cut_off_between_messages() {
    is_an_error(
        "\"$JAVA\" \"$@\" | sed '/STARTMSG 2186/,$d'",
        "TLC ended without finishing",
    );
}

#[test]
fn output_without_totals() {
    is_an_error(
        "\"$JAVA\" \"$@\" | sed '/STARTMSG 2199/,/ENDMSG 2199/d'",
        "without its totals",
    );
}

#[test]
fn states_left_on_the_queue() {
    is_an_error(
        "\"$JAVA\" \"$@\" | sed 's/ 0 states left/ 3 states left/'",
        "3 states not explored",
    );
}

#[test]
fn success_with_a_failing_status() {
    is_an_error("\"$JAVA\" \"$@\"; exit 12", "exit status 12");
}

#[test]
fn a_warning_in_the_output() {
    is_an_error(
        "\"$JAVA\" \"$@\" | sed 's/STARTMSG 2193:0/STARTMSG 2284:3/; s/ENDMSG 2193/ENDMSG 2284/'",
        "TLC warns, so its verdict is not used",
    );
}

#[test]
fn nothing_at_all() {
    is_an_error("exit 0", "TLC ended without finishing");
}

#[test]
fn garbage() {
    is_an_error("head -c 4000 /dev/urandom", "TLC ended without finishing");
    is_an_error("echo '@!@!@STARTMSG what:ever @!@!@'", "not TLC's");
}

#[test]
fn a_full_disk() {
    is_an_error(
        "exec \"$JAVA\" \"$@\" > /dev/full",
        "TLC ended without finishing",
    );
    is_an_error(
        "echo 'java.io.IOException: No space left on device' >&2; exit 255",
        "the disk is full",
    );
}

#[test]
fn a_jvm_that_cannot_start() {
    is_an_error("exec \"$JAVA\" -XX:NoSuchOption", "Unrecognized VM option");
}

#[test]
fn a_violation_with_the_status_of_another() {
    let clone = Clone::new().pinned_jar().java("\"$JAVA\" \"$@\"; exit 11");
    clone.check("good.toml", "small").assert().code(1);
    let (status, sentences) = told(&report(&clone.out()), "small");
    assert_eq!(status, "error", "{sentences}");
    assert!(sentences.contains("exit status 11"), "{sentences}");
}

#[test]
fn a_named_temporal_property_must_be_the_row_s() {
    let rename = |name: &str| {
        format!(
            "\"$JAVA\" \"$@\" | sed 's/^Temporal properties were/Temporal property {name} was/'; exit 13"
        )
    };
    let named = Clone::new().pinned_jar().java(&rename("AllRun"));
    named.check("good.toml", "starves").assert().code(0);
    let other = Clone::new().pinned_jar().java(&rename("Other"));
    other.check("good.toml", "starves").assert().code(1);
    let (status, sentences) = told(&report(&other.out()), "starves");
    assert_eq!(status, "unexpected", "{sentences}");
    assert!(
        sentences.contains("violates Other (temporal)"),
        "{sentences}"
    );
}

/// TLC says that a property is violated, and ends before it has written the lasso: it is asked again, a few times.
#[test]
fn a_torn_lasso_is_asked_for_again() {
    let tear = "\"$JAVA\" \"$@\" | sed '/STARTMSG 2264/,$d'; exit 1";
    let once =
        format!("F=$0.torn; if [ -e \"$F\" ]; then exec \"$JAVA\" \"$@\"; fi; : > \"$F\"; {tear}");
    let clone = Clone::new().pinned_jar().java(&once);
    clone
        .check("good.toml", "starves")
        .arg("--verbose")
        .assert()
        .code(0)
        .stdout(contains("as expected, run 2"));
    let always = Clone::new().pinned_jar().java(tear);
    always.check("good.toml", "starves").assert().code(1);
    let (status, sentences) = told(&report(&always.out()), "starves");
    assert_eq!(status, "error", "{sentences}");
    assert!(
        sentences.contains("TLC ended without finishing"),
        "{sentences}"
    );
}

#[test]
fn a_deleted_action_shows_in_the_coverage() {
    // `Next` without Add, as TLC would cover it
    let script = "\"$JAVA\" \"$@\" | sed '/^<Add /s/Add/Ask/'";
    let (status, sentences) = with_java(script);
    assert_eq!(status, "unexpected", "{sentences}");
    assert!(sentences.contains("Next has no action Add"), "{sentences}");
}

/// A machine with other work lets java wait. That is no verdict.
#[test]
fn a_slow_machine_changes_no_verdict() {
    let clone = Clone::new().pinned_jar().java("exec \"$JAVA\" \"$@\"");
    clone.check("good.toml", "holds").assert().code(0);
    let said = clone.dir.path().join("said");
    std::fs::copy(clone.out().join("run/holds/stdout.txt"), &said).expect("what TLC said");
    // The same with a budget of 1 s; what it waits costs it nothing.
    let clone = clone.java(&format!("sleep 3; cat '{}'", said.display()));
    let checked = clone
        .check("budget.toml", "brief")
        .output()
        .expect("it runs");
    let (status, sentences) = told(&report(&clone.out()), "brief");
    assert_eq!(status, "as-expected", "{sentences}");
    assert_eq!(checked.status.code(), Some(0));
}

#[test]
fn java_and_its_children_are_killed_when_they_have_used_up_the_budget() {
    let burn = "while :; do :; done";
    let clone = Clone::new()
        .pinned_jar()
        .java(&format!("({burn}) & ({burn}) & {burn}"));
    clone
        .check("budget.toml", "brief")
        .assert()
        .code(1)
        .stdout(contains("1 inconclusive"));
    let (status, sentences) = told(&report(&clone.out()), "brief");
    assert_eq!(status, "inconclusive", "{sentences}");
    let sentence = "no verdict within its budget of 1 s of CPU time; its processes were killed";
    assert!(sentences.contains(sentence), "{sentences}");
    wait("all of them to end", || processes(&clone.bin()).is_empty());
}

/// `kill -9` of the runner while a java waits for a child of its own.
#[test]
fn no_process_outlives_a_runner_that_is_killed() {
    let clone = Clone::new().pinned_jar();
    let sleep = clone.bin().join("sleep");
    let clone = clone.java("\"$(dirname \"$0\")/sleep\" 1000 & wait");
    std::os::unix::fs::symlink("/bin/sleep", &sleep).expect("a name of its own");
    let mut runner = clone.check("budget.toml", "brief");
    let mut runner = runner
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    wait("java's child to run", || !processes(&sleep).is_empty());
    runner.kill().expect("it runs");
    runner.wait().expect("it ends");
    wait("java and its child to end", || {
        processes(&clone.bin()).is_empty()
    });
}

#[test]
fn a_broken_archive_of_classes_breaks_no_run() {
    let clone = Clone::new().pinned_jar();
    let cds = clone.dir.path().join("target/interlock/cds");
    let archive = || {
        std::fs::read_dir(&cds)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path()
    };
    let good = || {
        let mut check = clone.check("good.toml", "holds");
        check.arg("--fresh").assert().code(0)
    };
    good();
    let bytes = std::fs::read(archive()).unwrap();
    let mut zeroed = bytes.clone();
    zeroed[bytes.len() / 2..].fill(0);
    for broken in [&bytes[..bytes.len() / 2], &zeroed[..]] {
        let path = archive();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, broken).unwrap();
        good();
        assert_eq!(std::fs::read_dir(&cds).unwrap().count(), 1);
        assert_ne!(
            std::fs::read(archive()).unwrap(),
            broken,
            "it is made again"
        );
    }
}

/// Each of two that start at once starts from the archive, whichever makes it.
#[test]
fn an_archive_of_classes_is_made_once() {
    let root = temp();
    let toolchain = Toolchain {
        root: root.path().to_owned(),
        ..tools().clone()
    };
    let starts = || {
        let command = Jvm::new(&toolchain).tlc(100, Length::Short, root.path());
        let arguments: Vec<OsString> = command.get_args().map(OsString::from).collect();
        let is_archive = |of: &OsString| of.to_string_lossy().contains("target/interlock/cds");
        arguments.iter().filter(|of| is_archive(of)).count()
    };
    let started = thread::scope(|scope| {
        let both = [scope.spawn(starts), scope.spawn(starts)];
        both.map(|one| one.join().expect("it does not panic"))
    });
    assert_eq!(started, [1, 1]);
    let cds = root.path().join("target/interlock/cds");
    assert_eq!(std::fs::read_dir(cds).unwrap().count(), 1);
}

#[test]
fn java_that_makes_no_archive_still_runs() {
    let clone = Clone::new().pinned_jar().java("exec \"$JAVA\" \"$@\"");
    let starts_slower = contains("TLC starts slower").and(contains("1/1"));
    clone
        .check("good.toml", "holds")
        .arg("--verbose")
        .assert()
        .code(0)
        .stderr(starts_slower);
}
