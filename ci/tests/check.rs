//! `interlock check` on real TLC: rows that are as they should be, and rows that are wrong in every way there is.

mod runner;

use std::fs;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;
use runner::{Clone, check, entry, processes, report, specs, temp, told, wait};

#[test]
fn rows_that_are_as_they_should_be_pass() {
    let out = temp();
    check("good.toml", out.path())
        .args(["--lane", "nightly", "--verbose"])
        .assert()
        .code(0)
        .stdout(contains("5 as expected, 0 not, 0 inconclusive, 0 errors\n"))
        .stderr(contains("[  5/5] "));
    let report = report(out.path());
    assert_eq!(entry(&report, "holds")["distinct"], 12);
    assert_eq!(entry(&report, "starves")["witness"], 8);
    let names: Vec<_> = report["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["model"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["holds", "live", "starves", "small", "monotone"],
        "in the claims' order"
    );

    let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
    assert!(read("report.xml").contains(
        "<testsuites name=\"interlock check\" tests=\"5\" skipped=\"0\" failures=\"0\" errors=\"0\""
    ));
    assert!(
        read("report.md")
            .contains("| starves | violates AllRun (temporal) | as expected | 12 | 17 | 8 |")
    );
    assert!(
        !out.path().join("run/starves/trace.txt").exists(),
        "what is as expected, and kept nowhere, is drawn when somebody asks for it"
    );
    assert!(
        !out.path().join("run/holds/scratch").exists(),
        "TLC's own files are removed"
    );
}

#[test]
fn every_wrong_row_is_told_in_its_own_words() {
    let out = temp();
    check("bad.toml", out.path())
        .args(["--lane", "ci"])
        .env("GITHUB_ACTIONS", "true")
        .assert()
        .code(1)
        .stdout(
            contains("0 as expected, 14 not, 1 inconclusive, 7 errors\n")
                .and(contains("bad.toml/specs/demo/models.toml,line=33,title=holds::wrong-distinct: distinct is 12")),
        );
    let report = report(out.path());
    let rows = [
        (
            "wrong-distinct",
            "unexpected",
            "distinct is 12, but the lock says 13",
        ),
        (
            "wrong-total",
            "unexpected",
            "total is 17, but the lock says 16",
        ),
        (
            "silent-fired",
            "unexpected",
            "the action Wrap is `silent`, but it fired",
        ),
        (
            "never-fired",
            "unexpected",
            "the action Never never fired, and is not `silent`",
        ),
        (
            "wrong-actions",
            "unexpected",
            "Next has the action Wrap, which is not among the `actions`",
        ),
        (
            "wrong-actions",
            "unexpected",
            "Next has no action Gone, which is among the `actions`",
        ),
        (
            "unexpected-violation",
            "unexpected",
            "expected: holds; TLC found: violates Small (invariant)",
        ),
        (
            "unexpected-pass",
            "unexpected",
            "expected: violates Mutex (invariant); TLC found: holds",
        ),
        (
            "undefined-invariant",
            "error",
            "The invariant Nope specified in the configuration file is not defined",
        ),
        (
            "uncounted",
            "unexpected",
            "distinct is 12, and the lock says nothing (run `interlock check --bless uncounted`",
        ),
        (
            "uncounted",
            "unexpected",
            "total is 17, and the lock says nothing",
        ),
        (
            "wrong-property",
            "unexpected",
            "expected: violates TypeOK (invariant); TLC found: violates Small (invariant)",
        ),
        (
            "wrong-kind",
            "unexpected",
            "TLC found: violates Monotone (action)",
        ),
        (
            "wrong-witness",
            "unexpected",
            "witness is 9, but the lock says 8",
        ),
        (
            "parse-error",
            "error",
            "Encountered \"====\" at line 6, column 1",
        ),
        ("deadlocks", "unexpected", "TLC found: violates Deadlock"),
        (
            "assumption-false",
            "unexpected",
            "TLC found: violates IsAssumed (assumption)",
        ),
        (
            "evaluation-fails",
            "error",
            "Attempted to apply Head to the empty sequence",
        ),
        (
            "assert-fails",
            "error",
            "the second argument was: \"asserted\"",
        ),
        (
            "invariant-fails",
            "error",
            "Evaluating invariant BadInvariant failed",
        ),
        ("stack-overflows", "error", "the JVM's stack overflowed"),
        (
            "initially-violated",
            "unexpected",
            "TLC found: violates NotZero (invariant)",
        ),
        (
            "out-of-memory",
            "error",
            "the JVM ran out of memory: raise the row's `heap`",
        ),
        (
            "endless",
            "inconclusive",
            "no verdict within its budget of 2 s of CPU time",
        ),
    ];
    for (model, status, sentence) in rows {
        let (found, sentences) = told(&report, model);
        assert_eq!(found, status, "{model}: {sentences}");
        assert!(sentences.contains(sentence), "{model}: {sentences}");
    }
    let timeline = entry(&report, "unexpected-violation")["timeline"]
        .as_str()
        .unwrap();
    assert!(
        timeline.contains("Add(a)"),
        "with the task that acted: {timeline}"
    );
    wait("all that has outlived its budget to end", || {
        processes(out.path()).is_empty()
    });
    let junit = fs::read_to_string(out.path().join("report.xml")).unwrap();
    assert!(
        junit.contains("tests=\"22\" skipped=\"0\" failures=\"14\" errors=\"8\""),
        "{junit}"
    );
}

