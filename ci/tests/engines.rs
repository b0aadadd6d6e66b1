//! Engines beside TLC: what they find, what is told when they are not here, and that nothing they say is taken for more than it is.
//!
//! The tests on the real Apalache run where there is one; elsewhere each says that it is not run, or fails.

mod runner;

use std::fs;
use std::path::Path;

use assert_cmd::assert::OutputAssertExt;
use interlock_checker::apalache::install;
use interlock_judges::APALACHE;
use predicates::prelude::*;
use predicates::str::{contains, ends_with};
use runner::{Clone, check, entry, report, root, temp, told};

/// Whether the real one is here.
fn apalache() -> bool {
    let found = install::find(&root(), false).expect("what the environment names does");
    APALACHE.is_here(found.missing().map_or(Ok(()), Err))
}

#[test]
fn apalache_finds_what_it_should() {
    if !apalache() {
        return;
    }
    let out = temp();
    check("engines.toml", out.path())
        .arg("symbolic")
        .assert()
        .code(0)
        .stdout(contains("6 as expected, 0 not, 0 inconclusive, 0 errors\n"));
    let report = report(out.path());
    assert!(entry(&report, "step")["mebibytes"].as_u64() > Some(50));
    let mut shown = runner::interlock();
    shown.args(["trace", "second", "--specs"]);
    shown.arg(runner::specs("engines.toml", out.path()));
    shown.arg("--out").arg(out.path()).assert().code(0);
    let trace = fs::read_to_string(out.path().join("run/second/trace.txt")).unwrap();
    assert!(
        trace.contains("Small is violated when state 5 is reached."),
        "{trace}"
    );
    assert!(out.path().join("run/second/trace.itf.json").is_file());
}

#[test]
fn apalache_rows_that_are_wrong_are_told() {
    if !apalache() {
        return;
    }
    let out = temp();
    check("engines.toml", out.path())
        .arg("wrong")
        .assert()
        .code(1)
        .stdout(contains("0 as expected, 2 not, 1 inconclusive, 3 errors\n"));
    let report = report(out.path());
    for (model, status, tells) in [
        (
            "contradiction",
            "error",
            "no execution is as long as `length`, so nothing was checked",
        ),
        ("unknown-operator", "error", "Operator NoSuch not found"),
        (
            "other-verdict",
            "unexpected",
            "expected: holds; apalache found: violates Small (invariant)",
        ),
        (
            "other-witness",
            "unexpected",
            "witness is 5, but the lock says 4",
        ),
        (
            "too-slow",
            "inconclusive",
            "no verdict within its budget of 2 s of CPU time",
        ),
        (
            "ill-typed",
            "error",
            "a type error: [APWrong.tla:9:24-9:33]",
        ),
    ] {
        let (found, text) = told(&report, model);
        assert_eq!(found, status, "{model}: {text}");
        assert!(text.contains(tells), "{model}: {text}");
    }
}

/// A clone without a network, whose Apalache is this script if it has one. It may run on the java that is here, which tells that it
/// is 21.
fn clone(script: Option<&str>) -> Clone {
    clone_named("clone", script)
}

fn clone_named(name: &str, script: Option<&str>) -> Clone {
    let pin = "version = \"9.9.9\"\nsha256 = \"00\"\nurl = \"https://nowhere.invalid/a.tgz\"\nleast = \"0.62\"\n";
    let clone = Clone::named(name)
        .program("curl", "echo 'curl: (6) no network' >&2; exit 6")
        .program("java", "echo 'openjdk version \"21.0.1\"' >&2");
    fs::write(clone.dir.path().join("ci/apalache.toml"), pin).expect("the pin");
    match script {
        Some(script) => clone.program(
            "apalache-mc",
            &format!("[ \"$1\" = version ] && echo 0.62.1 && exit\n{script}"),
        ),
        None => clone,
    }
}

fn run(clone: &Clone, model: &str) -> assert_cmd::assert::Assert {
    let mut check = clone.check("engines.toml", model);
    check
        .env("PATH", format!("{}:/usr/bin:/bin", clone.bin().display()))
        .env_remove("APALACHE_HOME")
        .env_remove("APALACHE_JAVA_HOME");
    check.assert()
}

/// What is left in the folder of the tools.
fn left(clone: &Clone) -> Vec<String> {
    let left = fs::read_dir(clone.dir.path().join("target/tools")).expect("the tools");
    let names = left.map(|entry| entry.expect("an entry").file_name());
    names.map(|name| name.to_string_lossy().into()).collect()
}

