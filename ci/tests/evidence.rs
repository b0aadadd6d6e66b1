//! `interlock check` with what it has found before: the same question is not asked twice, and the row is judged anew each time. And
//! models that share a run: each is judged as if it were alone.

mod runner;

use std::fs;
use std::path::PathBuf;

use assert_cmd::assert::OutputAssertExt;
use predicates::prelude::*;
use predicates::str::contains;
use runner::{Clone, entry, report, specs, told};

/// Counts its runs.
const COUNTS: &str = "echo run >> \"$(dirname \"$0\")/runs\"; exec \"$JAVA\" \"$@\"";

/// A clone whose java does this.
fn clone(script: &str) -> Clone {
    Clone::new().pinned_jar().java(script)
}

/// How often its java has run TLC.
fn runs(clone: &Clone) -> usize {
    let runs = fs::read_to_string(clone.bin().join("runs"));
    runs.map_or(0, |runs| runs.lines().count())
}

/// Replaces the first `from` in a file of the clone's claims.
fn edit(clone: &Clone, file: &str, from: &str, to: &str) {
    let path = specs("good.toml", clone.dir.path()).join("demo").join(file);
    let text = fs::read_to_string(&path).expect("a file");
    assert!(text.contains(from), "{file} has no {from}");
    fs::write(&path, text.replacen(from, to, 1)).expect("a file");
}

fn entries(clone: &Clone) -> Vec<PathBuf> {
    let dir = clone.dir.path().join("target/interlock/evidence");
    let files = fs::read_dir(dir).map_or_else(|_| Vec::new(), |files| files.flatten().collect());
    files.into_iter().map(|file| file.path()).collect()
}

#[test]
fn what_was_found_is_not_asked_again() {
    let clone = clone(COUNTS);
    for model in ["holds", "small", "starves"] {
        clone.check("good.toml", model).assert().code(0);
        let first = entry(&report(&clone.out()), model).clone();
        let before = runs(&clone);
        clone
            .check("good.toml", model)
            .arg("--verbose")
            .assert()
            .code(0)
            .stdout(contains("as expected, from evidence"));
        assert_eq!(runs(&clone), before, "{model}: no run");
        let second = entry(&report(&clone.out()), model).clone();
        assert_eq!(
            (&first["evidence"], &second["evidence"]),
            (&false.into(), &true.into())
        );
        assert!(first["cpu"].as_f64().expect("a number") > 0.0);
        for same in [
            "cpu",
            "distinct",
            "total",
            "witness",
            "mebibytes",
            "tool",
            "found",
        ] {
            assert_eq!(first[same], second[same], "{model}: {same}");
        }
    }
}

#[test]
fn a_row_is_judged_anew_on_what_was_found() {
    let clone = clone(COUNTS);
    clone.check("good.toml", "holds").assert().code(0);
    clone.check("good.toml", "small").assert().code(0);
    let before = runs(&clone);
    edit(
        &clone,
        "models.lock",
        "holds = { distinct = 12",
        "holds = { distinct = 13",
    );
    edit(
        &clone,
        "models.lock",
        "small = { witness = 5",
        "small = { witness = 6",
    );
    for (model, sentence) in [("holds", "distinct is 12"), ("small", "witness is 5")] {
        clone.check("good.toml", model).assert().code(1);
        let (status, sentences) = told(&report(&clone.out()), model);
        assert_eq!(status, "unexpected");
        assert!(sentences.contains(sentence), "{sentences}");
    }
    edit(
        &clone,
        "models.toml",
        "violates = \"Small\"",
        "violates = \"TypeOK\"",
    );
    clone.check("good.toml", "small").assert().code(1);
    let (_, sentences) = told(&report(&clone.out()), "small");
    assert!(
        sentences.contains("expected: violates TypeOK (invariant); TLC found: violates Small"),
        "{sentences}"
    );
    let timeline = entry(&report(&clone.out()), "small")["timeline"].to_string();
    assert!(
        timeline.contains("Add(a)"),
        "with who took the step: {timeline}"
    );
    assert_eq!(
        runs(&clone),
        before + 1,
        "one, for the timeline of the last"
    );
}

#[test]
fn a_changed_module_is_run_again() {
    let clone = clone(COUNTS);
    let check = || clone.check("good.toml", "holds").assert();
    check().code(0);
    edit(&clone, "APCounter.tla", "\n", " \n");
    check().code(0);
    assert_eq!(runs(&clone), 1, "a module that it does not take in");
    edit(&clone, "Counter.tla", "n' = n + 1", "n' = 1 + n");
    check().code(0);
    assert_eq!(runs(&clone), 2);
}

#[test]
fn fresh_runs_all() {
    let clone = clone(COUNTS);
    clone.check("good.toml", "holds").assert().code(0);
    clone
        .check("good.toml", "holds")
        .arg("--fresh")
        .assert()
        .code(0);
    assert_eq!(runs(&clone), 2);
}