#[test]
fn names_choose_models_of_any_lane_unless_one_is_given() {
    let out = temp();
    let chosen = |arguments: &[&str]| {
        let mut check = check("good.toml", out.path());
        check.args(arguments).assert().code(0);
        let report = report(out.path());
        let models = report["models"].as_array().unwrap();
        let names = models.iter().map(|row| row["model"].as_str().unwrap());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(chosen(&["mono*"]), ["monotone"]);
    assert_eq!(chosen(&["--lane", "ci", "small", "monotone"]), ["small"]);
    let mut check = check("good.toml", out.path());
    check
        .args(["--lane", "smoke", "small"])
        .assert()
        .code(2)
        .stderr(contains("has no model named small in lane smoke or before"));
}

/// `--failed` of a run, mended: only what was not as expected then runs, and once it is as expected, nothing.
#[test]
fn only_what_failed_last_runs_again() {
    let clone = Clone::new().pinned_jar().java(
        "case \"$*\" in *starves.cfg*) [ -e \"$(dirname \"$0\")/mended\" ] || exit 3;; esac; exec \"$JAVA\" \"$@\"",
    );
    let run = |arguments: &[&str]| {
        let mut check = clone.check("good.toml", "good");
        check.args(arguments).assert()
    };
    run(&["--failed"])
        .code(2)
        .stderr(contains("there is no report of a last run"));
    run(&[]).code(1);
    fs::write(clone.bin().join("mended"), "").unwrap();
    run(&["--failed"])
        .code(0)
        .stderr(contains(
            "1 of these models were not as expected in the run of 20",
        ))
        .stdout(contains("\n1 as expected, 0 not"));
    run(&["--failed"])
        .code(0)
        .stderr(contains("0 of these models"))
        .stdout("");
    assert_eq!(report(&clone.out())["models"][0]["model"], "starves");
}

#[test]
fn the_first_failure_may_end_it() {
    let out = temp();
    let mut check = check("bad.toml", out.path());
    check
        .args(["counter", "--fail-fast", "--jobs", "1"])
        .assert()
        .code(1)
        .stdout(contains(
            "0 as expected, 1 not, 0 inconclusive, 0 errors, 7 not judged\n",
        ))
        .stdout(contains("STOPPED at the first"));
    assert_eq!(report(out.path())["state"], "stopped");
    let junit = fs::read_to_string(out.path().join("report.xml")).unwrap();
    assert!(junit.contains("tests=\"8\" skipped=\"7\""), "{junit}");
}

#[test]
fn a_run_of_which_all_is_well_is_quiet() {
    let out = temp();
    let mut check = check("good.toml", out.path());
    let run = check.arg("small").assert().code(0);
    let stdout = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    let lines: Vec<&str> = stdout.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 2, "{stdout}");
    assert!(lines[0].starts_with("The whole report is "), "{stdout}");
    assert_eq!(lines[1], "1 as expected, 0 not, 0 inconclusive, 0 errors");
    assert!(!String::from_utf8_lossy(&run.get_output().stderr).contains("1/1"));
}