#[test]
fn where_there_is_none_its_models_are_not_run() {
    let clone = clone(None);
    let told = contains("NOT RUN: there is no Apalache on the PATH, APALACHE_HOME is not set, and https://nowhere.invalid/a.tgz cannot be downloaded")
        .and(contains("0 as expected, 0 not, 0 inconclusive, 0 errors, 1 not run\n"))
        .and(ends_with("NOT CHECKED: 1 of 1 claims (apalache: 1 safety)\n"));
    // Nothing at all was judged.
    run(&clone, "step").code(2).stdout(told);
    let report = report(&clone.out());
    assert_eq!(entry(&report, "step")["status"], "not-run");
    let junit = fs::read_to_string(clone.out().join("report.xml")).unwrap();
    assert!(junit.contains("skipped=\"1\""), "{junit}");
    assert_eq!(left(&clone), ["apalache-9.9.9.lock"], "of a download");
}

#[test]
fn a_required_engine_must_be_here() {
    let clone = clone(None);
    let mut check = clone.check("engines.toml", "step");
    check
        .args(["--require", "apalache"])
        .env("PATH", clone.bin())
        .env_remove("APALACHE_HOME");
    check
        .assert()
        .code(2)
        .stderr(contains("apalache is required, and there is no Apalache"));
    assert!(!clone.out().exists(), "nothing runs");
}

/// A verdict of the nightly lane is of every claim.
#[test]
fn the_nightly_lane_requires_every_engine() {
    let clone = clone(None);
    let mut check = clone.check("engines.toml", "symbolic");
    check
        .args(["--lane", "nightly"])
        .env("PATH", clone.bin())
        .env_remove("APALACHE_HOME");
    check
        .assert()
        .code(2)
        .stderr(contains("apalache is required, and there is no Apalache"));
    assert!(!clone.out().exists(), "nothing runs");
}

#[test]
fn other_models_run_without_it() {
    let out = temp();
    check("engines.toml", out.path())
        .args(["holds", "step"])
        .env("PATH", path_without_apalache(out.path()))
        .env("APALACHE_HOME", "")
        .env("https_proxy", "http://127.0.0.1:9")
        .assert()
        .code(0)
        .stdout(ends_with(
            "1 as expected, 0 not, 0 inconclusive, 0 errors, 1 not run\nNOT CHECKED: 1 of 2 claims (apalache: 1 safety)\n",
        ));
}

/// A PATH that has what is needed, but a curl that fails, and no apalache-mc.
fn path_without_apalache(dir: &Path) -> String {
    let bin = dir.join("bin");
    fs::create_dir_all(&bin).expect("bin/");
    for program in ["sh", "env"] {
        let _ = std::os::unix::fs::symlink(format!("/usr/bin/{program}"), bin.join(program));
    }
    let java = &runner::tools().java.path;
    let _ = std::os::unix::fs::symlink(java, bin.join("java"));
    bin.display().to_string()
}

#[test]
fn a_home_that_is_named_is_meant() {
    let clone = clone(Some("exit 0"));
    let mut check = clone.check("engines.toml", "step");
    check.env("APALACHE_HOME", clone.dir.path().join("none"));
    check.assert().code(2).stderr(contains(
        "APALACHE_HOME names a folder without bin/apalache-mc",
    ));
}

#[test]
fn an_old_apalache_is_refused() {
    let clone = clone(None).program("apalache-mc", "echo 0.44.11");
    run(&clone, "step").code(2).stderr(contains(
        "is too old (0.44.11): Apalache 0.62 or newer is needed",
    ));
}

#[test]
fn a_download_that_is_not_the_pinned_one_is_refused() {
    let clone = clone(None).program(
        "curl",
        "while [ $# -gt 1 ]; do [ \"$1\" = --output ] && echo other > \"$2\"; shift; done",
    );
    run(&clone, "step")
        .code(2)
        .stderr(contains("is not the pinned archive, and is not unpacked"));
    assert_eq!(left(&clone), ["apalache-9.9.9.lock"], "it is removed");
}

#[test]
fn a_java_that_is_too_old_is_no_java() {
    let clone = clone(Some("exit 0")).program("java", "echo 'openjdk version \"17.0.1\"' >&2");
    let mut check = clone.check("engines.toml", "step");
    check
        .env("PATH", clone.bin())
        .env("APALACHE_JAVA_HOME", clone.dir.path());
    check.assert().code(2).stderr(contains(
        "is too old (17.0.1). java 21 or newer is needed to run Apalache",
    ));
}