#[test]
fn a_changed_entry_is_told_of_and_run_again() {
    let clone = clone(COUNTS);
    clone.check("good.toml", "holds").assert().code(0);
    let entry = entries(&clone).pop().expect("an entry");
    let mut bytes = fs::read(&entry).expect("an entry");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(&entry, bytes).expect("an entry");
    let told = contains("is not used, and the model runs anew: its content is not what was kept");
    clone
        .check("good.toml", "holds")
        .assert()
        .code(0)
        .stderr(told);
    assert_eq!(runs(&clone), 2);
    clone.check("good.toml", "holds").assert().code(0);
    assert_eq!(runs(&clone), 2, "the new entry is used");
}

#[test]
fn no_verdict_is_no_evidence() {
    let faults = [
        "kill -9 $$",
        "\"$JAVA\" \"$@\"; kill -9 $$",
        "\"$JAVA\" \"$@\"; exit 12",
        "\"$JAVA\" \"$@\" | sed '/STARTMSG 2186/,$d'",
    ];
    for fault in faults {
        let clone = clone(fault);
        clone.check("good.toml", "holds").assert().code(1);
        assert_eq!(entries(&clone), Vec::<PathBuf>::new(), "{fault}");
    }
    let torn = clone("\"$JAVA\" \"$@\" | sed '/STARTMSG 2264/,$d'; exit 1");
    torn.check("good.toml", "starves").assert().code(1);
    assert_eq!(entries(&torn), Vec::<PathBuf>::new());
    let endless = clone("sleep 1000");
    let mut check = endless.check("good.toml", "holds");
    let mut child = check.spawn().expect("it starts");
    runner::wait("TLC to run", || {
        endless.out().join("run/holds/stdout.txt").is_file()
    });
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("a signal");
    assert_eq!(child.wait().expect("its end").code(), Some(130));
    assert_eq!(entries(&endless), Vec::<PathBuf>::new());
}

#[test]
fn models_of_one_graph_share_a_run() {
    let clone = clone(COUNTS);
    let mut check = clone.check("good.toml", "holds");
    check.arg("live").assert().code(0);
    assert_eq!(runs(&clone), 1);
    let report = report(&clone.out());
    for model in ["holds", "live"] {
        let row = entry(&report, model);
        assert_eq!((&row["distinct"], &row["total"]), (&12.into(), &17.into()));
    }
}

/// One violation in each member: exactly that one is blamed, and by its own name.
#[test]
fn a_shared_run_that_fails_is_split() {
    let violations = [
        (
            "Mutex ==",
            "Mutex == n < 2 /\\",
            "holds",
            "TLC found: violates Mutex (invariant)",
        ),
        (
            "Released ==",
            "Released == []<>(n = 9) /\\",
            "live",
            "TLC found: violates Released (temporal)",
        ),
    ];
    for (from, to, blamed, sentence) in violations {
        let clone = clone(COUNTS);
        edit(&clone, "Counter.tla", from, to);
        let mut check = clone.check("good.toml", "holds");
        check.arg("live").assert().code(1);
        let report = report(&clone.out());
        for model in ["holds", "live"] {
            let (status, sentences) = told(&report, model);
            if model == blamed {
                assert_eq!(status, "unexpected", "{model}");
                assert!(sentences.contains(sentence), "{sentences}");
            } else {
                assert_eq!(status, "as-expected", "{model}: {sentences}");
            }
        }
    }
}

/// Each state graph is counted by action in some run: a deleted action is found, though not all runs count.
#[test]
fn a_deleted_action_is_found_where_runs_are_shared() {
    let clone = clone(COUNTS);
    edit(&clone, "Counter.tla", " \\/ Never(t)", "");
    let mut check = clone.check("good.toml", "holds");
    check.arg("live").assert().code(1);
    let report = report(&clone.out());
    let (_, sentences) = told(&report, "holds");
    assert!(
        sentences.contains("Next has no action Never"),
        "{sentences}"
    );
}

#[test]
fn an_interrupted_check_goes_on_from_there() {
    // The first model that ends leaves a mark, at which the next one waits for ever.
    let once = "F=\"$(dirname \"$0\")/once\"; echo run >> \"$(dirname \"$0\")/runs\"\n\
                [ -e \"$F\" ] && [ ! -e \"$F.more\" ] && { : > \"$F.waits\"; exec sleep 1000; }\n\
                : > \"$F\"; exec \"$JAVA\" \"$@\"";
    let clone = clone(once);
    let mark = |name: &str| clone.bin().join(name);
    let check = || {
        let mut check = clone.check("good.toml", "small");
        check.args(["monotone", "--jobs", "1"]);
        check
    };
    let mut child = check().spawn().expect("it starts");
    runner::wait("the second model", || mark("once.waits").is_file());
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("a signal");
    assert_eq!(child.wait().expect("its end").code(), Some(130));
    let judged = |status: &str| {
        let report = report(&clone.out());
        let rows = report["models"].as_array().expect("rows").clone();
        rows.iter().filter(|row| row["status"] == status).count()
    };
    assert_eq!((judged("as-expected"), judged("not-judged")), (1, 1));
    fs::write(mark("once.more"), "").expect("a mark");
    check()
        .arg("--verbose")
        .assert()
        .code(0)
        .stderr(contains("from evidence").and(contains("[  2/2]")));
    assert_eq!(runs(&clone), 3, "one was not run again");
}