#[test]
fn shards_run_each_model_once() {
    let mut ran = Vec::new();
    for shard in ["1/2", "2/2"] {
        let out = temp();
        let mut check = check("good.toml", out.path());
        check
            .args(["--shard", shard, "--lane", "ci"])
            .assert()
            .code(0);
        let report = report(out.path());
        assert_eq!(report["request"]["shard"], shard);
        let models = report["models"].as_array().unwrap();
        ran.extend(
            models
                .iter()
                .map(|row| row["model"].as_str().unwrap().to_owned()),
        );
    }
    ran.sort();
    assert_eq!(ran, ["holds", "live", "small", "starves"]);
    let out = temp();
    let mut none = check("good.toml", out.path());
    none.args(["--shard", "2/2", "small"])
        .assert()
        .code(2)
        .stderr(contains("shard 2/2 has no model"));
    let mut bad = check("good.toml", out.path());
    bad.args(["--shard", "3/2"])
        .assert()
        .code(2)
        .stderr(contains("a shard is I/N with I from 1 to N"));
}

#[test]
fn an_unknown_name_runs_nothing() {
    let out = temp();
    check("good.toml", out.path())
        .arg("smal")
        .assert()
        .code(2)
        .stderr(contains("did you mean `small`?"));
    assert!(!out.path().join("run").exists());
}

#[test]
fn bad_usage_and_bad_input_run_nothing() {
    let out = temp();
    check("good.toml", out.path())
        .args(["--lane", "never"])
        .assert()
        .code(2);
    check("good.toml", out.path())
        .args(["--jobs", "0"])
        .assert()
        .code(2);
    check("missing.toml", out.path())
        .assert()
        .code(2)
        .stderr(contains("missing.toml/specs: no area in it"));
    let elsewhere = out.path().join("elsewhere");
    fs::rename(specs("good.toml", out.path()), &elsewhere).unwrap();
    let mut command = runner::interlock();
    command
        .arg("check")
        .arg("--specs")
        .arg(&elsewhere)
        .assert()
        .code(2)
        .stderr(contains("elsewhere: not a directory named `specs`"));
}

#[test]
fn trace_prints_the_timeline() {
    let out = temp();
    let trace = |model: &str| {
        let mut command = runner::interlock();
        command
            .args(["trace", model, "--specs"])
            .arg(specs("good.toml", out.path()))
            .arg("--out")
            .arg(out.path());
        command.assert()
    };
    trace("small")
        .code(0)
        .stdout(contains("Add(a)").and(contains("trace.svg").or(contains("run/small"))));
    trace("starves").code(0);
    let starves = out.path().join("run/starves");
    let text = fs::read_to_string(starves.join("trace.txt")).unwrap();
    assert!(text.contains("Ask("), "{text}");
    assert!(starves.join("trace.svg").is_file());
    assert!(starves.join("trace.itf.json").is_file());
    trace("holds").code(0).stdout(contains(
        "holds holds, as expected: it has no counterexample",
    ));
    trace("nothing").code(2).stderr(contains("nothing"));
    trace("good")
        .code(2)
        .stderr(contains("good is not one model"));
}

#[test]
fn trace_fails_where_the_verdict_is_not_the_expected_one() {
    let out = temp();
    for (model, told) in [
        (
            "unexpected-violation",
            "expected: holds; found: violates Small (invariant)",
        ),
        (
            "unexpected-pass",
            "expected: violates Mutex (invariant); found: holds",
        ),
    ] {
        let mut command = runner::interlock();
        command
            .args(["trace", model, "--specs"])
            .arg(specs("bad.toml", out.path()))
            .arg("--out")
            .arg(out.path());
        command.assert().code(1).stdout(contains(told));
    }
}