/// An outcome counts only with the exit status that belongs to it.
#[test]
fn half_an_outcome_is_an_error() {
    for (script, tells) in [
        (
            "echo 'The outcome is: NoError'; exit 12",
            "Apalache failed (exit status 12)",
        ),
        (
            "echo 'The outcome is: Error'; exit 0",
            "Apalache failed (exit status 0)",
        ),
        ("exit 0", "Apalache failed (exit status 0)"),
        (
            "echo 'the solver died E@12:00:00.000'; exit 255",
            "Apalache failed (exit status 255): the solver died",
        ),
        ("kill -9 $$", "Apalache was killed by signal 9"),
        (
            "echo 'The outcome is: Error'; exit 12",
            "violation.itf.json cannot be read",
        ),
    ] {
        let clone = clone(Some(script));
        run(&clone, "step").code(1);
        let (status, text) = told(&report(&clone.out()), "step");
        assert_eq!(status, "error", "{script}: {text}");
        assert!(text.contains(tells), "{script}: {text}");
    }
}

/// Apalache's script gives java the folder for temporary files without quotes.
#[test]
fn the_folder_for_temporary_files_has_no_space() {
    let script = "[ -d $TMPDIR ] && echo 'The outcome is: NoError'";
    let clone = clone_named("a clone ", Some(script));
    run(&clone, "step").code(0);
}

#[test]
fn the_solver_is_told_as_the_module_says() {
    let script = "case \"$*\" in *--smt-encoding=funArrays*) echo 'The outcome is: NoError';; *) exit 1;; esac";
    let clone = clone(Some(script));
    run(&clone, "step-arrays").code(0);
    run(&clone, "step").code(1);
}

/// A tla-checker that is this script.
fn second(script: &str) -> (String, String) {
    let clone = Clone::new();
    let bin = clone
        .dir
        .path()
        .join("target/tools/tla-checker-0.24.11/bin");
    fs::create_dir_all(&bin).expect("its folder");
    let clone = clone.program("tla", script);
    fs::rename(clone.bin().join("tla"), bin.join("tla")).expect("the script");
    let mut check = clone.check("engines.toml", "tla-checker-holds");
    check.output().expect("it runs");
    told(&report(&clone.out()), "tla-checker-holds")
}

#[test]
fn a_second_opinion_is_the_same_or_a_fault() {
    let said = |invariants: usize, states: usize, counted: &str| {
        format!(
            "echo '  Invariants: {invariants}'; echo '{{\"status\": \"ok\", \"stats\": {{\"states_explored\": {states}, \
             \"transitions\": 9}}{counted}}}'"
        )
    };
    let true_in = |satisfied: usize, total: usize| {
        format!(
            ", \"properties\": [{{\"name\": \"Mutex\", \"satisfied\": {satisfied}, \"violated\": 0, \"total\": {total}}}]"
        )
    };
    let ok = |states: usize| said(1, states, &true_in(states, states));
    let cases = [
        (ok(12), "as-expected", ""),
        (ok(13), "unexpected", "distinct is 13, but the lock says 12"),
        // its invariants, or one of them, were not looked at
        (
            said(0, 12, &true_in(12, 12)),
            "error",
            "tla-checker took 0 of 1 invariants",
        ),
        (
            said(1, 12, &true_in(12, 12)).replace("Invariants", "Spec"),
            "error",
            "tla-checker does not say how many of 1 invariants it took",
        ),
        (
            said(1, 12, ""),
            "error",
            "does not say that Mutex is true in each of its states",
        ),
        (
            said(1, 12, &true_in(12, 12)).replace("Mutex", "Small"),
            "error",
            "does not say that Mutex is true in each of its states",
        ),
        (
            said(1, 12, &true_in(11, 12)),
            "error",
            "does not say that Mutex is true in each of its states",
        ),
        (
            said(1, 12, &true_in(11, 11)),
            "error",
            "does not say that Mutex is true in each of its states",
        ),
        (
            ok(12) + "; echo 'Warning: ALIAS not yet supported, ignoring' >&2",
            "error",
            "passes over something",
        ),
        (
            ok(12) + "; exit 1",
            "error",
            "tla-checker failed (ok, exit status 1)",
        ),
        (
            "echo '{\"status\": \"max_depth_exceeded\"}'; exit 1".into(),
            "error",
            "max_depth_exceeded",
        ),
        ("exit 0".into(), "error", "ended without a report"),
    ];
    for (script, status, tells) in cases {
        let (found, text) = second(&script);
        assert_eq!(found, status, "{script}: {text}");
        assert!(text.contains(tells), "{script}: {text}");
    }
}
