//! A judge that is missing: the test is not run, says so, or fails where the judge is required.

use std::process::{Command, Output};

use interlock_judges::{CHROMIUM, JUDGES, Judge};

/// The test below in a process of its own, which has these variables alone of those of judges.
fn asked(judge: &Judge, required: bool) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--ignored", "--exact", "asks_each"]);
    for judge in JUDGES {
        command.env_remove(judge.variable);
    }
    if required {
        command.env(judge.variable, "1");
    }
    command.output().expect("this program starts")
}

/// It is not there for any of them.
#[test]
#[ignore = "it fails if a judge is required: the others run it"]
fn asks_each() {
    for judge in JUDGES {
        assert!(judge.is_here(Ok::<_, String>(())));
        assert!(!judge.is_here(Err::<(), _>("there is none")));
    }
}

#[test]
fn a_test_without_its_judge_says_so_though_it_passes() {
    let output = asked(&JUDGES[0], false);
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr);
    for judge in JUDGES {
        let line = format!("NOT RUN: {}: there is none ({})\n", judge.tests, judge.cure);
        assert!(told.contains(&line), "{told}");
    }
}

#[test]
fn a_test_without_a_judge_that_is_required_fails_with_the_cure() {
    for judge in JUDGES {
        let output = asked(&judge, true);
        assert!(!output.status.success(), "{}", judge.variable);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let told = told + &String::from_utf8_lossy(&output.stderr);
        let why = format!(
            "{} is set: {}: there is none ({})",
            judge.variable, judge.tests, judge.cure
        );
        assert!(told.contains(&why), "{told}");
    }
}

/// A hosted run requires each of them in one job, those of pages where these are built, and who reads how to contribute reads of them.
#[test]
fn each_is_required_somewhere_and_told_of() {
    let file = |name: &str| {
        let path = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"))
    };
    let (workflow, contributing) = (file(".github/workflows/ci.yml"), file("CONTRIBUTING.md"));
    let job = |name: &str| {
        let (_, job) = workflow
            .split_once(&format!("\n  {name}:\n"))
            .expect("the job");
        job.split("\n\n").next().expect("its lines")
    };
    for judge in JUDGES {
        let is_of_pages = judge.variable == CHROMIUM.variable;
        let job = job(if is_of_pages { "book" } else { "judges" });
        let is_set = format!("{}: \"1\"", judge.variable);
        assert!(job.contains(&is_set), "{}", judge.variable);
        assert!(contributing.contains(judge.variable), "{}", judge.variable);
    }
}