#[test]
fn models_are_listed_a_line_each() {
    let out = temp();
    let list = |arguments: &[&str]| {
        let mut command = runner::interlock();
        let command = command
            .args(["list", "--specs"])
            .arg(specs("good.toml", out.path()));
        let run = command.args(arguments).assert().code(0);
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    };
    let all = list(&[]);
    assert_eq!(all.lines().count(), 5);
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let starves = list(&["st*"]);
    let wanted = "starves tlc smoke violates AllRun (temporal) distinct 12, total 17, witness 8";
    assert_eq!(words(&starves), words(wanted));
    assert_eq!(list(&["--lane", "smoke"]).lines().count(), 2);
    assert_eq!(list(&["--area", "demo", "--engine", "tlc"]), all);
    let mut unknown = runner::interlock();
    unknown
        .args(["list", "--area", "dmo", "--specs"])
        .arg(specs("good.toml", out.path()))
        .assert()
        .code(2)
        .stderr(contains("is named `dmo` (its areas: demo)"));
}

/// `models.lock` of the area that `check` runs on.
fn lock(name: &str, out: &std::path::Path) -> String {
    fs::read_to_string(specs(name, out).join("demo/models.lock")).unwrap()
}

#[test]
fn counts_are_written_when_they_are_blessed() {
    let out = temp();
    let path = specs("good.toml", out.path()).join("demo/models.lock");
    let good = lock("good.toml", out.path());
    let other = good.replace("holds = { distinct = 12", "holds = { distinct = 13");
    fs::write(&path, other.clone() + "stale = { witness = 1 }\n").unwrap();
    check("good.toml", out.path())
        .arg("holds")
        .assert()
        .code(1)
        .stdout(contains("distinct is 12, but the lock says 13"));
    assert_eq!(
        lock("good.toml", out.path()),
        other + "stale = { witness = 1 }\n"
    );
    check("good.toml", out.path())
        .args(["holds", "--bless"])
        .assert()
        .code(0)
        .stdout(
            contains("holds: { distinct = 12, total = 17 } was { distinct = 13, total = 17 }\n")
                .and(contains("stale: nothing was { witness = 1 }\n")),
        );
    let written = lock("good.toml", out.path());
    assert!(written.ends_with(&good), "{written}");
    check("good.toml", out.path()).arg("holds").assert().code(0);
    // Nothing to change: the file is left as it is.
    fs::write(&path, &good).unwrap();
    check("good.toml", out.path())
        .args(["--lane", "nightly", "--bless"])
        .assert()
        .code(0);
    assert_eq!(lock("good.toml", out.path()), good);
}

#[test]
fn blessing_hides_no_wrong_verdict() {
    let out = temp();
    let old = lock("bad.toml", out.path());
    let names = [
        "wrong-distinct",
        "uncounted",
        "wrong-witness",
        "never-fired",
        "unexpected-violation",
        "wrong-property",
        "wrong-kind",
        "undefined-invariant",
        "endless",
    ];
    check("bad.toml", out.path())
        .arg("--bless")
        .args(names)
        .assert()
        .code(1)
        .stdout(contains("3 as expected, 4 not, 1 inconclusive, 1 errors\n"));
    let expected = old
        .replace("no-such-model = { distinct = 1, total = 1 }\n", "")
        .replace(
            "unexpected-v",
            "uncounted = { distinct = 12, total = 17 }\nunexpected-v",
        )
        .replace(
            "{ distinct = 13, total = 17 }",
            "{ distinct = 12, total = 17 }",
        )
        .replace("{ witness = 8 }", "{ witness = 9 }");
    let written = lock("bad.toml", out.path());
    assert!(written.ends_with(&expected), "{written}");
}
